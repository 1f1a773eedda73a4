/** Backups as administrators see them: made, listed, downloaded and verified, and health. */
import { beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { definePlugin, fill } from "../../core/sdk";
import { BackupProbes } from "../../plugins/backups/contract";
import { PruneCopies } from "../../plugins/backups/jobs";
import { signedIn, type Browser } from "../helpers/browser";
import { temporaryDirectory } from "../helpers/data-directory";
import { onSqlite } from "../helpers/databases";
import { startTestServer, type TestServer } from "../helpers/host";
import { until } from "../helpers/server";

/** What the probe answers: always the same, unless a test changes it. */
let answer: () => unknown = () => "the same";
const probe = definePlugin({
  name: "probe",
  version: "1.0.0",
  setup: () => ({ fills: [fill(BackupProbes, { name: "probe", ask: async () => answer() })] }),
});

const ofBackups = onSqlite("backups");
let server: TestServer;
let root: Browser;
const list = async () => (await root.send("GET", "/backups")).body;
const idle = () => until(async () => (await list()).current === null, 20_000);
const health = async () =>
  (await server.send(null, "GET", "/health")).body.plugins.find(
    ({ name }: any) => name === "backups",
  )?.reason;
async function make(body = {}): Promise<any> {
  const before = (await list()).data.length;
  expect((await root.send("POST", "/backups", body)).status).toBe(202);
  await until(async () => (await list()).data.length > before, 20_000);
  await idle();
  return (await list()).data[0];
}

beforeAll(async () => {
  server = await startTestServer({
    plugins: [probe],
    env: { DOSSIER_BACKUPS_SCHEDULE: "0 3 * * *" },
  });
  root = await signedIn(server, "root", { role: "admin" });
  const { body: folder } = await server.send("ada", "POST", "/folders", { name: "One" });
  const form = new FormData();
  form.append("file", new Blob(["An original."]), "one.txt");
  await server.send("ada", "POST", `/documents/file?folder_id=${folder.id}`, form);
  await server.settle();
});

ofBackups.describe("backups", () => {
  test("are for administrators only", async () => {
    const ada = await signedIn(server, "ada");
    for (const [method, path] of [
      ["GET", "/backups"],
      ["POST", "/backups"],
      ["GET", "/backups/dossier-20260101T000000000Z.zip/file"],
    ] as const)
      expect((await ada.send(method, path, method === "POST" ? {} : undefined)).status).toBe(403);
    expect((await server.send("ada", "GET", "/backups")).status).toBe(404);
  });

  test("are made, listed with their contents, and downloaded", async () => {
    expect(await list()).toMatchObject({
      data: [],
      schedule: "0 3 * * *",
      keep: 7,
      overdue: false,
      failure: null,
      next_at: expect.stringMatching(/T03:00:00/),
      last_success_at: null,
    });
    const backup = await make();
    const { name } = backup;
    expect(backup).toMatchObject({
      name: expect.stringMatching(/^dossier-\d{8}T\d{9}Z\.zip$/),
      bytes: expect.any(Number),
      originals: 1,
      originals_elsewhere: 0,
      with_secrets: false,
      rehearsed_at: expect.any(String),
      problem: null,
    });
    expect(await list()).toMatchObject({ last_success_at: expect.any(String), failure: null });
    const file = readFileSync(join(server.data, "backups", name));
    const { status, headers, text } = await root.send("GET", `/backups/${name}/file`);
    expect([status, headers.get("content-type"), headers.get("content-length")]).toEqual([
      200,
      "application/zip",
      String(file.length),
    ]);
    expect(text).toBe(file.toString("utf8"));
  });

  const nowhere: [string, string][] = [
    ["a missing backup", "dossier-20200101T000000000Z.zip"],
    ["a name that isn't a backup's", "dossier.db"],
    ["a path", "..%2Fdossier.db"],
  ];
  test.each(nowhere)("named by %s are not found", async (_why, name) => {
    expect((await root.send("GET", `/backups/${name}/file`)).status).toBe(404);
    expect((await root.send("POST", `/backups/${name}/rehearse`)).status).toBe(404);
  });

  test("are rehearsed again, and a damaged one is listed with the reason", async () => {
    const { name } = await make();
    expect((await root.send("POST", `/backups/${name}/rehearse`)).status).toBe(202);
    await server.settle();
    expect((await list()).data[0].problem).toBeNull();
    const path = join(server.data, "backups", name);
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 300, 2_000);
    writeFileSync(path, bytes);
    await root.send("POST", `/backups/${name}/rehearse`);
    await until(async () => (await list()).data[0].problem !== null, 20_000);
    expect((await list()).data[0].problem).toMatch(/dossier\.db/);
    expect((await list()).data[1].problem).toBeNull();
  });

  test("whose copy answers differently fail, and health says so until one succeeds", async () => {
    const before = (await list()).data.length;
    let probe_count = 0;
    answer = () => probe_count++;
    await root.send("POST", "/backups", {});
    await until(async () => (await list()).failure !== null, 20_000);
    expect((await list()).failure.error).toMatch(/gave different results \(probe\)/);
    await until(async () => /The last backup failed: .*probe/.test((await health()) ?? ""));
    expect((await list()).data).toHaveLength(before);
    expect(
      readdirSync(join(server.data, "backups")).filter((name) => /unfinished|work/.test(name)),
    ).toEqual([]);
    answer = () => "the same";
    await make();
    expect((await list()).failure).toBeNull();
    await until(async () => (await health()) === undefined);
  });

  test("that are overdue are reported by health", async () => {
    const { db } = server.store;
    const days_ago = (days: number) => Date.now() - days * 86_400_000;
    await db
      .updateTable("backups_runs")
      .set({ finished_at: days_ago(3) })
      .execute();
    expect((await list()).overdue).toBe(true);
    await until(async () => (await health())?.startsWith("A backup is overdue"));
    await make();
    expect((await list()).overdue).toBe(false);
    await until(async () => (await health()) === undefined);
  });
});

