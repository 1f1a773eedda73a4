/**
 * A whole server in this process, on its own data directory: what `dossier serve` runs, without the
 * port.
 */
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll } from "bun:test";
import { jsonLog } from "../../core/base/log";
import { createApplication } from "../../core/cli/application";
import { assemble, type Assembled } from "../../core/cli/assembly";
import { bootstrap } from "../../core/cli/bootstrap";
import { openDataDirectory } from "../../core/cli/data-directory";
import { ChildPool } from "../../core/isolate/pool";
import { definePlugin, type Plugin } from "../../core/plugin/contract";
import { installModules } from "../../core/plugin/loader";
import * as sdk from "../../core/sdk";
import { Accounts } from "../../plugins/accounts/contract";
import { builtIn } from "../../plugins/built-in";
import * as contracts from "../../plugins/contracts";
import { createDatabase, databaseUrlOf, dropDatabase, on_postgres } from "./databases";
import { addReserveFile, temporaryDirectory } from "./data-directory";
import { originalsOf } from "./originals-place";
import { Pauses } from "./pauses";
import { child_command } from "./plugins-child";
import { answerOf, callOf, settingsOf, type ApiServer, type StartOptions } from "./server";

hashCheaply();
installModules({ dossier: sdk, "dossier/contracts": contracts });

type Store = Assembled["store"];
type Env = NonNullable<StartOptions["env"]>;

/** A server whose parts a test can reach. */
export interface TestServer extends ApiServer {
  /** The unmodified request, at any path of the server. */
  fetch(request: Request, address?: string): Promise<Response>;
  /** Waits until no job is waiting or running, except jobs of this name. */
  settle(but?: string): Promise<void>;
  readonly accounts: Accounts;
  readonly store: Store;
  readonly host: Assembled["host"];
  readonly files: Assembled["files"];
  stop(): Promise<void>;
}
/** How the server is assembled. */
export interface TestServerOptions extends StartOptions {
  /** In addition to the built-in plugins. */
  readonly plugins?: readonly Plugin[];
  readonly data?: string;
  /** The server's public address. */
  readonly public_url?: string;
}

/** Running servers, and the test file that started each. */
const running = new Map<TestServer, string>();
afterAll(() => stopAll());
// When several files run together, this module is shared, but its `afterAll` belongs to the first
// of them.
process.on("exit", () => {
  for (const { data } of running.keys()) rmSync(data, { recursive: true, force: true });
});

/** Stops every server, or those started by other files than this one. */
async function stopAll(but?: string): Promise<void> {
  for (const [server, file] of running) if (file !== but) await server.stop();
}

