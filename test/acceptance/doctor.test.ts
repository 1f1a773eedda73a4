/** `dossier doctor` of the built executable, and the errors of a start that fails. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand, type CommandResult } from "../../scripts/lib/launch";
import { startExecutable, type Executable } from "../helpers/executable";

const home = mkdtempSync(join(tmpdir(), "dossier-doctor-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

let server: Executable;
let named = 0;
/** A fresh copy of the server's data directory. */
function copy(): string {
  const data = join(home, `data-${named++}`);
  cpSync(server.data, data, { recursive: true });
  return data;
}
const doctor = (data: string, ...words: string[]): Promise<CommandResult> =>
  runCommand(data, ["doctor", ...words]);
const checksOf = ({ stdout }: CommandResult): any[] => JSON.parse(stdout);

beforeAll(async () => {
  server = await startExecutable();
  const { body: folder } = await server.send("ada", "POST", "/folders", { name: "Hut" });
  for (let n = 0; n < 30; n++)
    await server.send("ada", "POST", "/documents", {
      folder_id: folder.id,
      content: `Text ${n}. ${"The pump of the hut needs oil. ".repeat(400)}`,
    });
  const key = await server.key("ada");
  const is_settled = ({ body }: { body: any }) => body.status_counts.syncing === 0;
  await server.until(`/folders/${folder.id}`, is_settled, { key });
});
afterAll(() => server[Symbol.asyncDispose]());

describe("doctor", () => {
  test("makes the same checks while the server runs and while it is stopped", async () => {
    const running = await doctor(server.data, "--json");
    expect([running.code, running.stderr]).toEqual([0, ""]);
    const ids = checksOf(running).map(({ id }) => id);
    for (const id of [
      "database",
      "references",
      "disk",
      "data-directory",
      "permissions",
      "tables",
      "clock",
      "jobs",
      "plugins",
      "originals",
      "indexing",
      "index",
      "deliveries",
      "name-servers",
      "backups",
    ])
      expect(ids).toContain(id);
    await server.stop();
    const stopped = await doctor(server.data, "--json");
    expect(stopped.code).toBe(0);
    expect(checksOf(stopped).map(({ id }) => id)).toEqual(ids);
    const in_words = (await doctor(server.data)).stdout;
    expect(in_words).toMatch(/^ok +Database: All of it was read/m);
    expect(in_words).toMatch(/^warning +Backups: There are no backups/m);
    await server.restart();
  });

  test("exits with 1 when a check fails, and with 0 after --fix has repaired it", async () => {
    const data = copy();
    await Bun.write(join(data, "secret.key"), `${"A".repeat(43)}=\n`);
    chmodSync(join(data, "secret.key"), 0o644);
    const found = await doctor(data);
    expect([found.code, found.stderr]).toEqual([1, expect.stringMatching(/failing: Permissions/)]);
    const mended = await doctor(data, "--fix");
    expect([mended.code, mended.stdout]).toEqual([0, expect.stringMatching(/Repaired: Only the/)]);
    // --fix also made the missing backup.
    expect(readdirSync(join(data, "backups")).filter((name) => name.endsWith(".zip"))).toHaveLength(
      1,
    );
    expect(checksOf(await doctor(data, "--json")).every(({ status }) => status === "ok")).toBe(
      true,
    );
  });

  const unusable: [reason: string, path: string, says: RegExp][] = [
    ["a file", "secret.key", /No backup can be written to \S+secret\.key: .*not a directory/],
    ["below a file", "secret.key/kept", /No backup can be written to \S+kept: .*not a directory/],
  ];
  test.each(unusable)(
    "names a backups.directory that is %s, as backup does",
    async (_, path, says) => {
      const data = copy();
      const env = { DOSSIER_BACKUPS_DIRECTORY: join(data, path) };
      const found = await runCommand(data, ["doctor"], { env });
      expect([found.code, found.stdout]).toEqual([1, expect.stringMatching(says)]);
      // Without a promise that --fix repairs it.
      expect(found.stdout).toMatch(/not a directory\.\n +Correct that/);
      const backup = await runCommand(data, ["backup"], { env });
      expect([backup.code, backup.stderr]).toEqual([1, expect.stringMatching(says)]);
    },
  );

  test("reports a damaged database and the backup to restore", async () => {
    const data = copy();
    await runCommand(data, ["backup"]);
    spoilPages(data);
    const { code, stdout } = await doctor(data);
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAILING +Database: The database is damaged/);
    const [backup] = readdirSync(join(data, "backups")).filter((name) => name.endsWith(".zip"));
    const path = join(data, "backups", backup!);
    expect(stdout).toContain(`dossier restore ${path} --data NEW`);
    // The suggested repair works.
    const restored = join(home, `data-${named++}`);
    mkdirSync(restored);
    expect(await runCommand(restored, ["restore", path])).toMatchObject({ code: 0 });
    const [database] = checksOf(await doctor(restored, "--json"));
    expect(database).toMatchObject({ id: "database", status: "ok" });
    await using running = await startExecutable({ data: restored });
    const { body } = await running.api("GET", "/folders", undefined, {
      key: await server.key("ada"),
    });
    expect(body.data[0].name).toBe("Hut");
    expect(await auditOf(running)).toContainEqual(["restore", backup, "done"]);
    await running.stop();
  });

  test("warns of tables of an earlier version until the server is started once", async () => {
    const data = join(home, `data-${named++}`);
    cpSync(join(import.meta.dir, "../released/0.1.0"), data, { recursive: true });
    const tables = async () =>
      checksOf(await doctor(data, "--json")).find(({ id }: any) => id === "tables");
    expect(await tables()).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("written by an earlier version"),
      fix: "Start the server once.",
    });
    await (await startExecutable({ data })).stop();
    expect(await tables()).toMatchObject({ status: "ok", fix: null });
  });

  test("reports a directory without a database and creates nothing", async () => {
    const data = mkdtempSync(join(home, "empty-"));
    const { code, stdout } = await doctor(data);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/no database in it/)]);
    expect(readdirSync(data)).toEqual([]);
  });
});

