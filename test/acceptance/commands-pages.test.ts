/**
 * Acceptance: commands for what the console's pages can do. Each works beside a running server or
 * says what to do.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../helpers/data-directory";
import { processes, corruptDatabase } from "../helpers/databases";
import { startExecutable, type Executable } from "../helpers/executable";

const handbook = join(import.meta.dir, "../../examples/handbook/handbook.pdf");
const password = "correct horse battery staple";
const scratch = temporaryDirectory();
const empty = join(scratch, "empty");
const torn = join(scratch, "torn.pdf");
const notes = join(scratch, "notes é.txt");

/** Enqueues a job at each process start, which fails permanently. */
const unlucky = `
import { definePlugin, handle, job, PermanentFailure, t } from "dossier";
const Count = job("unlucky.count", t.Object({}));
export default definePlugin({ name: "unlucky", version: "1.0.0", setup: ({ db, enqueue }) => ({
  jobs: [handle(Count, async () => { throw new PermanentFailure("The moon is full."); }, { attempts_max: 1, timeout_ms: 1_000 })],
  start: () => enqueue(db, Count, {}),
}) });
`;

let server: Executable;
beforeAll(async () => {
  mkdirSync(empty);
  writeFileSync(torn, "%PDF-1.7 torn");
  writeFileSync(notes, "The mooring was lifted at noon.");
  server = await startExecutable({ files: { "plugins/unlucky.ts": unlucky } });
  await server.createUser("ada@example.com");
  await server.api("POST", "/folders", { name: "Handbooks" });
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

const listOf = async (...words: string[]): Promise<any[]> =>
  JSON.parse(await server.mustCli([...words, "--json"]));
const signIn = (email: string): Promise<Response> =>
  fetch(`${server.url()}/console/api/v1/session`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      origin: server.url(),
      "sec-fetch-site": "same-origin",
    },
    body: JSON.stringify({ email, password }),
  });

describe("users and sessions", () => {
  const bob = ["--email", "bob@example.com"];
  const eve = ["--email", "eve@example.com"];
  test("a user is made an administrator, deactivated and activated again", async () => {
    for (const who of [bob, eve]) {
      await server.mustCli(["user", "create", ...who, "--password-stdin"], { stdin: password });
      await server.mustCli(["user", "role", ...who, "--role", "admin"]);
    }
    expect((await signIn("bob@example.com")).status).toBe(200);
    await server.mustCli(["user", "deactivate", ...bob]);
    expect((await signIn("bob@example.com")).status).toBe(401);
    expect((await listOf("user", "list")).find(({ email }) => email === bob[1])).toMatchObject({
      role: "admin",
      active: false,
    });
    await server.mustCli(["user", "activate", ...bob]);
    expect((await signIn("bob@example.com")).status).toBe(200);
  });

  test("the last administrator can't be deactivated or made a member", async () => {
    await server.mustCli(["user", "role", ...eve, "--role", "member"]);
    for (const words of [["deactivate"], ["role", "--role", "member"]]) {
      const { code, stderr } = await server.cli(["user", ...words, ...bob]);
      expect([code, stderr]).toEqual([1, expect.stringContaining("last active administrator")]);
    }
  });

  test("sessions are listed and ended, one by one or all of a user", async () => {
    const cookie = (await signIn("bob@example.com")).headers.get("set-cookie")!.split(";")[0]!;
    const seen = async () =>
      (
        (await (
          await fetch(`${server.url()}/console/api/v1/session`, { headers: { cookie } })
        ).json()) as { user: unknown }
      ).user;
    const [newest, ...others] = await listOf("session", "list", "--user", "bob@example.com");
    expect(newest).toMatchObject({ user: "bob@example.com", address: "127.0.0.1" });
    expect(others.length).toBeGreaterThan(0);
    expect(await seen()).not.toBeNull();
    await server.mustCli(["session", "end", newest.id]);
    expect(await seen()).toBeNull();
    await server.mustCli(["session", "end", "--user", "bob@example.com"]);
    expect(await listOf("session", "list")).toEqual([]);
    expect(await server.mustCli(["session", "list"])).toContain("Nobody is signed in.");
  });
});

