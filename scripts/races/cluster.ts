/** Three servers on one PostgreSQL database, for the duration of the races. */
import { SQL } from "bun";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newId } from "../../core/base/ids";
import { newKeyRow } from "../../plugins/accounts/key";
import { newUserRow } from "../../plugins/accounts/user";
import { first_password, launch, type Launched } from "../lib/launch";
import { memoryDirectory } from "../lib/memory-directory";
import { startPostgres } from "../lib/postgres";
import type { Session } from "./race";

type Role = "admin" | "member";

/** The running servers, and their users. */
export interface Cluster extends AsyncDisposable {
  readonly urls: readonly string[];
  /** A user with an API key. */
  key(name: string, role?: Role): Promise<string>;
  /** A user who is signed in to the console. */
  signIn(name: string, role: Role): Promise<Session>;
  sql(text: string, parameters?: readonly unknown[]): Promise<unknown>;
}

const nodes = 3;
/** How much output of a crashed server is shown, in characters. */
const said_max = 4_000;
const plugin = join(import.meta.dir, "plugin.ts");

/** @throws Error where there is no PostgreSQL */
export async function startCluster(env: Readonly<Record<string, string>>): Promise<Cluster> {
  await using started = new AsyncDisposableStack();
  const postgres = await startPostgres();
  if (!postgres) throw new Error("PostgreSQL 15 or later is required: install it");
  started.defer(() => postgres.stop());
  const admin = new SQL(postgres.url, { max: 1 });
  await admin.unsafe("create database dossier template template0 encoding 'UTF8' locale 'C.UTF-8'");
  await admin.close();
  const url = postgres.url.replace(/postgres$/, "dossier");
  const root = mkdtempSync(join(memoryDirectory(), "dossier-races-"));
  started.defer(() => rmSync(root, { recursive: true, force: true }));
  const originals = join(root, "originals");
  mkdirSync(originals);
  const settings =
    `[database]\nurl = "${url}"\n[files]\nurl = "file://${originals}"\n` +
    `[server]\nsecret_key = "${"k".repeat(40)}"\n`;
  const start = async (n: number): Promise<Launched> => {
    const data = join(root, String(n));
    mkdirSync(join(data, "plugins"), { recursive: true });
    writeFileSync(join(data, "dossier.toml"), settings);
    copyFileSync(plugin, join(data, "plugins", "racing.ts"));
    const server = await launch({ data, env });
    started.defer(() => endServer(server));
    return server;
  };
  // The first one creates the tables, for which the others would wait.
  const servers = [await start(0)];
  servers.push(...(await Promise.all(Array.from({ length: nodes - 1 }, (_, n) => start(n + 1)))));
  const urls = servers.map((server) => server.url);
  const sql = new SQL(url, { max: 1 });
  started.defer(() => sql.close());
  const users = new Users(sql, urls[0]!);
  const all = started.move();
  return {
    urls,
    key: (name, role) => users.key(name, role),
    signIn: (name, role) => users.signIn(name, role),
    sql: (text, parameters = []) => sql.unsafe(text, [...parameters]),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** A server that exits unexpectedly reports why. */
async function endServer(server: Launched): Promise<void> {
  const settled = await Promise.race([server.exited, Bun.sleep(0)]);
  if (settled !== undefined)
    console.error(`a server has ended with ${settled}:\n${server.output().slice(-said_max)}`);
  server.kill("SIGTERM");
  await server.exited;
}

const ids = { now_ms: Date.now, newId };

/** Written into the database directly: each command would take a second of processor time. */
class Users {
  private readonly sessions = new Map<string, Promise<Session>>();
  /** The hash of the common password. */
  private hash: Promise<string> | undefined;

  constructor(
    private readonly sql: SQL,
    private readonly url: string,
  ) {}

  async key(name: string, role: Role = "member"): Promise<string> {
    const user_id = await this.add(name, role);
    const { row, token } = newKeyRow(user_id, { name: "made for a race" }, ids);
    await this.sql`insert into accounts_keys ${this.sql(row)}`;
    return token;
  }

  signIn(name: string, role: Role): Promise<Session> {
    const session = this.sessions.get(name) ?? this.begin(name, role);
    this.sessions.set(name, session);
    return session;
  }

  private async begin(name: string, role: Role): Promise<Session> {
    const user_id = await this.add(name, role);
    const answer = await fetch(`${this.url}/console/api/v1/session`, {
      method: "POST",
      headers: { origin: this.url, "content-type": "application/json" },
      body: JSON.stringify({ email: `${name}@example.com`, password: first_password }),
    });
    const [cookie = ""] = answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0]!);
    return { cookie, user_id };
  }

  private async add(name: string, role: Role): Promise<string> {
    const hash = (password: string) => (this.hash ??= Bun.password.hash(password, "argon2id"));
    const account = { email: `${name}@example.com`, password: first_password, role };
    const user = await newUserRow(account, { ...ids, passwords: { hash } });
    await this.sql`insert into accounts_users ${this.sql(user)}`;
    return user.id;
  }
}