describe("a start", () => {
  test("on a damaged database names doctor and backups/", async () => {
    const data = copy();
    const file = openSync(join(data, "dossier.db"), "r+");
    writeSync(file, Buffer.alloc(4_096, 0x5a), 0, 4_096, 0);
    const { code, stderr } = await runCommand(data, ["serve", "--port", "0"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(`dossier doctor --data ${data}`);
    expect(stderr).toContain(join(data, "backups"));
  });

  test("on a newer version's database names that version, and rollback goes back", async () => {
    const data = copy();
    const old = await runCommand(data, ["rollback"]);
    expect([old.code, old.stderr]).toEqual([1, expect.stringContaining("There is no copy")]);
    // The state a newer version leaves: a copy from before, and migrations unknown to this one.
    const before = readFileSync(join(data, "dossier.db"));
    await Bun.write(join(data, "backups", "20990101T000000Z-before-9.0.0.db"), before);
    const database = new Database(join(data, "dossier.db"));
    database.run("insert into core_migrations values ('folders', '9999_new', 0)");
    database.run("insert into core_versions values ('9.0.0', 'abcdef1', 4000000000000)");
    database.run("update folders set name = 'Changed since'");
    database.close();
    const refused = await runCommand(data, ["serve", "--port", "0"]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("Dossier 9.0.0 (abcdef1)");
    expect(refused.stderr).toContain("dossier rollback");
    expect((await doctor(data)).stdout).toMatch(/FAILING +Tables: .*newer build.*9\.0\.0/);
    const back = await runCommand(data, ["rollback"]);
    expect(back.code).toBe(0);
    expect(back.stdout).toMatch(/start Dossier \d+\.\d+\.\d+/);
    const aside = readdirSync(join(data, "backups")).find((name) =>
      name.endsWith("-rolled-back.db"),
    );
    expect(existsSync(join(data, "backups", aside!))).toBe(true);
    await using older = await startExecutable({ data });
    const key = await server.key("ada");
    const { body } = await older.api("GET", "/folders", undefined, { key });
    expect(body.data[0].name).toBe("Hut");
    expect(await auditOf(older)).toEqual([
      ["rollback", "20990101T000000Z-before-9.0.0.db", "done"],
      ["rollback", null, "failed"],
    ]);
    await older.stop();
  });

  test("rollback is refused while a server runs", async () => {
    const listed = await runCommand(server.data, ["rollback", "--list"]);
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringMatching(/^There is no copy/)]);
    const { code, stderr } = await runCommand(server.data, ["rollback"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("There is no copy")]);
    await Bun.write(
      join(server.data, "backups", "20990101T000000Z-before-9.0.0.db"),
      readFileSync(join(copy(), "dossier.db")),
    );
    expect(await runCommand(server.data, ["rollback"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Another server is running"),
    });
  });
});

/** Restores and rollbacks in the audit log, newest first: action, record, outcome. */
async function auditOf(of: Executable): Promise<unknown[][]> {
  const key = await of.createUser("auditor@example.com", { role: "admin" });
  const { body } = await of.api("GET", "/audit?per_page=100", undefined, { key });
  return body.data
    .filter(({ via, action }: any) => via === "command_line" && /^(restore|rollback)$/.test(action))
    .map(({ action, record, outcome }: any) => [action, record, outcome]);
}

/** Overwrites pages in the middle of the file. */
function spoilPages(data: string): void {
  const path = join(data, "dossier.db");
  const file = openSync(path, "r+");
  const pages = Math.floor(readFileSync(path).length / 4_096);
  for (let page = 3; page < pages; page += 3)
    writeSync(file, Buffer.alloc(2_048, 0x5a), 0, 2_048, page * 4_096);
}
