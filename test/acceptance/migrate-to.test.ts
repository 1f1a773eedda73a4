/**
 * Acceptance, on the executable: a data directory is moved into PostgreSQL and back, with
 * interruptions, and nothing differs afterwards.
 */
import { afterAll, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { SQL } from "bun";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { executable } from "../../scripts/build";
import { cleanEnvironment, mustRun, runCommand } from "../../scripts/lib/launch";
import { findPostgres } from "../../scripts/lib/postgres";
import { filesOf, temporaryDirectory } from "../helpers/data-directory";
import { startExecutable, type Executable } from "../helpers/executable";
import { startPostgresForSuite, describeOnPostgres } from "../helpers/postgres-suite";
import { person } from "../helpers/person";
import { until } from "../helpers/server";

const secret = "a secret key of this test";
const many = 20_000;

describeOnPostgres("dossier migrate-to", () => {
  const { newDatabase } = startPostgresForSuite();
  const directories: string[] = [];
  afterAll(() => {
    for (const data of directories) rmSync(data, { recursive: true, force: true });
  });

  const directory = (): string => {
    const data = temporaryDirectory();
    directories.push(data);
    return data;
  };
  const settings = (url?: string) => ({
    DOSSIER_SECRET_KEY: secret,
    // The built-in encoder, so that vectors are moved too.
    DOSSIER_EMBEDDINGS_PROVIDER: "",
    DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.0/8",
    DOSSIER_IMPORTS_DIRECTORIES: "/tmp",
    ...(url !== undefined && { DOSSIER_DATABASE_URL: url }),
  });

  test("moves there and back, killed twice, with equal data and search results", async () => {
    const data = directory();
    const { key, ids, before } = await fill(data);
    spoil(data);
    const sum = sumOf(data);
    const url = await newDatabase();
    await killTwice(data, url);
    const unfinished = await runCommand(data, ["serve", "--port", "0"], { env: settings(url) });
    expect(unfinished.stderr).toContain("is the unfinished target of `dossier migrate-to`");
    const output = await mustRun(data, ["migrate-to", url], { env: settings() });
    expect(output).toContain("continuing where it was interrupted");
    expect(output).toContain("contains U+0000 in 1 row.");
    expect(output).toMatch(
      /compared \d+ rows in \d+ tables by their SHA-256: source and target are equal/,
    );
    expect(sumOf(data)).toBe(sum);
    const restored = await dumpAndRestore(data, url);
    await expectSame(restored.data, settings(restored.url), { key, ids, before });

    const back = join(directory(), "new");
    const returned = await mustRun(data, ["migrate-to", back], { env: settings(url) });
    expect(returned).toContain("source and target are equal");
    expect(filesOf(back)).toEqual(filesOf(data));
    await expectSame(back, settings(), { key, ids, before });
    expect(await mustRun(back, ["doctor"], { env: settings() })).not.toContain("FAILING");
    expect(await mustRun(back, ["config"], { env: settings() })).toMatch(
      /jobs\.keep_done +2d +\(stored\)/,
    );
  }, 120_000);

  /** Creates everything that is moved, and records the server's responses. */
  async function fill(data: string) {
    await using server = await startExecutable({ data, env: settings() });
    const ada = await person(server, "ada");
    const folder = await ada.folder("House");
    const below = await ada.folder("Cellar", folder);
    const text = await ada.text(
      folder,
      "# Kettle\n\nThe kettle holds two litres of water.",
      "Kettle",
    );
    await ada.text(below, "# Boiler\n\nThe boiler was made in Graz in 1974. Größe: 𝒳.", "Boiler");
    const { body: file } = await ada.upload(folder, "lamp.md", "# Lamp\n\nThe lamp burns a year.");
    await ada.settled(file.id);
    const chat = await ada.create("/chats", { usedFolders: [folder] });
    await ada.ask(chat.id, "How much water does the kettle hold?");
    await ada.create("/prompts", { name: "Short", text: "Answer in one sentence." });
    await ada.create("/webhooks", {
      event_type: "import.finished",
      url: "http://127.0.0.1:9/hook",
    });
    await ada.create("/import-schedules", {
      folder_id: folder,
      source: { type: "directory", path: "/tmp" },
      every: "0 3 1 1 *",
    });
    await server.mustCli(["config", "set", "jobs.keep_done", "2d"]);
    const ids = { folder, below, text: text.id, file: file.id, chat: chat.id };
    await untilQuiet(server, ada.key, ids);
    await until(async () => (await look(server, ada.key, ids)).search[0]?.matched === "both");
    const before = await look(server, ada.key, ids);
    expect(before.search.length).toBeGreaterThan(1);
    expect(await server.stop()).toBe(0);
    return { key: ada.key, ids, before };
  }
  type Ids = Readonly<Record<"folder" | "below" | "text" | "file" | "chat", string>>;

  /** Waits for vectors, which are made in the background. */
  const untilQuiet = async (server: Executable, key: string, ids: Ids): Promise<void> =>
    until(async () => {
      const [a, b] = await Promise.all(
        [ids.folder, ids.below].map((id) =>
          server.api("GET", `/folders/${id}`, undefined, { key }),
        ),
      );
      return a!.body.vectors_pending + b!.body.vectors_pending === 0;
    });

  /** Everything that a user can see. */
  async function look(server: Executable, key: string, ids: Ids) {
    const get = async (path: string) => {
      const { status, body } = await server.api("GET", path, undefined, { key });
      expect([path, status]).toEqual([path, 200]);
      return body;
    };
    const search = async (query: string) =>
      (await server.api("POST", "/search", { query, folder_ids: [ids.folder] }, { key })).body.data;
    return {
      search: [...(await search("kettle water litres")), ...(await search("Where is it from?"))],
      folders: await get("/folders"),
      document: await get(`/documents/${ids.text}`),
      file: await get(`/documents/${ids.file}`),
      bytes: (await server.api("GET", `/documents/${ids.file}/file`, undefined, { key })).text,
      messages: await get(`/chats/${ids.chat}/messages`),
      prompts: await get("/prompts"),
      webhooks: await get("/webhooks"),
      schedules: await get("/import-schedules"),
    };
  }

  /** Adds a job left by a crash, and a U+0000 left by an early version. */
  function spoil(data: string): void {
    using database = new Database(join(data, "dossier.db"));
    database.run(
      "update core_jobs set state = 'running', lease_token = 'a.b', lease_until = 1 where id = (select max(id) from core_jobs)",
    );
    const add = database.prepare(
      `insert into audit_entries (id, created_at, via, action, outcome) values (?, ?, 'api', ?, 'done')`,
    );
    database.transaction(() => {
      for (let i = 0; i < many; i++)
        add.run(`aud_${String(i).padStart(6, "0")}`, i, i === 7 ? "a\0b" : "getFolder");
    })();
    database.run("pragma wal_checkpoint(truncate)");
  }

  async function expectSame(
    data: string,
    env: Record<string, string>,
    { key, ids, before }: Awaited<ReturnType<typeof fill>>,
  ): Promise<void> {
    await using server = await startExecutable({ data, env });
    // On a busy machine a search may not wait for the query's vector.
    let now: typeof before | undefined;
    await until(
      async () => Bun.deepEquals((now = await look(server, key, ids)), before),
      10_000,
    ).catch(() => expect(now).toEqual(before));
    expect(await server.stop()).toBe(0);
  }

  /** Follows docs/scale.md: the database, the originals, and a list to verify them. */
  async function dumpAndRestore(data: string, url: string) {
    const work = directory();
    const dump = join(work, "dossier.dump");
    const leaving_out = "--exclude-table-data=core_nodes";
    await postgresProgram("pg_dump", [
      ...["--format=custom", leaving_out, `--file=${dump}`, `--dbname=${url}`],
    ]);
    const list = join(work, "originals.jsonl");
    await mustRun(data, ["backup", "originals", "--to", list], { env: settings(url) });
    const copy = directory();
    cpSync(join(data, "files"), join(copy, "files"), { recursive: true });

    const restored = await newDatabase();
    await postgresProgram("pg_restore", ["--no-owner", `--dbname=${restored}`, dump]);
    const [lost] = filesOf(copy);
    const path = join(copy, "files", lost!.slice(0, 2), lost!);
    renameSync(path, join(work, "lost"));
    const words = ["backup", "originals", "--check", list];
    const { code, stdout } = await runCommand(copy, words, { env: settings(restored) });
    expect([code, stdout]).toEqual([1, `${lost} is missing\n`]);
    renameSync(join(work, "lost"), path);
    expect(await mustRun(copy, words, { env: settings(restored) })).toContain(
      `compared with ${list}: no differences`,
    );
    return { data: copy, url: restored };
  }

  /** Kills the move twice, each time after more rows have arrived. */
  async function killTwice(data: string, url: string): Promise<void> {
    const target = new SQL(url, { max: 1 });
    const arrived = async (): Promise<number> => {
      const rows = await target
        .unsafe("select value from core_move where name = 'table audit_entries'")
        .catch(() => []);
      return rows.length === 0 ? 0 : JSON.parse(rows[0].value).rows;
    };
    for (let kill = 0; kill < 2; kill++) {
      const before = await arrived();
      const moving = Bun.spawn([executable, "migrate-to", url, "--data", data], {
        env: cleanEnvironment(settings()),
        stdout: "ignore",
        stderr: "ignore",
      });
      await until(async () => (await arrived()) > before);
      moving.kill("SIGKILL");
      await moving.exited;
      expect(await arrived()).toBeLessThan(many);
    }
    await target.close();
  }

  /** Cases, each with every problem that must be named. */
  const refusals: [why: string, words: string[], of: () => Promise<[string, string]>][] = [
    [
      "rows that can't be moved, tables that can't be made, and a target that is not empty",
      [
        "1 row of accounts_keys refers to missing rows of accounts_users",
        "core_jobs.priority must be integer, but 1 row has another type",
        "1 row has a core_jobs.id with U+0000",
        "it was written by a newer version of this program (migration 9999_later)",
        "the plugin weather has tables in the source but is not loaded",
        "is not empty: it has notes",
      ],
      async () => {
        const url = await newDatabase();
        await using sql = new SQL(url, { max: 1 });
        await sql.unsafe("create table notes (id text)");
        return [changed(), url];
      },
    ],
    [
      "another collation, and no source",
      ["recreate it", "there is no database in"],
      async () => [directory(), await newDatabase("encoding 'LATIN1' locale 'C'")],
    ],
    [
      "nobody is known by that name",
      ['role "eve" does not exist'],
      async () => [stopped(), (await newDatabase()).replace("postgres@", "eve:wrong@")],
    ],
    [
      "both are directories",
      ["`dossier backup` and `dossier restore`"],
      async () => [stopped(), directory()],
    ],
  ];
  let stopped_data: string | undefined;
  /** A data directory of a stopped server. */
  const stopped = (): string => stopped_data!;
  function changed(): string {
    const data = directory();
    writeFileSync(join(data, "dossier.db"), readFileSync(join(stopped(), "dossier.db")));
    using database = new Database(join(data, "dossier.db"));
    for (const statement of [
      "pragma foreign_keys = off",
      "delete from accounts_users",
      `insert into core_jobs (id, plugin, name, payload, lane, lane_max, priority, state, run_at,
         attempts, attempts_max, created_at)
       values ('a' || char(0), 'p', 'n', '{}', '', 1, 'high', 'ready', 1, 0, 1, 1)`,
      "insert into core_migrations values ('core', '9999_later', 1), ('weather', '0001_all', 1)",
    ])
      database.run(statement);
    return data;
  }
  test("is refused with all problems named at once", async () => {
    stopped_data = directory();
    const server = await startExecutable({ data: stopped_data, env: settings() });
    await server.createUser();
    const busy = await runCommand(stopped_data, ["migrate-to", "postgres://127.0.0.1:1/none"], {});
    expect(busy.stderr).toContain("another server is running on");
    expect(busy.stderr).toContain("can't be reached");
    await server.stop();
    for (const [why, words, of] of refusals) {
      const [data, target] = await of();
      const { code, stderr } = await runCommand(data, ["migrate-to", target], { env: settings() });
      for (const word of words)
        expect([why, stderr, code > 0]).toEqual([why, expect.stringContaining(word), true]);
    }
    const url = await newDatabase();
    await mustRun(stopped_data, ["migrate-to", url], { env: settings() });
    const full = join(directory(), "full");
    mkdirSync(full);
    writeFileSync(join(full, "letter.txt"), "");
    const not_empty = await runCommand(stopped_data, ["migrate-to", full], { env: settings(url) });
    expect(not_empty.stderr).toContain("is not empty: it contains letter.txt");
    expect(existsSync(join(full, "dossier.db"))).toBe(false);
  }, 120_000);
});

async function postgresProgram(name: string, args: readonly string[]): Promise<void> {
  const run = Bun.spawn([join(findPostgres()!, name), ...args], { stderr: "pipe" });
  expect([name, await run.stderr.text(), await run.exited]).toEqual([name, "", 0]);
}

const sumOf = (data: string): string => {
  expect(statSync(join(data, "dossier.db-wal"), { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  return createHash("sha256")
    .update(readFileSync(join(data, "dossier.db")))
    .digest("hex");
};