describe("documents", () => {
  test("files are added and waited for, and unreadable ones are reported", async () => {
    const words = ["document", "add", handbook, notes, torn, "--folder", "handbooks", "--wait"];
    const { code, stdout, stderr } = await server.cli([...words, "--user", "ada@example.com"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("1 of 3 files")]);
    expect(stdout).toMatch(/\(1 of 3\) .*handbook\.pdf: uploaded, doc_/);
    expect(stdout).toMatch(/handbook\.pdf: ready, \d+ pages/);
    expect(stdout).toMatch(/notes é\.txt: ready/);
    expect(stdout).toMatch(/torn\.pdf: failed\. ./);
    expect(stdout).not.toContain("document list");
    expect((await listOf("folder", "list"))[0]).toMatchObject({
      user: "ada@example.com",
      name: "Handbooks",
      synced: 2,
      sync_failed: 1,
    });
  });

  test("a taken name is refused, and replaced with --overwrite", async () => {
    const words = ["document", "add", notes, "--folder", "Handbooks", "--user", "ada@example.com"];
    const refused = await server.cli(words);
    expect([refused.code, refused.stdout]).toEqual([
      1,
      expect.stringContaining("--overwrite replaces"),
    ]);
    const sent = await server.mustCli([...words, "--overwrite"]);
    expect(sent).toMatch(/uploaded, doc_.*\n.*`dossier document list` shows.*--wait/);
    const [replaced] = JSON.parse(
      await server.mustCli([...words, "--overwrite", "--wait", "--json"]),
    );
    expect(replaced).toMatchObject({ file: notes, status: "synced", error: null });
  });

  test("a directory is added with its subdirectories, as far as folders can be nested", async () => {
    const attic = join(scratch, "attic");
    const paths = ["top.txt", "maps/east.txt", "maps/old/west.txt", ".cache/x.txt", "maps/~$e.txt"];
    for (const path of paths) await Bun.write(join(attic, path), `The map of ${path}.`);
    symlinkSync(attic, join(attic, "maps", "loop"));
    symlinkSync("self", join(attic, "maps", "self"));
    const user = ["--user", "ada@example.com"];
    const root = await server.mustCli(["folder", "create", "Attic", ...user]);
    const low = await server.mustCli(["folder", "create", "Low", "--below", "Attic", ...user]);
    const namesIn = async (folder: string) =>
      (await listOf("document", "list", "--folder", folder, ...user)).map(({ name }) => name);
    const add = ["document", "add", attic, "--recursive", ...user, "--folder"];
    expect(await server.mustCli([...add, "Attic"])).toStartWith("Skipped 2 hidden files.\n");
    expect([await namesIn(root), await namesIn("maps")]).toEqual([
      ["top.txt"],
      ["old/west.txt", "east.txt"],
    ]);
    // Into the same subfolder, and into one that has none.
    expect(await server.mustCli([...add, "Attic", "--overwrite"])).toContain("(3 of 3)");
    expect(await namesIn("maps")).toHaveLength(2);
    await server.mustCli([...add, low]);
    expect(await namesIn(low)).toEqual(["top.txt", "maps/old/west.txt", "maps/east.txt"]);
    await server.api("DELETE", `/folders/${root}`);
  });

  test("the documents of a folder are listed, newest first, also by status", async () => {
    const words = ["document", "list", "--folder", "Handbooks", "--user", "ada@example.com"];
    const listed = await listOf(...words);
    expect(listed.map(({ name, status, error }) => [name, status, error])).toEqual([
      ["torn.pdf", "sync_failed", expect.stringContaining("PDF")],
      ["notes é.txt", "synced", null],
      ["handbook.pdf", "synced", null],
    ]);
    expect(listed[2]).toMatchObject({
      id: expect.stringMatching(/^doc_/),
      page_count: expect.any(Number),
      size_bytes: Bun.file(handbook).size,
    });
    const lines = (await server.mustCli([...words, "--status", "sync_failed"])).split("\n");
    expect(lines).toEqual([
      expect.stringMatching(/^id +name +status +page count +size bytes +created at +error$/),
      expect.stringMatching(/^doc_\w+ +torn\.pdf +sync_failed +- +13 +20/),
    ]);
    expect(await server.mustCli([...words, "--status", "syncing"])).toBe("There are none.");
  });

  test("passages are found, best first, in one folder or in all", async () => {
    const words = ["search", "ceramic filter replaced", "--user", "ada@example.com"];
    const lines = (await server.mustCli([...words, "--limit", "2"])).split("\n");
    expect(lines.slice(0, 4)).toEqual([
      expect.stringMatching(/^1\. handbook\.pdf, page \d$/),
      expect.stringMatching(/^ {4}“.*filter.*”$/i),
      "",
      expect.stringMatching(/^2\. handbook\.pdf, page/),
    ]);
    expect(lines).toHaveLength(5);
    const [best] = await listOf(...words, "--folder", "Handbooks");
    expect(best).toMatchObject({ document_name: "handbook.pdf", verified: true });
    const nothing = ["search", "xylophones", "--user", "bob@example.com"];
    expect(await server.mustCli(nothing)).toBe("Nothing was found.");
    expect(await listOf(...nothing)).toEqual([]);
  });

  test("a question is answered with its quotes and pages, and leaves no chat behind", async () => {
    const question = "How often is the ceramic filter replaced?";
    const words = ["ask", question, "--folder", "Handbooks", "--user", "ada@example.com"];
    const output = await server.mustCli(words);
    expect(output).toMatch(/\n\[1\] handbook\.pdf, page \d+\n {4}“.*filter/is);
    expect(output).toMatch(/\nAlso worth reading:\n {4}handbook\.pdf, page \d/);
    const { outcome, citations } = JSON.parse(await server.mustCli([...words, "--json"]));
    expect([outcome, citations[0].document_name]).toEqual(["answered", "handbook.pdf"]);
    expect((await server.api("GET", "/chats")).body.pagination.total).toBe(0);
  });

  test("folders are created, also inside another folder", async () => {
    const words = ["folder", "create", "Winter", "--description", "From October on"];
    const user = ["--user", "ada@example.com"];
    const id = await server.mustCli([...words, "--below", "Handbooks", ...user]);
    const { body } = await server.api("GET", `/folders/${id}`);
    expect(body).toMatchObject({ name: "Winter", description: "From October on" });
    const blank = await server.cli(["folder", "create", " ", ...user]);
    expect([blank.code, blank.stderr]).toEqual([1, expect.stringContaining("name")]);
    await server.api("DELETE", `/folders/${id}`);
  });

  test("a command's temporary key is deleted when it ends", async () => {
    const keys = await listOf("key", "list", "--user", "ada@example.com");
    expect(keys.map(({ name }) => name)).not.toContain("command line");
  });
});

