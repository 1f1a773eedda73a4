/**
 * The built executable for tests: a black box with a data directory, a command line and an HTTP
 * API.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { buildIfStale } from "../../scripts/build";
import {
  createKey,
  launch,
  mustRun,
  runCommand,
  type Launched,
  type CommandResult,
} from "../../scripts/lib/launch";
import { addExample } from "./workbench";
import { temporaryDirectory } from "./data-directory";
import {
  createDatabase,
  databaseUrlOf,
  dropDatabase,
  hasDatabase,
  on_postgres,
  processes,
} from "./databases";
import { Pauses } from "./pauses";
import { addUser, prepareDatabase } from "./prepared-data";
import {
  answerOf,
  callOf,
  settingsOf,
  type Answered,
  type ApiServer,
  type StartOptions,
} from "./server";
import { directoriesOf, launchGroup, groupSettings } from "./process-group";

/** What is sent besides a body. */
export interface CallOptions {
  /** The API key. Default: that of the last user created; null sends none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A process of the executable; it can be killed and restarted. */
export interface Executable extends ApiServer {
  /** Its current address; the port changes with each restart. */
  url(): string;
  pid(): number;
  /** The output of the running process so far. */
  output(): string;
  /** Creates a user and a key while the server runs, and returns the key. */
  createUser(email?: string, options?: { readonly role?: "admin" | "member" }): Promise<string>;
  /** Runs a command on the same data directory: `cli(["key", "list", "--user", email])`. */
  cli(args: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** The same, for a command that must succeed; returns its output. */
  mustCli(args: readonly string[], options?: CommandOptions): Promise<string>;
  /** The same as `send`, with the key of a command line instead of a person's. */
  api(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answered>;
  /** Polls `path` until `done`. @throws Error with the last response after `limit_ms`. */
  until(
    path: string,
    isDone: (answer: Answered) => boolean,
    options?: CallOptions & { readonly limit_ms?: number },
  ): Promise<Answered>;
  /** Waits until `holds`. @throws Error after `limit_ms`. */
  untilTrue(condition: () => boolean | Promise<boolean>, limit_ms?: number): Promise<void>;
  /** SIGTERM; returns the exit code. */
  stop(): Promise<number>;
  /** SIGKILL, and waits until the process is gone. */
  kill(): Promise<void>;
  /** Starts again on the same directory, after `stop` or `kill` (or stops first). */
  restart(): Promise<void>;
}

interface CommandOptions {
  readonly stdin?: string;
  /** Replaces the server's settings. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How the executable is started. */
export interface ExecutableOptions extends StartOptions {
  readonly args?: readonly string[];
  /** Uses this directory and keeps it; by default a temporary one is deleted at the end. */
  readonly data?: string;
  /** Written into the data directory before the start: `{ "plugins/activity.ts": text }`. */
  readonly files?: Readonly<Record<string, string>>;
  /** A plugin of `examples/`, packed and added before the start. */
  readonly example?: string;
}

/** What `callOf` takes after the key. */
type CallArguments = Parameters<typeof callOf> extends [unknown, ...infer Rest] ? Rest : never;

/** With one of these settings, which define how it listens, a server is a single process. */
const single_process_settings = ["DOSSIER_SERVER_SOCKET", "DOSSIER_SERVER_TLS_CERT"];

const running = new Set<Launched>();
process.on("exit", () => {
  for (const server of running) server.kill("SIGKILL");
});

/**
 * Builds dist/dossier if it is missing or stale, and starts it on a free port. Use it with `await
 * using`, or call `stop` yourself.
 */
export async function startExecutable({
  env = {},
  args = [],
  data: given_directory,
  files = {},
  example,
}: ExecutableOptions = {}): Promise<Executable> {
  await buildIfStale();
  const data = given_directory ?? temporaryDirectory();
  for (const [path, text] of Object.entries(files)) await Bun.write(join(data, path), text);
  const has_database = on_postgres && !("DOSSIER_DATABASE_URL" in env);
  const usesOwnDatabase = async (): Promise<boolean> =>
    !("DOSSIER_DATABASE_URL" in env) &&
    [undefined, on_postgres && databaseUrlOf(data)].includes(await namedDatabase(data));
  if (given_directory === undefined && (await usesOwnDatabase())) await prepareDatabase(data);
  if (has_database) await ensureDatabase(data);
  if (example !== undefined) await addExample(example, data);
  const is_several =
    has_database && processes > 1 && !single_process_settings.some((name) => name in env);
  const settings = { ...(is_several && groupSettings(data)), ...settingsOf(env) };
  let last_key: string | null = null;
  let server_process = await start();

  async function start(): Promise<Launched> {
    const launched = await (is_several
      ? launchGroup({ data, env: settings, args }, processes)
      : launch({ data, env: settings, args }));
    running.add(launched);
    void launched.exited.then(() => running.delete(launched));
    return launched;
  }

  const createUser = async (email: string, role: "admin" | "member" = "member"): Promise<string> =>
    (await usesOwnDatabase()) ? addUser(data, email, role) : createKey(data, email, { role });
  const request = (key: string | null, ...sent: CallArguments): Promise<Response> => {
    const { path, init } = callOf(key, ...sent);
    // A separate connection per request, where each goes to another process.
    return fetch(
      `${server_process.url}${path}`,
      processes > 1 ? { ...init, keepalive: false } : init,
    );
  };
  const keys = new Map<string, Promise<string>>();
  const executable: Executable = {
    data,
    async key(who) {
      const creation = keys.get(who) ?? createUser(`${who}@example.com`);
      keys.set(who, creation);
      last_key = await creation;
      return creation;
    },
    async newKey(who, scopes = ["read", "write"]) {
      await executable.key(who);
      const user = `${who}@example.com`;
      const options = ["--scopes", scopes.join(",")];
      return mustRun(data, ["key", "create", "--user", user, "--name", "test", ...options]);
    },
    call: async (who, method, path, body, headers = {}) =>
      request(who === null ? null : await executable.key(who), method, path, body, headers),
    send: async (...sent) => answerOf(await executable.call(...sent)),
    url: () => server_process.url,
    pid: () => server_process.pid,
    output: () => server_process.output(),
    async createUser(email = "ada@example.com", options = {}) {
      last_key = await createUser(email, options.role);
      return last_key;
    },
    cli: (words, options) => runCommand(data, words, { env: settings, ...options }),
    mustCli: (words, options) => mustRun(data, words, { env: settings, ...options }),
    api: async (method, path, body, { key = last_key, headers = {} } = {}) =>
      answerOf(await request(key, method, path, body, headers)),
    async until(path, isDone, { limit_ms = 45_000, ...options } = {}) {
      const deadline = performance.now() + limit_ms;
      const pauses = new Pauses();
      for (;;) {
        const answer = await executable.api("GET", path, undefined, options);
        if (isDone(answer)) return answer;
        if (performance.now() > deadline)
          throw new Error(
            `GET ${path} was still ${answer.status} ${JSON.stringify(answer.body)} after ${limit_ms} ms`,
          );
        await pauses.next();
      }
    },
    async untilTrue(condition, limit_ms = 45_000) {
      const deadline = performance.now() + limit_ms;
      const pauses = new Pauses();
      while (!(await condition())) {
        if (performance.now() > deadline)
          throw new Error(
            `what was waited for did not happen within ${limit_ms} ms: ${condition.toString()}`,
          );
        await pauses.next();
      }
    },
    async stop() {
      server_process.kill("SIGTERM");
      return server_process.exited;
    },
    async kill() {
      server_process.kill("SIGKILL");
      await server_process.exited;
    },
    async restart() {
      await executable.stop();
      server_process = await start();
    },
    async [Symbol.asyncDispose]() {
      await executable.kill();
      if (given_directory !== undefined) return;
      for (const directory of directoriesOf(data, processes))
        rmSync(directory, { recursive: true, force: true });
      if (has_database) await dropDatabase(data);
    },
  };
  return executable;
}

/** The database address in a directory's settings. */
async function namedDatabase(data: string): Promise<string | undefined> {
  const file = Bun.file(join(data, "dossier.toml"));
  if (!(await file.exists())) return undefined;
  const { database } = Bun.TOML.parse(await file.text()) as { database?: { url?: string } };
  return database?.url;
}

/**
 * A PostgreSQL database for this directory, created empty if necessary. The directory's settings
 * name it from then on, for the server and for commands.
 */
async function ensureDatabase(data: string): Promise<void> {
  if ((await namedDatabase(data)) !== undefined) return;
  const file = Bun.file(join(data, "dossier.toml"));
  const text = (await file.exists()) ? await file.text() : "";
  if (!(await hasDatabase(data))) await createDatabase(data);
  await Bun.write(file, `${text}\n[database]\nurl = "${databaseUrlOf(data)}"\nconnections = 4\n`);
}