ofBackups.describe("the audit log of backups", () => {
  const newest = async () => (await root.send("GET", "/audit?per_page=1")).body.data[0];
  const entry = (action: string, record: string | null, status: number) => ({
    actor: "root@dossier.test",
    via: "console",
    outcome: "done",
    action,
    record,
    status,
  });

  test("records making, downloading, rehearsing and deleting one", async () => {
    const { name } = await make();
    await root.send("GET", `/backups/${name}/file`);
    expect(await newest()).toMatchObject(entry("downloadBackup", name, 200));
    await root.send("POST", `/backups/${name}/rehearse`);
    expect(await newest()).toMatchObject(entry("rehearseBackup", name, 202));
    await server.settle();
    const { total } = await list();
    expect((await root.send("DELETE", `/backups/${name}`)).status).toBe(204);
    expect(await newest()).toMatchObject(entry("deleteBackup", name, 204));
    expect(await list()).toMatchObject({ total: total - 1 });
    expect((await list()).data.some((backup: any) => backup.name === name)).toBe(false);
    expect((await root.send("DELETE", `/backups/${name}`)).status).toBe(404);
  });

  test("records a refused download", async () => {
    const ada = await signedIn(server, "ada");
    await ada.send("GET", "/backups/dossier-20260101T000000000Z.zip/file");
    expect(await newest()).toMatchObject({
      actor: "ada@dossier.test",
      action: "downloadBackup",
      outcome: "refused",
      status: 403,
    });
  });
});

ofBackups.test("database copies are deleted when they are too old", async () => {
  const directory = join(server.data, "backups");
  const time = (days_ago: number) =>
    new Date(Date.now() - days_ago * 86_400_000).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const names = [
    ...[40, 31, 29].map((days) => `${time(days)}-before-0.1.0.db`),
    ...[35, 1].map((days) => `${time(days)}-rolled-back.db`),
  ];
  for (const name of names) writeFileSync(join(directory, name), "copy");
  await server.store.inTransaction((tx) => server.host.queue.enqueue(tx, PruneCopies, {}));
  await server.settle();
  expect(
    readdirSync(directory)
      .filter((name) => name.endsWith(".db"))
      .toSorted(),
  ).toEqual([names[2]!, names[4]!].toSorted());
});

ofBackups.test(
  "a missing directory is not recreated, since its disk may not be mounted",
  async () => {
    const directory = join(temporaryDirectory(), "mounted");
    await using other = await startTestServer({ env: { DOSSIER_BACKUPS_DIRECTORY: directory } });
    const admin = await signedIn(other, "root", { role: "admin" });
    const state = async () => (await admin.send("GET", "/backups")).body;
    await admin.send("POST", "/backups", {});
    await until(async () => (await state()).data.length === 1, 20_000);
    await other.settle();
    rmSync(directory, { recursive: true });
    const reason = async () =>
      (await other.send(null, "GET", "/health")).body.plugins.find(
        ({ name }: any) => name === "backups",
      )?.reason;
    expect(await reason()).toContain(
      `${directory} does not exist. Check that its disk is mounted.`,
    );
    await admin.send("POST", "/backups", {});
    await until(async () => (await state()).failure !== null, 20_000);
    expect(existsSync(directory)).toBe(false);
    mkdirSync(directory);
    await admin.send("POST", "/backups", {});
    await until(async () => (await state()).data.length === 1, 20_000);
    await other.settle();
    expect(await reason()).toBeUndefined();
  },
);

ofBackups.test("an invalid schedule stops the start with a message", async () => {
  const schedules: [string, string][] = [
    ["words", "every day"],
    ["too few fields", "0 3"],
    ["a day that never comes", "0 3 31 2 *"],
  ];
  for (const [, schedule] of schedules)
    await expect(startTestServer({ env: { DOSSIER_BACKUPS_SCHEDULE: schedule } })).rejects.toThrow(
      /backups\.schedule/,
    );
});
