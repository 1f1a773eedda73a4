/**
 * `dossier plugin add`, `remove`, `enable`, `disable` and `info` on the executable, while a server
 * runs on the directory and after its restart.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../helpers/data-directory";
import { queryDatabase, columnsIn } from "../helpers/databases";
import { startExecutable, type Executable } from "../helpers/executable";
import { selfSigned } from "../helpers/self-signed";

const notes = (version: string, more = "") => `
import { definePlugin, every, handle, job, route, Secret, t } from "dossier";
const Tidy = job("notes.tidy", t.Object({}));
export default definePlugin({
  name: "notes",
  version: "${version}",
  config: t.Object({ colour: t.Optional(t.String({ description: "Of the paper." })), token: t.Optional(Secret()) }),
  tables: ["notes", "notes_pages"],
  migrations: [{ id: "0001", up: async (tx) => {
    await tx.schema.createTable("notes").addColumn("id", "text", (c) => c.primaryKey()).execute();
    await tx.schema.createTable("notes_pages").addColumn("note", "text", (c) => c.references("notes.id")).execute();
    await tx.insertInto("notes").values({ id: "one" }).execute();
    await tx.insertInto("notes_pages").values({ note: "one" }).execute();
  } }],
  routes: { version: route.get("/notes/version", { summary: "Which", tag: "Notes", operation: "getNotesVersion", answers: { 200: { description: "It." } } }) },
  setup: ({ db, enqueue }) => ({
    routes: { version: () => ({ version: "${version}" }) },
    jobs: [handle(Tidy, async () => {}, { attempts_max: 1, timeout_ms: 1_000 })],
    schedules: [every("17 3 * * *", Tidy, {})],
    start: () => enqueue(db, Tidy, {}),
  }),
});
${more}`;
const plain = (name: string, rest = "setup: () => ({})") =>
  `import { definePlugin, t } from "dossier"; export default definePlugin({ name: "${name}", version: "1.0.0", ${rest} });`;
const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");

const sources = temporaryDirectory();
const source = (name: string, text: string): string => {
  writeFileSync(join(sources, name), text);
  return join(sources, name);
};
const limit_ms = 120_000;

let dossier: Executable;
let site: Bun.Server<undefined>;
const at = () => `https://127.0.0.1:${site.port}`;
beforeAll(async () => {
  const certificate = await selfSigned("localhost");
  const fetched = plain("fetched");
  site = Bun.serve({
    port: 0,
    tls: certificate,
    routes: {
      "/fetched.js": () => new Response(fetched),
      "/moved": () => Response.redirect("/fetched.js", 302),
      "/plain": () => Response.redirect("http://127.0.0.1/x.js", 302),
    },
    fetch: () => new Response(null, { status: 404 }),
  });
  dossier = await startExecutable({
    files: {
      // Its name only starts with the other plugin's name, so its tables must stay.
      "plugins/notes-archive.ts": plain(
        "notes-archive",
        `tables: ["notes_archive"], migrations: [{ id: "0001", up: (tx) =>
          tx.schema.createTable("notes_archive").addColumn("id", "text").execute() }], setup: () => ({})`,
      ),
    },
    env: {
      DOSSIER_PLUGINS_ALLOW_NETWORKS: "127.0.0.0/8",
      NODE_EXTRA_CA_CERTS: source("root.pem", certificate.cert),
    },
  });
  await dossier.createUser("ada@example.com");
}, limit_ms);
afterAll(async () => {
  await dossier?.[Symbol.asyncDispose]();
  await site?.stop(true);
});

const plugins = () => readdirSync(join(dossier.data, "plugins")).sort();
const info = async (name: string) =>
  JSON.parse(await dossier.mustCli(["plugin", "info", name, "--json"]));
const count = async (query: string): Promise<number> =>
  (await queryDatabase<{ n: number }>(dossier.data, query))[0]!.n;

describe("`dossier plugin add` refuses", () => {
  const refused: [reason: string, words: () => string[], said: RegExp, code: number][] = [
    ["a missing file", () => ["nowhere.ts"], /nowhere\.ts can't be read/, 2],
    [
      "a file that can't be parsed",
      () => [source("torn.ts", "export default {")],
      /torn\.ts can't be added: .*line 1/,
      1,
    ],
    ["no plugin", () => [source("five.ts", "export default 5;")], /not made by definePlugin/, 1],
    [
      "a plugin that ends the process during set-up",
      () => [source("ends.ts", plain("ends", "setup: () => process.exit(3)"))],
      /ends\.ts can't be added: .*ended the process/,
      1,
    ],
    [
      "a plugin that imports a neighbouring file",
      () => [source("two.ts", `import "./five"; ${plain("two")}`)],
      /two\.ts can't be added: .*five.*one file/,
      1,
    ],
    [
      "the name of a built-in plugin",
      () => [source("own.ts", plain("folders"))],
      /has the name of the built-in plugin folders/,
      1,
    ],
    [
      "the name of an installed plugin",
      () => [source("again.ts", plain("notes-archive"))],
      /plugin notes-archive 1\.0\.0 is already.*--replace/,
      1,
    ],
    [
      "a file with another SHA-256",
      () => [source("other.ts", plain("other")), "--sha256", sha256("x")],
      /SHA-256: it is [0-9a-f]{64}, not/,
      1,
    ],
    ["a URL without --sha256", () => [`${at()}/fetched.js`], /An address needs --sha256/, 2],
    [
      "a URL without https",
      () => ["http://127.0.0.1/x.js", "--sha256", sha256("x")],
      /only be downloaded over https/,
      1,
    ],
    [
      "a URL that redirects away from https",
      () => [`${at()}/plain`, "--sha256", sha256("x")],
      /only be downloaded over https/,
      1,
    ],
    [
      "a URL that answers 404",
      () => [`${at()}/nothing.js`, "--sha256", sha256("x")],
      /responded with status 404/,
      1,
    ],
  ];
  test.each(refused)(
    "%s",
    async (_, words, message, code) => {
      const answer = await dossier.cli(["plugin", "add", ...words()]);
      expect(answer.stderr).toMatch(message);
      expect(answer.code).toBe(code);
      expect(plugins()).toEqual(["notes-archive.ts"]);
    },
    limit_ms,
  );
  test(
    "a URL on this machine when its network isn't allowed",
    async () => {
      const words = ["plugin", "add", `${at()}/fetched.js`, "--sha256", sha256("x")];
      const answer = await dossier.cli(words, { env: {} });
      expect(answer.stderr).toMatch(/local, private or reserved/);
    },
    limit_ms,
  );
});

test(
  "a plugin is downloaded through a redirect if its SHA-256 matches",
  async () => {
    const words = ["plugin", "add", `${at()}/moved`, "--sha256", sha256(plain("fetched"))];
    expect(await dossier.mustCli(words)).toContain("Added fetched 1.0.0 as");
    expect(plugins()).toEqual(["fetched.js", "notes-archive.ts"]);
    expect(await dossier.mustCli(["plugin", "remove", "fetched"])).toContain("Removed ");
    expect(plugins()).toEqual(["notes-archive.ts"]);
  },
  limit_ms,
);

test(
  "a plugin is added beside a running server and loaded after a restart",
  async () => {
    const output = await dossier.mustCli(["plugin", "add", source("n.ts", notes("1.0.0"))]);
    expect(output).toContain("Added notes 1.0.0 as");
    expect(output).toContain("it then loads it");
    expect(plugins()).toEqual(["notes-archive.ts", "notes.ts"]);
    expect(await info("notes")).toMatchObject({ status: "not_loaded", next_start: "added" });
    // Adding the same file again is allowed, so that scripts can be run twice.
    await dossier.mustCli(["plugin", "add", source("n.ts", notes("1.0.0"))]);
    await dossier.mustCli(["config", "set", "notes.colour", "blue"]);
    await dossier.restart();
    expect((await dossier.api("GET", "/notes/version")).body).toEqual({ version: "1.0.0" });
    expect(await info("notes")).toMatchObject({
      status: "loaded",
      next_start: null,
      version: "1.0.0",
      sha256: sha256(notes("1.0.0")),
      tables: [
        { name: "notes", rows: 1 },
        { name: "notes_pages", rows: 1 },
      ],
      made_of: {
        routes: [{ method: "GET", path: "/api/dev/v1/notes/version", summary: "Which" }],
        jobs: ["notes.tidy"],
        schedules: [{ cron: "17 3 * * *", job: "notes.tidy" }],
      },
    });
    const lines = await dossier.mustCli(["plugin", "info", "notes"]);
    expect(lines).toMatch(/tables: +notes {2}1 row\n +notes_pages {2}1 row/);
    expect(lines).toMatch(/notes\.colour {2}blue {2}\(stored\)/);
  },
  limit_ms,
);

test(
  "an update replaces the installed version",
  async () => {
    const update = source(
      "notes-2.js",
      notes("2.0.0").replace(", token: t.Optional(Secret())", ""),
    );
    const output = await dossier.mustCli(["plugin", "add", update, "--replace"]);
    expect(output).toContain("replacing 1.0.0");
    expect(plugins()).toEqual(["notes-archive.ts", "notes.js"]);
    expect((await dossier.api("GET", "/notes/version")).body).toEqual({ version: "1.0.0" });
    await dossier.restart();
    expect((await dossier.api("GET", "/notes/version")).body).toEqual({ version: "2.0.0" });
  },
  limit_ms,
);

test(
  "plugins can be disabled and enabled, except those that others need",
  async () => {
    await dossier.mustCli(["plugin", "disable", "notes"]);
    await dossier.mustCli(["plugin", "disable", "rate-limit"]);
    expect(await info("rate-limit")).toMatchObject({ next_start: null, status: "disabled" });
    await dossier.restart();
    expect((await dossier.api("GET", "/notes/version")).status).toBe(404);
    await dossier.mustCli(["plugin", "enable", "notes"]);
    await dossier.mustCli(["plugin", "enable", "rate-limit"]);
    await dossier.restart();
    expect((await dossier.api("GET", "/notes/version")).status).toBe(200);
    const needed = await dossier.cli(["plugin", "disable", "folders"]);
    expect([needed.code, needed.stderr]).toEqual([
      1,
      expect.stringMatching(/folders can't be disabled: .*documents.* need it/),
    ]);
    const unknown = await dossier.cli(["plugin", "disable", "nothing"]);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("plugin nothing")]);
  },
  limit_ms,
);

test(
  "a plugin's data is deleted only by a purge, and only when no server has it loaded",
  async () => {
    const built_in = await dossier.cli(["plugin", "remove", "folders", "--purge", "--yes"]);
    expect(built_in.stderr).toContain("folders is built in");
    const loaded = await dossier.cli(["plugin", "remove", "notes", "--purge", "--yes"]);
    expect(loaded.stderr).toContain("The running server has notes loaded");
    await dossier.mustCli(["plugin", "remove", "notes"]);
    expect(plugins()).toEqual(["notes-archive.ts"]);
    await dossier.restart();
    expect(await count("select count(*) as n from notes_pages")).toBe(1);
    const unsure = await dossier.cli(["plugin", "remove", "notes", "--purge"], { stdin: "no\n" });
    expect([unsure.code, unsure.stderr]).toEqual([
      1,
      expect.stringMatching(/the table notes with 1 row.*the settings notes\.colour/s),
    ]);
    expect(await count("select count(*) as n from notes_pages")).toBe(1);
    await dossier.mustCli(["plugin", "remove", "notes", "--purge"], { stdin: "y\n" });
    const left =
      "select (select count(*) from core_jobs where plugin = 'notes') + (select count(*) from " +
      "core_migrations where plugin = 'notes') + (select count(*) from core_settings where " +
      "setting like 'notes.%') as n";
    expect(await count(left)).toBe(0);
    const tables = new Set((await columnsIn(dossier.data)).map(({ table }) => table));
    expect([...tables].filter((name) => name.startsWith("notes"))).toEqual(["notes_archive"]);
    expect(await count("select count(*) as n from notes_archive")).toBe(0);
    const repeated = await dossier.cli(["plugin", "remove", "notes", "--purge"]);
    expect(repeated.stderr).toContain("There is no plugin notes, and no data of one");
  },
  limit_ms,
);

test(
  "removing a plugin deletes its own directory, and the audit log has the changes",
  async () => {
    mkdirSync(join(dossier.data, "plugins/wide"));
    writeFileSync(join(dossier.data, "plugins/wide/plugin.ts"), plain("wide"));
    await dossier.mustCli(["plugin", "remove", "wide"]);
    expect(existsSync(join(dossier.data, "plugins/wide"))).toBe(false);
    const output = (
      await queryDatabase<{ what: string | null }>(
        dossier.data,
        "select action || ' ' || record as what from audit_entries",
      )
    ).map(({ what }) => what);
    for (const entry of ["plugin add notes", "plugin disable notes", "plugin remove notes"])
      expect(output.some((text) => text?.includes(entry))).toBe(true);
  },
  limit_ms,
);
