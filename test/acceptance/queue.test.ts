/** Acceptance: the queue on the command line, beside a running server and across restarts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { processes } from "../helpers/databases";
import { startExecutable, type Executable } from "../helpers/executable";
import { form } from "../helpers/forms";

/** Adds two jobs at each start that fail permanently, and one that waits. */
const unlucky = `
import { definePlugin, handle, job, PermanentFailure, t } from "dossier";
const Count = job("unlucky.count", t.Object({ n: t.Integer() }));
export default definePlugin({ name: "unlucky", version: "1.0.0", setup: ({ db, enqueue, now_ms }) => ({
  jobs: [handle(Count, async ({ n }) => { throw new PermanentFailure("The moon is " + n + "."); },
    { attempts_max: 1, timeout_ms: 1_000, requeue: async () => {}, onExhausted: async () => {} })],
  start: async () => {
    for (const n of [1, 2]) await enqueue(db, Count, { n });
    await enqueue(db, Count, { n: 3 }, { run_at_ms: now_ms() + 3_600_000 });
  },
}) });
`;
let server: Executable;
let folder: string;
beforeAll(async () => {
  server = await startExecutable({
    files: { "plugins/unlucky.ts": unlucky },
    env: { DOSSIER_EMBEDDINGS_PROVIDER: "builtin" },
  });
  await server.createUser();
  folder = (await server.api("POST", "/folders", { name: "Notes" })).body.id;
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

const intake = async () => (await server.api("GET", "//health")).body.intake;
const upload = async (name: string) =>
  (await server.api("POST", `/documents/file?folder_id=${folder}`, form(name, "It holds."))).body
    .id;
const status = async (id: string) => (await server.api("GET", `/documents/${id}`)).body.status;

test("paused intake stays paused across a restart and a kill until resumed", async () => {
  expect(await server.mustCli(["job", "pause"])).toStartWith("Intake is paused");
  expect(await intake()).toBe("paused");
  const id = await upload("a.txt");
  await server.restart();
  expect([await intake(), await status(id)]).toEqual(["paused", "syncing"]);
  await server.kill();
  await server.restart();
  expect([await intake(), await status(id)]).toEqual(["paused", "syncing"]);
  expect(await server.mustCli(["job", "list", "--state", "ready"])).toContain("documents.index");
  expect(await server.mustCli(["job", "resume"])).toBe("Intake is open.");
  expect(await intake()).toBe("open");
  await server.until(`/documents/${id}`, ({ body }) => body.status === "synced");
}, 120_000);

describe("dropping jobs", () => {
  const failed = async (): Promise<any[]> =>
    JSON.parse(await server.mustCli(["job", "list", "--json"])).filter(
      ({ kind }: any) => kind === "unlucky.count",
    );
  test("works by id, by reason and for all of a kind", async () => {
    // Two from each of three starts, in every process.
    await server.untilTrue(async () => (await failed()).length === 6 * processes);
    const [{ id }] = await failed();
    expect(await server.mustCli(["job", "drop", id])).toBe(`Dropped ${id}.`);
    expect((await failed()).some((job) => job.id === id)).toBe(false);
    const kind = ["--kind", "unlucky.count"];
    const reason = ["--reason", "The moon is 2."];
    await server.mustCli(["job", "drop", ...kind, ...reason, "--yes"]);
    expect((await failed()).some(({ error }) => error === "The moon is 2.")).toBe(false);
    await server.mustCli(["job", "drop", ...kind, "--yes"]);
    expect(await failed()).toEqual([]);
  }, 60_000);
  test("requires typing the kind to drop waiting jobs", async () => {
    const words = ["job", "drop", "--kind", "unlucky.count", "--state", "ready"];
    const result = await server.cli(words, { stdin: "yes\n" });
    expect([result.code, result.stderr]).toEqual([
      1,
      expect.stringContaining("Nothing was dropped"),
    ]);
    expect(await server.mustCli(words, { stdin: "unlucky.count\n" })).toMatch(
      /Dropped \d+ jobs?\./,
    );
  }, 60_000);
  const refused: [why: string, words: string[], code: number, says: RegExp][] = [
    ["a missing job", ["job_none"], 1, /job/],
    ["neither id nor kind", [], 2, /Specify a job by its id/],
    ["a kind without jobs", ["--kind", "nothing.at_all", "--yes"], 1, /no such job/],
  ];
  test.each(refused)("is refused for %s", async (_why, words, code, says) => {
    const result = await server.cli(["job", "drop", ...words]);
    expect([result.code, result.stderr]).toEqual([code, expect.stringMatching(says)]);
  });
});

test("paused vectors stay paused across a restart and a kill until resumed", async () => {
  const state = async () => (await server.api("GET", "//health")).body.vectors.state;
  expect(await server.mustCli(["job", "pause", "vectors"])).toStartWith("Vectors are paused");
  expect(await state()).toBe("paused");
  await server.restart();
  expect(await state()).toBe("paused");
  await server.kill();
  await server.restart();
  expect(await state()).toBe("paused");
  expect(await server.mustCli(["job", "resume", "vectors"])).toBe("Vectors are being created.");
  await server.untilTrue(async () => (await state()) === "ready");
  const result = await server.cli(["job", "pause", "everything"]);
  expect([result.code, result.stderr]).toEqual([2, expect.stringContaining("intake, vectors")]);
}, 120_000);
