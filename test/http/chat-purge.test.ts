/**
 * How chat sessions are purged: in parts, across a restart, ending what is in progress, and
 * following the settings and the clock.
 */
import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "bun:test";
import { batchesOf } from "../../core/lib/batch";
import type { Db } from "../../core/sdk";
import { PruneEvents } from "../../plugins/chats/jobs";
import type { ChatsTables, MessageRow } from "../../plugins/chats/store";
import { onSqlite } from "../helpers/databases";
import { startScriptedServer, says, type ScriptedServer } from "../helpers/scripted-server";
import { until } from "../helpers/server";

let scripted: ScriptedServer;
let db: Db<ChatsTables>;
let send: ScriptedServer["send"];
beforeAll(async () => {
  scripted = await startScriptedServer();
  ({ send } = scripted);
  db = scripted.server.store.db;
});

const messagesOf = async (chat_id: string, from = db): Promise<number> =>
  (await from.selectFrom("chats_messages").select("id").where("chat_id", "=", chat_id).execute())
    .length;
const hour_ms = 3_600_000;

/** Inserts answered messages directly into the table, each with events. */
async function fill(chat_id: string, messages: number, events: number): Promise<void> {
  const result = JSON.stringify(says("It stands in water. ".repeat(50)));
  for (let from = 0; from < messages; from += 100) {
    const ids = Array.from({ length: 100 }, (_, n) => `msg_${chat_id}_${from + n}`);
    const row = (id: string): MessageRow => ({
      id,
      chat_id,
      request_id: id,
      request_key: id,
      text: "Where does the heron stand?",
      status: "COMPLETED",
      created_at: 1,
      started_at: 1,
      completed_at: 1,
      result,
      error_code: null,
      error_message: null,
      attempt: 1,
      last_event: events,
    });
    await scripted.server.store.inTransaction(async (tx: Db<ChatsTables>) => {
      await tx.insertInto("chats_messages").values(ids.map(row)).execute();
      const rows = ids.flatMap((message_id) =>
        Array.from({ length: events }, (_, seq) => ({
          message_id,
          seq: seq + 1,
          kind: seq + 1 === events ? ("done" as const) : ("delta" as const),
          data: "heron ".repeat(5),
          created_at: 1,
        })),
      );
      for (const batch of batchesOf(rows, 1_000))
        await tx.insertInto("chats_events").values(batch).execute();
    });
  }
}

test("other requests are served while a large session is purged", async () => {
  const { id } = await scripted.create("ada", "/chats", { name: "Large" });
  await fill(id, 1_000, 10);
  expect((await send("ada", "DELETE", `/chats/${id}?permanent=true`)).status).toBe(204);
  // Each request must be answered while there is still something left to purge.
  for (let n = 0; n < 5; n++) {
    expect((await send("bob", "POST", "/folders", { name: `Folder ${n}` })).status).toBe(201);
    expect(await messagesOf(id)).toBeGreaterThan(0);
  }
  await scripted.server.settle();
  expect(await messagesOf(id)).toBe(0);
  for (const table of ["chats", "chats_folders"] as const)
    expect(
      await db
        .selectFrom(table)
        .selectAll()
        .where(table === "chats" ? "id" : ("chat_id" as never), "=", id as never)
        .execute(),
    ).toEqual([]);
});

test("events of finished answers are deleted answer by answer, blocking nobody", async () => {
  const { id } = await scripted.create("ada", "/chats", { name: "Old" });
  await fill(id, 200, 60);
  const left = async () =>
    (
      await db
        .selectFrom("chats_events")
        .select((e) => ["message_id", e.fn.countAll<number>().as("events")])
        .groupBy("message_id")
        .execute()
    ).filter(({ message_id }) => message_id.startsWith(`msg_${id}`));
  const { store, host } = scripted.server;
  await store.inTransaction((tx) => host.queue.enqueue(tx, PruneEvents, {}));
  let between = 0;
  for (;;) {
    await send("bob", "POST", "/folders", { name: "Between" });
    const now = await left();
    expect(now.every(({ events }) => Number(events) === 60)).toBe(true);
    if (now.length === 0) break;
    if (now.length < 200) between += 1;
  }
  expect(between).toBeGreaterThan(2);
  await send("ada", "DELETE", `/chats/${id}?permanent=true`);
});

