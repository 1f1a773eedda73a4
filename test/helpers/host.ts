/**
 * A whole server in this process, on a data directory of its own: what `dossier serve` runs,
 * without the port.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "bun:test";
import { createApplication } from "../../core/cli/application";
import { assemble } from "../../core/cli/assembly";
import { bootstrap } from "../../core/cli/bootstrap";
import { openDataDirectory } from "../../core/cli/data-directory";
import { ChildPool } from "../../core/isolate/pool";
import { definePlugin, type Plugin } from "../../core/plugin/define";
import { installModules } from "../../core/plugin/load";
import * as sdk from "../../core/sdk";
import { Accounts } from "../../plugins/accounts/contract";
import { builtIn } from "../../plugins/built-in";
import * as contracts from "../../plugins/contracts";

installModules({ dossier: sdk, "dossier/contracts": contracts });

export interface Answered {
  readonly status: number;
  readonly body: any;
  readonly text: string;
  readonly headers: Headers;
}
export interface TestServer {
  /**
   * `send("ada", "POST", "/folders", { name: "Reports" })`: people have names; each is a user with
   * a key of its own. `null` sends no key. `//health` is a path at the root.
   */
  send(
    who: string | null,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answered>;
  /** The same with a raw body. */
  sendRaw(
    who: string | null,
    method: string,
    path: string,
    body: string | Uint8Array | ReadableStream | FormData | Blob | null,
    headers?: Record<string, string>,
  ): Promise<Answered>;
  /** The request as it is, at any path of the server. */
  fetch(request: Request, address?: string): Promise<Response>;
  /** Waits until no job is waiting or running. */
  settle(): Promise<void>;
  /** The API key of a person; their user id is `usr_` and the name. */
  key(who: string): Promise<string>;
  readonly accounts: Accounts;
  readonly store: Awaited<ReturnType<typeof assemble>>["store"];
  readonly host: Awaited<ReturnType<typeof assemble>>["host"];
  readonly files: Awaited<ReturnType<typeof assemble>>["files"];
  readonly data: string;
  stop(): Promise<void>;
}
export interface TestServerOptions {
  /** As environment variables: `{ DOSSIER_QUOTAS_FOLDERS: "2" }`. */
  readonly env?: Record<string, string>;
  /** Beside the built-in plugins. */
  readonly plugins?: readonly Plugin[];
  readonly data?: string;
  /** The address that people reach the server by. */
  readonly public_url?: string;
}

const running = new Set<TestServer>();
afterAll(async () => {
  for (const server of running) await server.stop();
});
// A run of several files shares this module, and its `afterAll` belongs to the first of them alone.
process.on("exit", () => {
  for (const server of running) rmSync(server.data, { recursive: true, force: true });
});

export async function startTestServer({
  env = {},
  plugins = [],
  public_url = "http://dossier.test",
  data = mkdtempSync(join(tmpdir(), "dossier-test-")),
}: TestServerOptions = {}): Promise<TestServer> {
  const people = definePlugin({
    name: "people",
    version: "1.0.0",
    needs: { accounts: Accounts },
    setup: ({ services }) => {
      accounts = services.accounts;
      return {};
    },
  });
  let accounts!: Accounts;
  const built_in = [...builtIn, people, ...plugins];
  const boot = await bootstrap({
    flags: { "server.data": data },
    env: { DOSSIER_RATE_LIMIT_REQUESTS: "1000000", ...env },
    built_in,
    preflight_command: null,
    log_level: "error",
  });
  openDataDirectory(data);
  const isolate = new ChildPool({
    command: [process.execPath, join(import.meta.dir, "../../core/main.ts"), "__task"],
    log: boot.log,
  });
  const assembled = await assemble(boot, built_in, isolate.run, () => public_url);
  const stopping = new AbortController();
  const gateway = createApplication(assembled.host, boot, stopping.signal, () => public_url);
  await assembled.host.start();
  const fetch = (request: Request, address = "127.0.0.1") => gateway.handle(request, address);
  const keys = new Map<string, Promise<string>>();
  // The row is written directly: hashing a password for each person of each test would take most of
  // the time.
  const makeKey = async (who: string): Promise<string> => {
    const id = `usr_${who}`;
    await assembled.store.db
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
  };
  const keyOf = (who: string): Promise<string> => {
    const made = keys.get(who) ?? makeKey(who);
    keys.set(who, made);
    return made;
  };
  const sendRaw: TestServer["sendRaw"] = async (who, method, path, body, headers = {}) => {
    const at = path.startsWith("//")
      ? path.slice(1)
      : path.startsWith("/api/")
        ? path
        : `/api/dev/v1${path}`;
    const response = await fetch(
      new Request(`http://dossier.test${at}`, {
        method,
        body,
        headers: {
          ...(who === null ? {} : { authorization: `Bearer ${await keyOf(who)}` }),
          ...headers,
        },
      }),
    );
    const text = await response.text();
    const json = /json/.test(response.headers.get("content-type") ?? "");
    return {
      status: response.status,
      body: json && text !== "" ? JSON.parse(text) : null,
      text,
      headers: response.headers,
    };
  };
  const server: TestServer = {
    fetch,
    sendRaw,
    key: keyOf,
    accounts,
    store: assembled.store,
    host: assembled.host,
    files: assembled.files,
    data,
    send: (who, method, path, body, headers = {}) =>
      sendRaw(
        who,
        method,
        path,
        body === undefined ? null : JSON.stringify(body),
        body === undefined ? headers : { "content-type": "application/json", ...headers },
      ),
    async settle() {
      for (;;) {
        const waiting = await assembled.store.db
          .selectFrom("core_jobs")
          .select("id")
          .where("state", "in", ["ready", "running"])
          .where("run_at", "<=", Date.now() + 60_000)
          .limit(1)
          .execute();
        if (waiting.length === 0) return;
        await Bun.sleep(10);
      }
    },
    async stop() {
      if (!running.delete(server)) return;
      stopping.abort();
      await assembled.host.stop(2_000);
      await assembled.close();
      isolate.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
  running.add(server);
  return server;
}
