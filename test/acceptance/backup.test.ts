/**
 * Backups of the built executable: made under load, restored elsewhere after a kill, and refused
 * when damaged or foreign.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ZipWriter } from "../../core/lib/zip-writer";
import { executable } from "../../scripts/build";
import { runCommand } from "../../scripts/lib/launch";
import { startExecutable, type Executable } from "../helpers/executable";

const home = mkdtempSync(join(tmpdir(), "dossier-backup-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
let named = 0;
const fresh = (): string => join(home, `directory-${named++}`);
const freshDirectory = (): string => {
  const path = fresh();
  mkdirSync(path);
  return path;
};
const backupsIn = (directory: string): string[] =>
  readdirSync(directory)
    .filter((name) => /^dossier-.*\.zip$/.test(name))
    .sort()
    .map((name) => join(directory, name));

/** Runs a command on a directory that may not exist yet. */
const tool = (data: string, ...words: string[]) => {
  mkdirSync(data, { recursive: true });
  return runCommand(data, words);
};
const upload = (server: Executable, folder_id: string, name: string, text: string) => {
  const form = new FormData();
  form.append("file", new File([text], name));
  return server.send("ada", "POST", `/documents/file?folder_id=${folder_id}`, form);
};
const wholeDatabase = (data: string): string =>
  (
    new Database(join(data, "dossier.db"), { readonly: true })
      .query("pragma integrity_check")
      .get() as { integrity_check: string }
  ).integrity_check;

describe("a backup", () => {
  test("made under load has all acknowledged data and restores after a kill", async () => {
    await using server = await startExecutable();
    const { body: folder } = await server.send("ada", "POST", "/folders", { name: "Hut" });
    const acknowledged: { id: string; original: boolean }[] = [];
    const state = { writing: true, writes: 0 };
    const write = async (writer: number) => {
      for (let n = 0; state.writing; n++) {
        const original = n % 3 === 0;
        const text = `Pump ${writer} of hut ${n} was made in Graz and needs oil.`;
        const { status, body } = original
          ? await upload(server, folder.id, `pump-${writer}-${n}.txt`, text)
          : await server.send("ada", "POST", "/documents", { folder_id: folder.id, content: text });
        if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
        acknowledged.push({ id: body.id, original });
        // Some are deleted again, with their originals.
        if (n % 7 === 6) {
          const { body: other } = await server.send("ada", "POST", "/folders", { name: "Gone" });
          await upload(server, other.id, "gone.txt", `Gone ${writer} ${n}`);
          await server.send("ada", "DELETE", `/folders/${other.id}`);
        }
        state.writes++;
      }
    };
    const writers = [1, 2, 3].map(write);
    await server.untilTrue(() => acknowledged.length > 60);
    const before = [...acknowledged];
    const writes_before = state.writes;
    const target = freshDirectory();
    expect(await server.cli(["backup", "--to", target])).toMatchObject({ code: 0, stderr: "" });
    expect(state.writes).toBeGreaterThan(writes_before);
    state.writing = false;
    await Promise.all(writers);
    await server.kill();
    const [archive] = backupsIn(target);
    const data = fresh();
    expect(await tool(data, "restore", archive!)).toMatchObject({ code: 0, stderr: "" });
    expect(wholeDatabase(data)).toBe("ok");
    await using restored = await startExecutable({ data });
    const key = await server.key("ada");
    const get = (path: string) => restored.api("GET", path, undefined, { key });
    for (const { id, original } of before) {
      const { status, body } = await get(`/documents/${id}`);
      expect([status, body.id]).toEqual([200, id]);
      if (original) expect((await get(`/documents/${id}/file`)).status).toBe(200);
    }
    // Documents that were being indexed during the backup are indexed after the restore.
    await restored.until(
      `/folders/${folder.id}`,
      ({ body }) => body.status_counts.syncing === 0 && body.status_counts.sync_failed === 0,
      { key },
    );
    // The restore compares the search stored in the backup; texts are found here too.
    const { body: found } = await restored.api(
      "POST",
      "/search",
      { query: "pump 1 of hut 1 Graz" },
      { key },
    );
    expect(found.data.length).toBeGreaterThan(0);
    await restored.stop();
  }, 120_000);

  test("gives the same search results after a restore", async () => {
    await using server = await startExecutable();
    const { body: folder } = await server.send("ada", "POST", "/folders", { name: "Hut" });
    for (let n = 0; n < 12; n++)
      await server.send("ada", "POST", "/documents", {
        folder_id: folder.id,
        name: `Text ${n}`,
        content: `The pump number ${n} needs oil every ${["spring", "summer", "autumn"][n % 3]}.`,
      });
    const key = await server.key("ada");
    const is_settled = ({ body }: { body: any }) => body.status_counts.synced === 12;
    await server.until(`/folders/${folder.id}`, is_settled, { key });
    const queries = ["oil in spring", "pump number 7", "autumn", "nothing of the kind"];
    const search = async (of: Executable) =>
      Promise.all(
        queries.map(
          async (query) => (await of.api("POST", "/search", { query }, { key })).body.data,
        ),
      );
    const expected = await search(server);
    expect(expected[0].length).toBeGreaterThan(0);
    await server.mustCli(["backup"]);
    const data = fresh();
    await server.stop();
    expect(await tool(data, "restore", backupsIn(join(server.data, "backups"))[0]!)).toMatchObject({
      code: 0,
    });
    await using restored = await startExecutable({ data });
    expect(await search(restored)).toEqual(expected);
    await restored.stop();
  });
});