describe("jobs", () => {
  const failed = async (of: string) =>
    (await listOf("job", "list")).filter(({ kind }) => kind === of);

  test("failed jobs are listed and retried, one by one or all of a kind", async () => {
    await addFailed("job_one", "job_two", "job_three");
    expect((await failed("webhooks.prune"))[0]).toMatchObject({
      can_retry: true,
      error: "The moon is full.",
    });
    expect(await server.mustCli(["job", "retry", "job_one"])).toContain("Queued job_one again");
    expect(await server.mustCli(["job", "retry", "--kind", "webhooks.prune"])).toContain("2 jobs");
    expect(await failed("webhooks.prune")).toEqual([]);
  });

  test("a job of a plugin file is retried too, as the command loads the plugin", async () => {
    const everyHasFailed = async () => (await failed("unlucky.count")).length === processes;
    await server.untilTrue(everyHasFailed);
    const [{ id }] = await failed("unlucky.count");
    expect(await server.mustCli(["job", "retry", id])).toBe(`Queued ${id} again.`);
    await server.untilTrue(everyHasFailed);
  });

  /** Adds failed jobs, as an earlier run leaves them. */
  async function addFailed(...ids: string[]): Promise<void> {
    for (const id of ids)
      await corruptDatabase(
        server.data,
        `insert into core_jobs (id, plugin, name, payload, owner, lane, lane_max, priority, state,
           run_at, attempts, attempts_max, crashes, error, created_at, finished_at)
         values (?, 'webhooks', 'webhooks.prune', '{}', 'test', 'test', 1, 0, 'failed', ?, 3, 3, 0,
           'The moon is full.', ?, ?)`,
        [id, Date.now(), Date.now(), Date.now()],
      );
  }
});

