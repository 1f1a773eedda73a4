/**
 * Writes that fail while the server runs: a file that may not grow, a disk that returns errors. The
 * failure is reported, nothing confirmed is lost, and the server recovers by itself.
 */
import { describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { filesOf } from "../helpers/data-directory";
import { startExecutable, type Executable } from "../helpers/executable";

const strace = Bun.which("strace");
const prlimit = Bun.which("prlimit");
if (strace === null || prlimit === null)
  console.log("Failing writes are skipped: they need `strace` and `prlimit`.");
const takes_all = process.env.DOSSIER_TEST_FAULTS === "all";

interface Fault {
  /** Ends the fault. */
  readonly end: () => Promise<void>;
}
/** Limits files to this many bytes; the database's log is already about as long. */
async function limitFiles(server: Executable, more_bytes: number): Promise<Fault> {
  const { size } = statSync(join(server.data, "dossier.db-wal"));
  const limit = (bytes: number | "unlimited") =>
    Bun.spawnSync([prlimit!, "--pid", `${server.pid()}`, `--fsize=${bytes}:`]).exitCode;
  expect(limit(size + more_bytes)).toBe(0);
  return { end: async () => void expect(limit("unlimited")).toBe(0) };
}
/** Makes every such system call fail with this error. */
const failCalls = (server: Executable, call: string, error: string): Promise<Fault> =>
  inject(server, call, `error=${error}`);
/** Interferes with such system calls (on this file); `fault` is what `strace -e inject` takes. */
async function inject(
  server: Executable,
  call: string,
  fault: string,
  path?: string,
): Promise<Fault> {
  const tracer = Bun.spawn(
    [
      strace!,
      ...["-f", "-p", `${server.pid()}`, "-e", `trace=${call}`],
      ...["-e", `inject=${call}:${fault}`],
      ...(path ? ["-P", path] : []),
    ],
    { stdout: "ignore", stderr: "pipe" },
  );
  const lines = tracer.stderr[Symbol.asyncIterator]();
  for (let line = await lines.next(); !line.done; line = await lines.next())
    if (new TextDecoder().decode(line.value).includes("attached")) break;
  const drained = (async () => {
    while (!(await lines.next()).done);
  })();
  return {
    async end() {
      tracer.kill();
      await tracer.exited;
      await drained;
    },
  };
}

const health = async (server: Executable): Promise<any> =>
  (await fetch(`${server.url()}/health`)).json();
const file = (bytes: number, name = "gannet.txt"): FormData => {
  const form = new FormData();
  form.append("file", new File(["The gannet nests. ".repeat(bytes / 18)], name));
  return form;
};

type Case = [
  why: string,
  needs: string | null,
  is_quick: boolean,
  fail: (server: Executable) => Promise<Fault>,
  refused_with: number,
];
const cases: Case[] = [
  ["files that may not grow", prlimit, true, (server) => limitFiles(server, 20_000), 503],
  ["a disk that fails", strace, false, (server) => failCalls(server, "pwrite64", "EIO"), 503],
  [
    "a disk that reports it is full",
    strace,
    false,
    (server) => failCalls(server, "pwrite64", "ENOSPC"),
    507,
  ],
];

describe("a disk that can't be read for some time", () => {
  test.skipIf(strace === null || !takes_all)(
    "is reported, nothing fails permanently, and everything is back afterwards",
    async () => {
      await using server = await startExecutable();
      const folder_id = (await server.send("ada", "POST", "/folders", { name: "F" })).body.id;
      const add = (content: string) =>
        server.send("ada", "POST", "/documents", { folder_id, content });
      const search = () => server.send("ada", "POST", "/search", { query: "gannet" });
      expect((await add("The gannet nests on the cliff.")).status).toBe(201);
      await server.untilTrue(async () => (await search()).body.data?.length === 1);
      const fault = await failCalls(server, "pread64", "EIO");
      await server.untilTrue(async () => (await search()).status === 503);
      const { status, storage } = await health(server);
      expect([status, typeof storage]).toEqual(["degraded", "string"]);
      await fault.end();
      expect((await add("The gannet sleeps.")).status).toBe(201);
      await server.untilTrue(async () => (await search()).body.data?.length === 2);
    },
    120_000,
  );
});

describe("an original file that can't be read", () => {
  test.skipIf(strace === null || !takes_all)(
    "is reported, its document waits to be indexed, and the rest works",
    async () => {
      await using server = await startExecutable();
      const folder_id = (await server.send("ada", "POST", "/folders", { name: "F" })).body.id;
      const upload = (name: string) =>
        server.send("ada", "POST", `/documents/file?folder_id=${folder_id}`, file(100_000, name));
      const { id } = (await upload("a.txt")).body;
      const synced = () => server.until(`/documents/${id}`, ({ body }) => body.status === "synced");
      await synced();
      const name = filesOf(server.data)[0]!;
      const path = join(server.data, "files", name.slice(0, 2), name);
      const fault = await inject(server, "read,pread64", "error=EIO", path);
      expect((await server.send("ada", "GET", `/documents/${id}/file`)).status).toBe(503);
      const { status, storage } = await health(server);
      expect([status, storage]).toEqual([
        "degraded",
        expect.stringMatching(/^The original [0-9a-f]{64} can't be read: EIO/),
      ]);
      expect((await server.send("ada", "POST", `/documents/${id}/reindex`)).status).toBe(202);
      await server.untilTrue(() => server.output().includes("the disk can't be read; a job waits"));
      expect((await server.send("ada", "GET", `/documents/${id}`)).body.status).toBe("syncing");
      const text = { folder_id, content: "A gannet." };
      expect((await server.send("ada", "POST", "/documents", text)).status).toBe(201);
      await fault.end();
      await synced();
      expect((await server.send("ada", "GET", `/documents/${id}/file`)).status).toBe(200);
      expect(await health(server)).toMatchObject({ status: "ok", storage: null });
    },
    120_000,
  );
});

describe("a disk that takes long to write", () => {
  test.skipIf(strace === null || !takes_all)(
    "is reported with how long it takes, everything works, and the report ends by itself",
    async () => {
      await using server = await startExecutable();
      const folder_id = (await server.send("ada", "POST", "/folders", { name: "F" })).body.id;
      const add = () =>
        server.send("ada", "POST", "/documents", { folder_id, content: "A gannet." });
      const fault = await inject(server, "fdatasync", "delay_enter=800000");
      for (let n = 0; n < 5; n++) expect((await add()).status).toBe(201);
      const { status, storage } = await health(server);
      expect([status, storage]).toEqual([
        "degraded",
        expect.stringMatching(
          /^The storage is slow: of the last \d+ commits half took (0\.8|0\.9|1)/,
        ),
      ]);
      expect((await fetch(`${server.url()}/ready`)).status).toBe(200);
      await fault.end();
      for (let n = 0; n < 20; n++) expect((await add()).status).toBe(201);
      expect(await health(server)).toMatchObject({ status: "ok", storage: null });
      for (const message of ["the storage is slow", "the storage is no longer slow"])
        expect(server.output()).toContain(message);
    },
    120_000,
  );
});

describe("writes that fail", () => {
  for (const [why, needs, is_quick, fail, refused_with] of cases)
    test.skipIf(needs === null || (!is_quick && !takes_all))(
      `because of ${why}: refused and said, what is there is read, and it mends by itself`,
      async () => {
        await using server = await startExecutable();
        const folder_id = (await server.send("ada", "POST", "/folders", { name: "F" })).body.id;
        const kept_ids: string[] = [];
        const add = async (): Promise<number> => {
          const { status, body } = await server.send("ada", "POST", "/documents", {
            folder_id,
            content: `The gannet ${kept_ids.length} nests on the cliff. `.repeat(200),
          });
          if (status === 201) kept_ids.push(body.id);
          return status;
        };
        expect(await add()).toBe(201);
        await server.until(`/documents/${kept_ids[0]}`, ({ body }) => body.status === "synced");
        const fault = await fail(server);
        await server.untilTrue(async () => (await add()) === refused_with);
        for (let n = 0; n < 3; n++) expect(await add()).toBe(refused_with);
        // In one response, because a small write may succeed between two.
        await server.untilTrue(async () => {
          const { status, storage } = await health(server);
          return status === "degraded" && storage !== null;
        });
        expect((await server.send("ada", "GET", `/documents/${kept_ids[0]}`)).status).toBe(200);
        const found = await server.send("ada", "POST", "/search", { query: "gannet cliff" });
        expect([found.status, found.body.data.length > 0]).toEqual([200, true]);
        await fault.end();
        await server.untilTrue(async () => (await add()) === 201);
        await server.untilTrue(async () => (await health(server)).status === "ok");
        await server.until(
          `/folders/${folder_id}`,
          ({ body }) => body.status_counts.synced === kept_ids.length,
          { limit_ms: 60_000 },
        );
        await server.kill();
        await server.restart();
        for (const id of kept_ids)
          expect((await server.send("ada", "GET", `/documents/${id}`)).body.status).toBe("synced");
        expect(await server.stop()).toBe(0);
        using database = new Database(join(server.data, "dossier.db"), { readonly: true });
        expect(database.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
      },
      120_000,
    );

  test.skipIf(prlimit === null)(
    "of an upload above the file size limit: 507, and nothing of it is kept",
    async () => {
      await using server = await startExecutable();
      const folder_id = (await server.send("ada", "POST", "/folders", { name: "F" })).body.id;
      const upload = () =>
        server.send("ada", "POST", `/documents/file?folder_id=${folder_id}`, file(8 * 2 ** 20));
      const fault = await limitFiles(server, 2 ** 20);
      const { status, body } = await upload();
      expect([status, body.code]).toEqual([507, "storage_full"]);
      await server.untilTrue(() => filesOf(server.data).length === 0);
      await fault.end();
      expect((await upload()).status).toBe(201);
    },
  );

  test.skipIf(prlimit === null)(
    "beyond the open-file limit: refused with 503, and the server keeps running",
    async () => {
      await using server = await startExecutable();
      const folder_id = (await server.send("ada", "POST", "/folders", { name: "F" })).body.id;
      const search = () => server.send("ada", "POST", "/search", { query: "gannet" });
      const upload = (name: string) =>
        server.send("ada", "POST", `/documents/file?folder_id=${folder_id}`, file(1_000, name));
      const kept_id = (await upload("kept.txt")).body.id;
      const original = () => server.send("ada", "GET", `/documents/${kept_id}/file`);
      const opened = readdirSync(`/proc/${server.pid()}/fd`).length;
      const limit = (files: number | "unlimited") =>
        Bun.spawnSync([prlimit!, "--pid", `${server.pid()}`, `--nofile=${files}:`]).exitCode;
      expect(limit(opened + 8)).toBe(0);
      const text = await server.send("ada", "POST", "/documents", {
        folder_id,
        content: "A gannet.",
      });
      expect(text.status).toBe(201);
      for (const { status, headers } of [await search(), await search()])
        expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
      // Nothing can be opened at all; the requests use connections that are already open.
      expect(limit(8)).toBe(0);
      for (const { status, body } of [await upload("late.txt"), await original()])
        expect([status, body.code]).toEqual([503, "unavailable"]);
      expect((await health(server)).storage).toMatch(/EMFILE/);
      expect(limit(1_024)).toBe(0);
      expect((await health(server)).status).toBe("ok");
      await server.until(`/documents/${text.body.id}`, ({ body }) => body.status === "synced");
      await server.untilTrue(async () => (await search()).body.data.length > 0);
      expect((await upload("late.txt")).status).toBe(201);
    },
  );
});