describe("an interrupted backup", () => {
  test("is cleaned up at the next start after a kill, and the next backup succeeds", async () => {
    await using server = await startExecutable();
    const { body: folder } = await server.send("ada", "POST", "/folders", { name: "Hut" });
    for (let n = 0; n < 20; n++) await upload(server, folder.id, `${n}.txt`, `Original ${n}`);
    const home = join(server.data, "backups");
    const halves = () =>
      readdirSync(home).filter((name) => /^\.backup-work|\.unfinished$/.test(name));
    const making = Bun.spawn([executable, "backup", "--data", server.data], {
      stdout: "ignore",
      stderr: "ignore",
    });
    await server.untilTrue(() => existsSync(home) && halves().length > 0);
    making.kill("SIGKILL");
    await making.exited;
    await server.restart();
    await server.untilTrue(() => halves().length === 0);
    expect((await server.send(null, "GET", "/health")).body.status).toBe("ok");
    await server.mustCli(["backup"]);
    expect(backupsIn(home).length).toBeGreaterThan(0);
    await server.stop();
  });

  test("with wrong arguments doesn't degrade the server's health", async () => {
    await using server = await startExecutable();
    await server.key("ada");
    const { code, stderr } = await server.cli(["backup", "--incremental-to", "/nonexistent"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("no backup /nonexistent")]);
    expect((await server.send(null, "GET", "/health")).body.status).toBe("ok");
    await server.stop();
  });
});