describe("a failing command prints the reason", () => {
  const user = ["--user", "ada@example.com"];
  const cases: readonly [reason: string, words: string[], code: number, said: RegExp][] = [
    ["a session and a user at once", ["session", "end", "ses_1", ...user], 2, /a session by its/],
    ["neither a session nor a user", ["session", "end"], 2, /a session by its id/],
    [
      "a missing session",
      ["session", "end", "ses_1"],
      1,
      /^dossier: The session could not be found\.\n$/,
    ],
    ["an unknown role", ["user", "role", "--email", "a@b.c", "--role", "king"], 2, /admin/],
    [
      "a missing user",
      ["user", "deactivate", "--email", "x@example.com"],
      1,
      /user could not be found/,
    ],
    ["a missing job", ["job", "retry", "job_1"], 1, /job could not be found/],
    ["neither a job nor a kind", ["job", "retry"], 2, /a job by its id/],
    ["a kind without failed jobs", ["job", "retry", "--kind", "x"], 1, /no failed job of the kind/],
    [
      "a missing file",
      ["document", "add", "x.txt", "--folder", "f"],
      1,
      /There is no file x\.txt\.\n$/,
    ],
    [
      "a directory",
      ["document", "add", scratch, "--folder", "f"],
      1,
      /is a directory\. Add its files with --recursive\.\n$/,
    ],
    [
      "a directory without files",
      ["document", "add", empty, "--recursive", "--folder", "f"],
      1,
      /no files to add/,
    ],
    ["no file at all", ["document", "add", "--folder", "f"], 2, /files/],
    [
      "no folder",
      ["ask", "What?"],
      2,
      /^dossier: Required option .*folder.*\.\n\(dossier ask --help has/,
    ],
    ["an unknown subcommand", ["job", "dance"], 2, /\(dossier job --help lists the commands/],
    [
      "a missing folder",
      ["ask", "Why?", "--folder", "x", ...user],
      1,
      /^dossier: There is no folder x\. .*\.\n$/,
    ],
    ["a list of no folder", ["document", "list"], 2, /folder/],
    [
      "an unknown status",
      ["document", "list", "--folder", "f", "--status", "done"],
      2,
      /syncing, synced, sync_failed/,
    ],
    ["a search for nothing", ["search"], 2, /query/],
    ["a search in a missing folder", ["search", "x", "--folder", "y", ...user], 1, /no folder y/],
    ["a blank search", ["search", " ", ...user], 1, /query/],
    [
      "a limit of none",
      ["search", "x", "--limit", "0", ...user],
      2,
      /^dossier: --limit must be .* at least 1\.\n$/,
    ],
    ["a limit that is no number", ["search", "x", "--limit", "ten", ...user], 2, /whole number/],
    ["no user, when there are several", ["ask", "Why?", "--folder", "x"], 1, /several users/],
  ];
  test.each(cases)("%s", async (_reason, words, code, message) => {
    const { code: exit, stderr } = await server.cli(words);
    expect([exit, stderr]).toEqual([code, expect.stringMatching(message)]);
  });

  test("commands that need a running server say how to start it", async () => {
    await server.stop();
    const { code, stderr } = await server.cli(["ask", "Why?", "--folder", "Handbooks", ...user]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("dossier serve --data")]);
    expect((await listOf("folder", "list")).length).toBe(1);
  });

  test("the audit log has commands that changed something, and none that only read", async () => {
    await server.restart();
    const key = await server.mustCli([
      ...["key", "create", "--user", "bob@example.com", "--name", "audit"],
    ]);
    const { body } = await server.api("GET", "/audit?actor=", undefined, { key });
    const actions = body.data.filter(({ via }: any) => via === "command_line");
    expect(actions.map(({ action }: any) => action)).toContain("user deactivate");
    expect(actions.map(({ action }: any) => action)).not.toContain("user list");
    expect(actions[0]).toMatchObject({
      action: "key create",
      record: expect.stringMatching(/^key_/),
    });
    expect(JSON.stringify(body)).not.toContain(password);
  });
});