describe("a session deleted for good while it is being answered", () => {
  test("ends the answer, its polls and streams, and waiting questions never start", async () => {
    const gate = scripted.gate();
    const { chat } = await scripted.library("eve");
    const paths = await Promise.all(
      Array.from({ length: 8 }, (_, n) => scripted.ask("eve", chat, `${n}?`)),
    );
    const question = await gate.begun;
    const begun = paths[Number(question.text[0])]!;
    const stream = await scripted.watch("eve", begun);
    const poll = send("eve", "GET", begun, undefined, { prefer: "wait=20" });
    await until(() => gate.asked.length === 3);
    await Bun.sleep(50);
    expect((await send("eve", "DELETE", `/chats/${chat}?permanent=true`)).status).toBe(204);
    expect((await poll).status).toBe(404);
    await until(() => question.signal.aborted);
    expect(await stream.ended).toBe(true);
    await scripted.server.settle();
    expect([gate.asked.length, await messagesOf(chat)]).toEqual([3, 0]);
    gate.open();
  });

  test("a session that can be restored is still answered", async () => {
    const gate = scripted.gate();
    const { chat } = await scripted.library("fay");
    const path = await scripted.ask("fay", chat);
    await gate.begun;
    await send("fay", "DELETE", `/chats/${chat}`);
    gate.open();
    await scripted.server.settle();
    await send("fay", "POST", `/chats/${chat}/restore`);
    expect((await send("fay", "GET", path)).body.status).toBe("COMPLETED");
  });
});

onSqlite("copies").describe("after a restart", () => {
  /** Starts on a copy of the data, as a killed process leaves it, with other settings. */
  async function restart(env: Record<string, string> = {}): Promise<ScriptedServer> {
    const data = mkdtempSync(join(tmpdir(), "dossier-test-"));
    cpSync(scripted.server.data, data, { recursive: true });
    return startScriptedServer({ data, env });
  }

  test("an interrupted purge continues", async () => {
    const { id } = await scripted.create("gil", "/chats");
    await fill(id, 200, 1);
    await db
      .updateTable("chats")
      .set({ gone_at: Date.now(), deleted_at: Date.now() })
      .where("id", "=", id)
      .execute();
    const next = await restart();
    await until(async () => (await messagesOf(id, next.server.store.db)) === 0);
    await next.server.stop();
  });

  test("a shorter chats.restore_for applies", async () => {
    const { id } = await scripted.create("hal", "/chats");
    await send("hal", "DELETE", `/chats/${id}`);
    await Bun.sleep(5);
    const next = await restart({ DOSSIER_CHATS_RESTORE_FOR: "1ms" });
    const rows = (from: Db<ChatsTables>) =>
      from.selectFrom("chats").select("id").where("id", "=", id).execute();
    await until(async () => (await rows(next.server.store.db)).length === 0);
    expect(await rows(db)).toHaveLength(1);
    await next.server.stop();
  });

  test("a deletion time in the future, from a wrong clock, is corrected", async () => {
    const { id } = await scripted.create("ida", "/chats");
    await send("ida", "DELETE", `/chats/${id}`);
    const ahead = Date.now() + 365 * 24 * hour_ms;
    await db.updateTable("chats").set({ deleted_at: ahead }).where("id", "=", id).execute();
    const next = await restart();
    const [row] = await next.server.store.db
      .selectFrom("chats")
      .select("deleted_at")
      .where("id", "=", id)
      .execute();
    expect(row!.deleted_at).toBeLessThanOrEqual(Date.now());
    await next.server.stop();
  });
});

test("restoring a session deleted before deleted ones counted adds it to the quota", async () => {
  const limited = await startScriptedServer({ env: { DOSSIER_QUOTAS_CHATS: "1" } });
  const { id } = await limited.create("jim", "/chats");
  await limited.send("jim", "DELETE", `/chats/${id}`);
  const { store } = limited.server;
  await store.db.updateTable("chats").set({ counted: 0 }).where("id", "=", id).execute();
  await store.db.updateTable("quotas_used").set({ used: 0 }).where("what", "=", "chats").execute();
  const other = (await limited.create("jim", "/chats")).id;
  const restored = await limited.send("jim", "POST", `/chats/${id}/restore`);
  expect([restored.status, restored.body.code]).toEqual([403, "quota_exceeded"]);
  await limited.send("jim", "DELETE", `/chats/${id}?permanent=true`);
  expect((await limited.send("jim", "POST", "/chats")).status).toBe(403);
  await limited.send("jim", "DELETE", `/chats/${other}?permanent=true`);
  expect((await limited.send("jim", "POST", "/chats")).status).toBe(201);
  await limited.server.stop();
});