describe("a backup of a stopped server", () => {
  let server: Executable;
  let first: string;
  beforeAll(async () => {
    server = await startExecutable({
      files: {
        "dossier.toml":
          '[answers]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\napi_key = "sk-hush"\n',
      },
    });
    const { body: folder } = await server.send("ada", "POST", "/folders", { name: "Hut" });
    for (let n = 0; n < 3; n++) await upload(server, folder.id, `${n}.txt`, `Original ${n}`);
    await server.send("ada", "POST", "/documents", {
      folder_id: folder.id,
      content: "Fine words. ".repeat(20_000),
    });
    await server.stop();
    await server.mustCli(["backup"]);
    first = backupsIn(join(server.data, "backups"))[0]!;
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test("contains secrets only with --with-secrets", async () => {
    const [plain, whole] = [fresh(), fresh()];
    await tool(plain, "restore", first);
    const settings = readFileSync(join(plain, "dossier.toml"), "utf8");
    expect(settings).toContain('base_url = "http://127.0.0.1:9/v1"');
    expect(settings).not.toContain("sk-hush");
    expect(existsSync(join(plain, "secret.key"))).toBe(false);
    const target = freshDirectory();
    await Bun.write(join(server.data, "secret.key"), `${"A".repeat(43)}=\n`);
    await server.mustCli(["backup", "--with-secrets", "--to", target]);
    await tool(whole, "restore", backupsIn(target)[0]!);
    expect(readFileSync(join(whole, "dossier.toml"), "utf8")).toContain("sk-hush");
    expect(readFileSync(join(whole, "secret.key"), "utf8")).toBe(`${"A".repeat(43)}=\n`);
  });

  test("that is incremental names the backup it needs and restores with it", async () => {
    const target = freshDirectory();
    await server.mustCli(["backup", "--to", target, "--incremental-to", first]);
    const [later] = backupsIn(target);
    const data = fresh();
    const alone = await tool(data, "restore", later!);
    expect(alone.code).toBe(1);
    expect(alone.stderr).toContain(`${basename(first)} (3 originals)`);
    expect(readdirSync(data).filter((name) => !name.startsWith("dossier.lock"))).toEqual([]);
    const beside = join(server.data, "backups");
    expect(await tool(data, "restore", later!, "--originals", beside)).toMatchObject({ code: 0 });
    expect(readdirSync(join(data, "files"))).toHaveLength(3);
  });

  test("is kept while a newer one needs it and pruned when there are too many", async () => {
    const directory = freshDirectory();
    const backup = (...words: string[]) =>
      runCommand(server.data, ["backup", ...words], {
        env: { DOSSIER_BACKUPS_DIRECTORY: directory, DOSSIER_BACKUPS_KEEP: "2" },
      });
    await backup();
    const [base] = backupsIn(directory);
    await backup();
    await backup("--incremental-to", base!);
    const names = () => backupsIn(directory).map((path) => basename(path));
    expect(names()).toHaveLength(3);
    expect(names()).toContain(basename(base!));
    const remove = (name: string) =>
      runCommand(server.data, ["backup", "delete", name], {
        env: { DOSSIER_BACKUPS_DIRECTORY: directory },
      });
    expect(await remove(basename(base!))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("A newer backup needs its originals"),
    });
    expect(await remove("dossier-20200101T000000000Z.zip")).toMatchObject({ code: 1 });
    await backup();
    await backup();
    expect(names()).toHaveLength(2);
    expect(names()).not.toContain(basename(base!));
  }, 120_000);

  const damaged: [string, (path: string) => void | Promise<void>, RegExp][] = [
    ["missing", (path) => rmSync(path), /\/\S+\.zip does not exist\./],
    ["truncated", (path) => truncateSync(path, 3_000), /cut off/],
    ["empty", (path) => truncateSync(path, 0), /cut off/],
    ["a foreign file", (path) => writeFileSync(path, "not an archive"), /not a Dossier backup/],
    [
      "one with a damaged database",
      (path) => changeBytes(path, 400, 2_000),
      /its part dossier\.db (can't be read|has does not match its SHA-256)/,
    ],
    [
      "one with a damaged original",
      (path) => changeBytes(path, readFileSync(path).indexOf("Original 1") + 3),
      /its part files\/\w\w\/\w+ (can't be read|has does not match its SHA-256)/,
    ],
    [
      "one with a damaged manifest",
      (path) => changeBytes(path, readFileSync(path).indexOf('"parts"') + 1),
      /manifest\.json/,
    ],
    ["one with trailing bytes", (path) => appendFileSync(path, "x".repeat(70_000)), /cut off/],
    ["a foreign archive", (path) => archiveOf(path, { "a.txt": "a" }), /it contains "a\.txt"/],
    [
      "an archive with paths outside the directory",
      (path) => archiveOf(path, { "files/../../evil": "a" }),
      /it contains "files\/\.\.\/\.\.\/evil"/,
    ],
    [
      "an archive with a foreign manifest",
      (path) => archiveOf(path, { "manifest.json": "{}" }),
      /its manifest\.json is of another kind/,
    ],
    [
      "one of a newer format",
      (path) =>
        archiveOf(path, {
          "manifest.json": JSON.stringify({
            format: "dossier backup",
            format_version: 99,
            dossier: { version: "9.0.0", commit: null },
          }),
        }),
      /created by Dossier 9\.0\.0, in a newer format/,
    ],
  ];
  test.each(damaged)("is refused with the reason when it is %s", async (_what, spoil, why) => {
    const path = join(freshDirectory(), basename(first));
    copyFileSync(first, path);
    await spoil(path);
    const data = fresh();
    const { code, stderr } = await tool(data, "restore", path);
    expect(code).toBe(1);
    expect(stderr).toMatch(why);
    expect(readdirSync(data).filter((name) => !name.startsWith("dossier.lock"))).toEqual([]);
    expect((await runCommand(server.data, ["backup", "rehearse", path])).code).toBe(1);
  });

  test("is never restored over existing files or into a running server's directory", async () => {
    const full = freshDirectory();
    writeFileSync(join(full, "letter.txt"), "dear");
    expect(await tool(full, "restore", first)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("it contains letter.txt"),
    });
    expect(readdirSync(full)).toEqual(["letter.txt"]);
    await using other = await startExecutable();
    expect(await tool(other.data, "restore", first)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not empty"),
    });
    await other.stop();
  });

  test("leaves no partial files when it fails", async () => {
    const target = freshDirectory();
    const [original] = readdirSync(join(server.data, "files")).filter((name) =>
      /^\w\w$/.test(name),
    );
    const folder = join(server.data, "files", original!);
    const path = join(folder, readdirSync(folder)[0]!);
    const bytes = readFileSync(path);
    writeFileSync(path, "does not match its SHA-256");
    const { code, stderr } = await server.cli(["backup", "--to", target]);
    writeFileSync(path, bytes);
    expect([code, readdirSync(target)]).toEqual([1, []]);
    expect(stderr).toContain("is damaged on the disk");
    expect(
      readdirSync(join(server.data, "backups")).filter((name) => name.startsWith(".backup")),
    ).toEqual([]);
  });
});

/** Deflated data needs several changed bytes: one alone may decode to the same content. */
function changeBytes(path: string, at: number, count = 1): void {
  const bytes = readFileSync(path);
  for (let place = at; place < at + count; place++) bytes[place]! ^= 0x5a;
  writeFileSync(path, bytes);
}

async function archiveOf(path: string, parts: Readonly<Record<string, string>>): Promise<void> {
  rmSync(path);
  const zip = await ZipWriter.create(path);
  for (const [name, text] of Object.entries(parts))
    await zip.add(name, [Buffer.from(text)], { deflated: false });
  await zip.finish();
}
