/** The stream of a user's changes, in process: the shared cases, and its internals. */
import { describe, expect, test } from "bun:test";
import { endKeysBy, eventStreamCases, listening, namesOf, about } from "../cases/event-stream";
import { batchesOf } from "../../core/lib/batch";
import { job, t } from "../../core/sdk";
import { startTestServer, type TestServer } from "../helpers/host";
import { signedIn } from "../helpers/browser";
import { watchingBy } from "../helpers/events";
import { person } from "../helpers/person";

endKeysBy(async (server, key) => {
  const { accounts } = server as TestServer;
  const [known] = (await accounts.listKeys("usr_ada")).filter(({ prefix }) =>
    key.startsWith(prefix),
  );
  await accounts.deactivateKey(known!.id);
});
describe("the stream of events", () => eventStreamCases(startTestServer));

/** Runs as its schedule does. */
const prune = job("events.prune", t.Object({}));
const rows = async (server: TestServer, table: string): Promise<number> =>
  Number(
    (
      await server.store.db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll().as("n"))
        .executeTakeFirstOrThrow()
    ).n,
  );

test("events are stored only for listeners, and for some time after they leave", async () => {
  await using server = await startTestServer();
  const [ada, eve] = [await person(server, "ada"), await person(server, "eve")];
  await ada.folder();
  expect([await rows(server, "events_log"), await rows(server, "events_readers")]).toEqual([0, 0]);
  const stream = await listening(server, "ada");
  await Promise.all([ada.folder(), eve.folder()]);
  await stream.disconnect();
  await ada.folder();
  expect([await rows(server, "events_log"), await rows(server, "events_readers")]).toEqual([2, 1]);
  await server.store.db
    .updateTable("events_readers")
    .set({ listens_until: Date.now() - 1_000 })
    .execute();
  await server.host.queue.enqueue(server.store.db, prune, {});
  await server.settle();
  expect([await rows(server, "events_log"), await rows(server, "events_readers")]).toEqual([0, 0]);
  await ada.folder();
  expect(await rows(server, "events_log")).toBe(0);
  const resumed = await listening(server, "ada", "", { after: stream.events[0]!.id });
  await resumed.until(({ event }) => event === "reset");
  await resumed.disconnect();
});

test("old events are dropped: a late reader gets a reset, a connected one continues", async () => {
  await using server = await startTestServer();
  const ada = await person(server, "ada");
  const stream = await listening(server, "ada");
  const old = await ada.folder("old");
  const { id } = await stream.until(about("folder.created", old));
  await stream.until(about("folder.created", await ada.folder("older")));
  await server.store.db.updateTable("events_log").set({ created_at: 1 }).execute();
  await server.host.queue.enqueue(server.store.db, prune, {});
  await server.settle();
  expect(await rows(server, "events_log")).toBe(0);
  const back = await listening(server, "ada", "", { after: id });
  await back.until(({ event }) => event === "reset");
  const folder = await ada.folder("new");
  await stream.until(about("folder.created", folder));
  expect(namesOf(stream)).not.toContain("reset");
  await Promise.all([stream.disconnect(), back.disconnect()]);
});

test("a console session gets the same stream, which ends with the session", async () => {
  await using server = await startTestServer();
  const ada = await person(server, "ada");
  const browser = await signedIn(server, "ada");
  const answer = await server.fetch(
    new Request("http://dossier.test/console/api/v1/events", {
      headers: { cookie: browser.cookie() },
    }),
  );
  const stream = watchingBy(answer, String);
  await stream.until(({ event }) => event === "ready");
  const id = await ada.folder();
  await stream.until(about("folder.created", id));
  await server.accounts.changePassword("usr_ada", "another horse entirely");
  expect(await stream.ended).toBe(true);
  expect(stream.events.at(-1)!.event).toBe("closed");
});

