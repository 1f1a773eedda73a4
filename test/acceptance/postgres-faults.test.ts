/** Servers whose PostgreSQL doesn't answer or is blocked by another client. */
import { expect, test } from "bun:test";
import { SQL } from "bun";
import { sql } from "kysely";
import { connect, createServer, type Socket } from "node:net";
import type { HttpError } from "../../core/base/errors";
import { jsonLog } from "../../core/base/log";
import { PostgresStore } from "../../core/store/postgres/postgres-store";
import { checkServer } from "../../core/store/postgres/server-check";
import { runCommand } from "../../scripts/lib/launch";
import { temporaryDirectory } from "../helpers/data-directory";
import { startExecutable, type Executable } from "../helpers/executable";
import { startPostgresForSuite, describeOnPostgres } from "../helpers/postgres-suite";
import { person } from "../helpers/person";
import { until } from "../helpers/server";

const takes_all = process.env.DOSSIER_TEST_FAULTS === "all";

describeOnPostgres("a server on PostgreSQL", () => {
  const secret_key = "the key that all of them have, of 32 bytes or more";
  const originals = temporaryDirectory();
  const postgres = startPostgresForSuite();
  const { newDatabase } = postgres;
  const serverOn = (url: string, limit = "30s"): Promise<Executable> =>
    startExecutable({
      files: {
        "dossier.toml":
          `[database]\nurl = "${url}"\nstatement_limit = "${limit}"\n` +
          `[server]\nsecret_key = "${secret_key}"\n[files]\nurl = "file://${originals}"\n`,
      },
    });

  const purposes = ["writes", "reads", "shared", "channel", "life line"];
  test("replaces connections that no longer answer", async () => {
    const relay = await startRelay(Number(new URL(postgres.server.url).port));
    const through = new URL(await newDatabase());
    through.port = String(relay.port);
    await using server = await serverOn(through.href, "1s");
    const ada = await person(server, "ada");
    await ada.folder();
    expect(relay.silence()).toEqual(expect.arrayContaining(purposes));
    const answers = await Promise.all([
      ada.send("GET", "/folders"),
      ada.send("POST", "/folders", { name: "Said again" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 201]);
    expect((await server.send(null, "GET", "//ready")).status).toBe(200);
    if (takes_all) {
      relay.silence();
      relay.takes_new = false;
      expect(await server.stop()).toBe(1);
      expect(server.output()).toContain("dossier: Some work did not end within 45 s.");
      relay.takes_new = true;
      await server.restart();
    }
    expect(await server.stop()).toBe(0);
    relay.close();
  }, 120_000);

  test("that is frozen in a transaction delays others only briefly", async () => {
    const url = await newDatabase();
    await using frozen = await serverOn(url);
    await using other = await serverOn(url);
    const ada = await person(frozen, "ada");
    const key = await frozen.key("ada");
    const writing = new AbortController();
    const write = async (): Promise<void> => {
      while (!writing.signal.aborted)
        await ada.send("POST", "/folders", { name: crypto.randomUUID() }).catch(() => undefined);
    };
    const writers = Array.from({ length: 8 }, write);
    const database = new SQL(url, { max: 1 });
    for (;;) {
      process.kill(frozen.pid(), "SIGSTOP");
      const deliveries = await database.unsafe(
        "select 1 from pg_stat_activity where state = 'idle in transaction' " +
          "and application_name = 'dossier writes' and datname = current_database()",
      );
      if (deliveries.length > 0) break;
      process.kill(frozen.pid(), "SIGCONT");
      await Bun.sleep(5);
    }
    const response = await fetch(`${other.url()}/api/dev/v1/folders`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: '{"name":"Meanwhile"}',
      signal: AbortSignal.timeout(20_000),
    });
    expect(response.status).toBe(201);
    process.kill(frozen.pid(), "SIGCONT");
    writing.abort();
    await Promise.all(writers);
    expect((await ada.send("POST", "/folders", { name: "Afterwards" })).status).toBe(201);
    await database.close();
  }, 120_000);

  test("still counts as alive while all its reads are blocked", async () => {
    const url = await newDatabase();
    await using server = await serverOn(url);
    const ada = await person(server, "ada");
    const folder = await ada.folder();
    const database = new SQL(url, { max: 2 });
    const seenAt = async (): Promise<number> =>
      Number((await database.unsafe("select seen_at from core_nodes"))[0].seen_at);
    let waiting: Promise<unknown> | undefined;
    await database.begin(async (tx) => {
      await tx.unsafe("lock table folders in access exclusive mode");
      const reads = Array.from({ length: 30 }, () => ada.send("GET", `/folders/${folder}`));
      waiting = Promise.all(reads);
      const all = "select 1 from pg_stat_activity where wait_event_type = 'Lock'";
      await until(async () => (await database.unsafe(all)).length >= 10);
      const before = await seenAt();
      await until(async () => (await seenAt()) > before, 20_000);
    });
    await waiting;
    await database.close();
  }, 120_000);

  test("cancels slow statements, except migrations at the start", async () => {
    const log = jsonLog("error", () => undefined);
    const options = { url: await newDatabase(), connections: 2, statement_ms_max: 300 };
    const store = new PostgresStore({ ...options, data: temporaryDirectory(), log });
    await store.open();
    const slow = (): Promise<unknown> =>
      store.inTransaction((tx) => sql`select pg_sleep(0.6)`.execute(tx));
    expect(await slow().catch((error: HttpError) => error.status)).toBe(503);
    expect(await store.exclusively(slow)).toMatchObject({ rows: [{}] });
    expect(await slow().catch((error: HttpError) => error.status)).toBe(503);
    await store.close();
  });

  test("doesn't start behind a pooler that drops session settings", async () => {
    const pool = new SQL(await newDatabase(), { max: 1 });
    const ask = async (text: string, parameters: readonly unknown[] = []) => {
      const rows = await pool.unsafe(text.replace("?", "$1"), [...parameters]);
      return { rows: [...rows], count: rows.length };
    };
    const expected = { idle_in_transaction_session_timeout: "5000" };
    const check = () => checkServer(ask, "postgres://shown", expected).catch(String);
    expect(await check()).toContain("PgBouncer");
    await pool.unsafe("set idle_in_transaction_session_timeout = 5000");
    expect(await check()).toMatch(/^PostgreSQL 1/);
    await pool.close();
  });

  for (const limit of [1, 6, 13])
    test(`doesn't start if the database allows only ${limit} connections`, async () => {
      const url = new URL(await newDatabase());
      url.username = `small_${limit}`;
      await postgres.admin.unsafe(`create role ${url.username} login connection limit ${limit}`);
      const name = url.pathname.slice(1);
      await postgres.admin.unsafe(`alter database ${name} owner to ${url.username}`);
      const data = temporaryDirectory();
      await Bun.write(`${data}/dossier.toml`, `[database]\nurl = "${url.href}"\n`);
      const { code, stderr } = await runCommand(data, ["serve", "--port", "0"]);
      expect([code, stderr]).toEqual([1, expect.stringContaining("lower database.connections")]);
    }, 60_000);
});

interface Relay {
  readonly port: number;
  /** Whether new connections are relayed. */
  takes_new: boolean;
  /** Stops relaying existing connections; returns their purposes. */
  silence(): string[];
  close(): void;
}

/** Relays connections to PostgreSQL. */
async function startRelay(to: number): Promise<Relay> {
  const purposes = new Map<Socket, string>();
  const silent = new Set<Socket>();
  const relay = {
    port: 0,
    takes_new: true,
    silence() {
      for (const client of purposes.keys()) silent.add(client);
      return [...new Set(purposes.values())];
    },
    close: () => void server.close(),
  };
  const server = createServer((client) => {
    const database = connect(to, "127.0.0.1");
    for (const [from, into] of [
      [client, database],
      [database, client],
    ] as const) {
      from.setNoDelay(true);
      from.on("data", (bytes) => {
        const named = /application_name\0dossier ([^\0]*)/.exec(bytes.toString("latin1"));
        if (named && !relay.takes_new) silent.add(client);
        if (named && !purposes.has(client)) purposes.set(client, named[1]!);
        if (!silent.has(client)) into.write(bytes);
      });
      from.on("error", () => undefined);
      from.on("close", () => silent.has(client) || into.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  relay.port = (server.address() as { port: number }).port;
  return relay;
}