/** The user id of a person is `usr_` and their name. */
export async function startTestServer({
  env = {},
  plugins = [],
  public_url = "http://dossier.test",
  data: given_directory,
}: TestServerOptions = {}): Promise<TestServer> {
  await stopAll(Bun.main);
  const data = given_directory ?? (await newDirectory());
  const database = await databaseOf(data);
  let accounts!: Accounts;
  const people = definePlugin({
    name: "people",
    version: "1.0.0",
    needs: { accounts: Accounts },
    setup: ({ services }) => {
      accounts = services.accounts;
      return {};
    },
  });
  const built_in = [...builtIn, people, ...plugins, ...(await pluginsIn(env))];
  const boot = await bootstrap({
    flags: { "server.data": data },
    env: { ...(await originalsOf(data)), ...settingsOf(env), ...database },
    built_in,
    preflight_command: null,
    try_out_command: [process.execPath, join(import.meta.dir, "../../core/main.ts"), "__preflight"],
    log_level: "error",
  });
  openDataDirectory(data);
  const assembled = await assemble(boot, built_in, pool.run, () => public_url);
  const { host, store, files } = assembled;
  const stopping = new AbortController();
  const gateway = createApplication(host, boot, stopping.signal, () => public_url);
  await host.start();
  host.startSchedules();
  const keys = new Map<string, Promise<string>>();
  const key = (who: string): Promise<string> => {
    const creation = keys.get(who) ?? createUser(store, accounts, who);
    keys.set(who, creation);
    return creation;
  };
  const call: TestServer["call"] = async (who, method, path, body, headers = {}) => {
    const sent = callOf(who === null ? null : await key(who), method, path, body, headers);
    const request = new Request(`http://dossier.test${sent.path}`, sent.init);
    // As network clients do for a complete body.
    if (typeof sent.init.body === "string" && !request.headers.has("content-length"))
      request.headers.set("content-length", String(Buffer.byteLength(sent.init.body)));
    return gateway.handle(request, { address: "127.0.0.1", via: "tcp" });
  };
  const server: TestServer = {
    data,
    key,
    async newKey(who, scopes) {
      await key(who);
      return (await accounts.createKey(`usr_${who}`, { name: "test", scopes })).token;
    },
    call,
    send: async (...sent) => answerOf(await call(...sent)),
    fetch: (request, address = "127.0.0.1") => gateway.handle(request, { address, via: "tcp" }),
    accounts,
    store,
    host,
    files,
    settle: (but = "") => settle(store, but),
    async stop() {
      if (!running.delete(server)) return;
      stopping.abort();
      await host.stop(2_000);
      await assembled.close();
      rmSync(data, { recursive: true, force: true });
      if (on_postgres) await dropDatabase(data);
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
  running.set(server, Bun.main);
  return server;
}

/** One pool for every server of this process, so that child processes are reused. */
const pool = new ChildPool({
  command: child_command,
  log: jsonLog("error", (line) => console.error(line)),
});
process.on("exit", () => pool.stop());

/** A database with all tables of the built-in plugins and no rows: the template for all servers. */
let template: Promise<Uint8Array> | undefined;

async function createTemplate(): Promise<Uint8Array> {
  const data = temporaryDirectory();
  const boot = await bootstrap({
    flags: { "server.data": data },
    env: {},
    built_in: builtIn,
    preflight_command: null,
    log_level: "error",
  });
  const { close } = await assemble(boot, builtIn, pool.run, () => "http://dossier.test");
  await close();
  const bytes = readFileSync(join(data, "dossier.db"));
  rmSync(data, { recursive: true });
  return bytes;
}

/** On PostgreSQL: the template database. */
let template_database: Promise<string> | undefined;

async function createTemplateDatabase(): Promise<string> {
  const data = temporaryDirectory();
  const boot = await bootstrap({
    flags: { "server.data": data },
    env: { DOSSIER_DATABASE_URL: await createDatabase(data) },
    built_in: builtIn,
    preflight_command: null,
    log_level: "error",
  });
  const { close } = await assemble(boot, builtIn, pool.run, () => "http://dossier.test");
  await close();
  return data;
}

/** The setting with the address of a directory's database, which is created if necessary. */
async function databaseOf(data: string): Promise<Env> {
  if (!on_postgres) return {};
  template_database ??= createTemplateDatabase();
  // It contains the key that seals the server's secrets.
  if (!existsSync(join(data, "secret.key")))
    copyFileSync(join(await template_database, "secret.key"), join(data, "secret.key"));
  // A server restarted on its directory finds its database again.
  await createDatabase(data, await template_database).catch((error: { errno?: string }) => {
    if (error.errno !== "42P04") throw error;
  });
  return { DOSSIER_DATABASE_URL: databaseUrlOf(data), DOSSIER_DATABASE_CONNECTIONS: "4" };
}

/** A data directory with its tables. */
async function newDirectory(): Promise<string> {
  const data = temporaryDirectory();
  if (on_postgres) return data;
  template ??= createTemplate();
  writeFileSync(join(data, "dossier.db"), await template);
  addReserveFile(data);
  return data;
}

/** The plugins of the configured directory, loaded without a trial start. */
async function pluginsIn({ DOSSIER_PLUGINS_DIRECTORY: directory }: Env): Promise<Plugin[]> {
  if (directory === undefined) return [];
  const modules = readdirSync(directory)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => import(join(directory, name)) as Promise<{ default: Plugin }>);
  return (await Promise.all(modules)).map((module) => module.default);
}

/**
 * A user with a key. The row is written directly, because hashing a password for each person of
 * each test would take most of the time.
 */
async function createUser({ db }: Store, accounts: Accounts, who: string): Promise<string> {
  const id = `usr_${who}`;
  await db
    .insertInto("accounts_users")
    .values({
      id,
      email: `${who}@dossier.test`,
      email_folded: `${who}@dossier.test`,
      role: "member",
      password_hash: "none",
      active: 1,
      created_at: Date.now(),
    })
    .execute();
  return (await accounts.createKey(id, { name: "test" })).token;
}

async function settle({ db }: Store, but: string): Promise<void> {
  const pauses = new Pauses();
  for (;;) {
    const waiting = await db
      .selectFrom("core_jobs")
      .select("id")
      .where("state", "in", ["ready", "running"])
      .where("run_at", "<=", Date.now() + 60_000)
      .where("name", "!=", but)
      .limit(1)
      .execute();
    if (waiting.length === 0) return;
    await pauses.next();
  }
}

/**
 * Uses the cheapest parameters of argon2id, in files of test/http, whose passwords need no
 * protection. Other files may run in the same process afterwards.
 */
function hashCheaply(): void {
  const { hash } = Bun.password;
  Bun.password.hash = (password, algorithm) =>
    hash(
      password,
      Bun.main.includes("/test/http/") &&
        typeof algorithm === "object" &&
        algorithm.algorithm !== "bcrypt"
        ? { ...algorithm, memoryCost: 8, timeCost: 1 }
        : algorithm,
    );
}
