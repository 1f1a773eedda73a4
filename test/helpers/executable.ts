/**
 * The built executable as tests use it: a black box with a data directory, a command line and an
 * HTTP API.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildIfStale } from "../../scripts/build";
import {
  createKey,
  launch,
  mustRun,
  runCommand,
  type Launched,
  type Said,
} from "../../scripts/lib/launch";

/**
 * An answer of the API. `body` is parsed JSON, the text of any other type, or undefined when there
 * is none.
 */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

export interface CallOptions {
  /** The API key. Default: the last one `createUser` made; null sends none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Executable extends AsyncDisposable {
  readonly data: string;
  /** Where it serves now; another port after each restart. */
  url(): string;
  pid(): number;
  /** What the running process has written so far. */
  output(): string;
  /** Creates a user and a key through the command line, and answers the key. */
  createUser(email?: string, options?: { readonly role?: "admin" | "member" }): Promise<string>;
  /** Runs a command on the same data directory: `cli(["key", "list", "--user", email])`. */
  cli(args: readonly string[], options?: { readonly stdin?: string }): Promise<Said>;
  /** The same, for a command that must succeed; answers what it printed. */
  mustCli(args: readonly string[], options?: { readonly stdin?: string }): Promise<string>;
  /**
   * Calls the API. A path without `/api/` and other than `/health` lies below `/api/dev/v1`.
   * `body`: a plain object goes as JSON; FormData, strings, bytes and blobs go as they are.
   */
  api(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answered>;
  /** Calls `path` until `done` says so. @throws Error with the last answer after `limit_ms`. */
  until(
    path: string,
    done: (answer: Answered) => boolean,
    options?: CallOptions & { readonly limit_ms?: number },
  ): Promise<Answered>;
  /** Waits until `holds`. @throws Error after `limit_ms`. */
  untilTrue(holds: () => boolean | Promise<boolean>, limit_ms?: number): Promise<void>;
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number>;
  /** SIGKILL, and waits until the process is gone. */
  kill(): Promise<void>;
  /** Starts again on the same directory, after `stop` or `kill` (or stops first). */
  restart(): Promise<void>;
}

export interface ExecutableOptions {
  /** Settings, as environment variables. The rate limit is out of the way unless they set it. */
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Use this directory and leave it there; otherwise a temporary one that goes at the end. */
  readonly data?: string;
  /** Written into the data directory before the start: `{ "plugins/activity.ts": text }`. */
  readonly files?: Readonly<Record<string, string>>;
}

const running = new Set<Launched>();
process.on("exit", () => {
  for (const one of running) one.kill("SIGKILL");
});

/**
 * Builds dist/dossier when it is missing or stale, and starts it on a free port. Use it with `await
 * using`, or call `stop` yourself.
 */
export async function startExecutable({
  env = {},
  args = [],
  data: given,
  files = {},
}: ExecutableOptions = {}): Promise<Executable> {
  await buildIfStale();
  const data = given ?? mkdtempSync(join(tmpdir(), "dossier-test-"));
  for (const [path, text] of Object.entries(files)) await Bun.write(join(data, path), text);
  const settings = { DOSSIER_RATE_LIMIT_REQUESTS: "1000000", ...env };
  let last_key: string | null = null;
  let now = await start();

  async function start(): Promise<Launched> {
    const launched = await launch({ data, env: settings, args });
    running.add(launched);
    void launched.exited.then(() => running.delete(launched));
    return launched;
  }

  const executable: Executable = {
    data,
    url: () => now.url,
    pid: () => now.pid,
    output: () => now.output(),
    async createUser(email = "ada@example.com", options = {}) {
      last_key = await createKey(data, email, options);
      return last_key;
    },
    cli: (words, options) => runCommand(data, words, { env: settings, ...options }),
    mustCli: (words, options) => mustRun(data, words, { env: settings, ...options }),
    api: (method, path, body, { key = last_key, headers = {} } = {}) =>
      call(now.url, method, path, body, key, headers),
    async until(path, done, { limit_ms = 20_000, ...options } = {}) {
      const deadline = performance.now() + limit_ms;
      for (;;) {
        const answer = await executable.api("GET", path, undefined, options);
        if (done(answer)) return answer;
        if (performance.now() > deadline)
          throw new Error(
            `GET ${path} was still ${answer.status} ${JSON.stringify(answer.body)} after ${limit_ms} ms`,
          );
        await Bun.sleep(20);
      }
    },
    async untilTrue(holds, limit_ms = 20_000) {
      const deadline = performance.now() + limit_ms;
      while (!(await holds())) {
        if (performance.now() > deadline)
          throw new Error(
            `what was waited for did not happen within ${limit_ms} ms: ${holds.toString()}`,
          );
        await Bun.sleep(20);
      }
    },
    async stop() {
      now.kill("SIGTERM");
      return now.exited;
    },
    async kill() {
      now.kill("SIGKILL");
      await now.exited;
    },
    async restart() {
      await executable.stop();
      now = await start();
    },
    async [Symbol.asyncDispose]() {
      await executable.kill();
      if (given === undefined) rmSync(data, { recursive: true, force: true });
    },
  };
  return executable;
}

async function call(
  base: string,
  method: string,
  path: string,
  body: unknown,
  key: string | null,
  headers: Readonly<Record<string, string>>,
): Promise<Answered> {
  const plain =
    body !== undefined &&
    (body === null ||
      typeof body !== "object" ||
      Array.isArray(body) ||
      Object.getPrototypeOf(body) === Object.prototype) &&
    typeof body !== "string";
  const response = await fetch(
    `${base}${path === "/health" || path.startsWith("/api/") ? "" : "/api/dev/v1"}${path}`,
    {
      method,
      redirect: "manual",
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(plain ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: plain ? JSON.stringify(body) : (body as NonNullable<RequestInit["body"]>) }),
    },
  );
  const text = await response.text();
  const json = /^application\/([\w.+-]*\+)?json\b/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : json ? JSON.parse(text) : text,
  };
}