test("a deleted user's events are removed, and their streams end", async () => {
  await using server = await startTestServer();
  const ada = await person(server, "ada");
  const stream = await listening(server, "ada");
  await ada.text(await ada.folder("Zanzibar"), "The clove.");
  await server.accounts.deleteUser("usr_ada");
  expect(await stream.ended).toBe(true);
  await server.settle();
  expect([await rows(server, "events_log"), await rows(server, "events_readers")]).toEqual([0, 0]);
});

/** Fills the log of a user who has listened; returns the id of the event before the new ones. */
async function logged(server: TestServer, count: number, values: object): Promise<string> {
  const stream = await listening(server, "ada");
  const { id } = stream.events[0]!;
  await stream.disconnect();
  const before = Number(id.split("-")[1]);
  const row = { owner_id: "usr_ada", folder_ids: "[]", created_at: Date.now(), ...values };
  const rows = Array.from({ length: count }, (_, at) => ({ ...row, seq: before + at + 1 }));
  for (const batch of batchesOf(rows, 500))
    await server.store.db.insertInto("events_log").values(batch).execute();
  await server.store.db
    .updateTable("events_readers")
    .set({ last_seq: before + count })
    .execute();
  return id;
}

test("long events are sent a few at a time: an open stream holds little", async () => {
  await using server = await startTestServer();
  await person(server, "ada");
  const body = JSON.stringify({ event: "document.changed", folder_ids: ["x".repeat(30_000)] });
  const after = await logged(server, 60, { type: "document.changed", body });
  const { body: stream } = await server.call("ada", "GET", "/events", undefined, {
    "last-event-id": after,
  });
  const lengths: number[] = [];
  for await (const piece of stream!) {
    lengths.push(piece.length);
    if (lengths.reduce((sum, length) => sum + length) > 60 * 30_000) break;
  }
  expect(Math.max(...lengths)).toBeLessThan(128 * 1024);
});

test("a log of long events is shortened by size: its oldest events go first", async () => {
  await using server = await startTestServer();
  const ada = await person(server, "ada");
  const body = JSON.stringify({ event: "document.changed", folder_ids: ["x".repeat(70_000)] });
  const after = await logged(server, 255, { type: "document.changed", body });
  const folder = await ada.folder();
  const kept = await rows(server, "events_log");
  expect([kept > 200, (kept - 1) * body.length <= 16 * 2 ** 20]).toEqual([true, true]);
  const stream = await listening(server, "ada", "", { after });
  await stream.until(({ event }) => event === "reset");
  const renamed = await ada.send("PUT", `/folders/${folder}`, { name: "renamed" });
  expect(renamed.status).toBe(200);
  await stream.until(about("folder.changed", folder));
  await stream.disconnect();
});

test("streams that leave out thousands of events let others in between", async () => {
  await using server = await startTestServer();
  const ada = await person(server, "ada");
  const after = await logged(server, 6_000, { type: "chat.created", body: "{}" });
  let turns = 0;
  const count = (): void => {
    turns++;
    counting = setImmediate(count);
  };
  const streams = await Promise.all(
    Array.from({ length: 16 }, () => listening(server, "ada", "?types=folder.created", { after })),
  );
  let counting = setImmediate(count);
  const folder = await ada.folder();
  await Promise.all(streams.map((stream) => stream.until(about("folder.created", folder))));
  clearImmediate(counting);
  await Promise.all(streams.map((stream) => stream.disconnect()));
  expect(turns).toBeGreaterThan(3);
});

test("a change that is rolled back is not sent, and streams close cleanly", async () => {
  await using server = await startTestServer({ env: { DOSSIER_QUOTAS_FOLDERS: "1" } });
  const ada = await person(server, "ada");
  const stream = await listening(server, "ada");
  const id = await ada.folder("kept");
  expect((await ada.send("POST", "/folders", { name: "refused" })).status).toBe(403);
  await ada.send("PUT", `/folders/${id}`, { name: "renamed" });
  await stream.until(about("folder.changed", id));
  expect(namesOf(stream)).toEqual(["folder.created", "folder.changed"]);
  await stream.disconnect();
  await server.stop();
});
