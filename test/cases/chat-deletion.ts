/**
 * Permanent deletion of chat sessions: by request, and when the time to restore them has passed.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectProblem } from "../helpers/contract";
import { placesWith } from "../helpers/databases";
import { person, type Person } from "../helpers/person";
import { until, type ApiServer, type StartServer } from "../helpers/server";

/** Every request on a session. */
const calls: [what: string, method: string, path: string, body?: unknown][] = [
  ["reading it", "GET", ""],
  ["changing it", "PUT", "", { name: "x" }],
  ["deleting it", "DELETE", ""],
  ["deleting it permanently", "DELETE", "?permanent=true"],
  ["restoring it", "POST", "/restore"],
  ["asking", "POST", "/messages", { text: "x" }],
  ["its messages", "GET", "/messages"],
  ["polling", "GET", "/messages/{id}"],
  ["watching", "GET", "/messages/{id}/stream"],
  ["cancelling", "POST", "/messages/{id}/cancel"],
];

export function chatDeletionCases(start: StartServer): void {
  let server: ApiServer;
  let ada: Person;
  let bob: Person;

  beforeAll(async () => {
    server = await start({ env: { DOSSIER_QUOTAS_CHATS: "8" } });
    [ada, bob] = await Promise.all([person(server, "ada"), person(server, "bob")]);
  }, 180_000);
  afterAll(() => server?.[Symbol.asyncDispose]());

  /** A session with one answered question. */
  async function askQuestion(text = "Anything?"): Promise<{ id: string; request_id: string }> {
    const { id } = await ada.create("/chats", { name: text });
    const { requestId } = (await ada.send("POST", `/chats/${id}/messages`, { text })).body;
    await ada.finished(`/chats/${id}/messages/${requestId}`);
    return { id, request_id: requestId };
  }
  const listed = async (query: string) =>
    (await ada.send("GET", `/chats?per_page=200${query}`)).body.data.map(({ id }: any) => id);

  describe.each([
    ["a live session", false],
    ["a session that is already deleted", true],
  ])("permanent=true removes %s", (_what, deleted_before) => {
    test("permanent deletion: 204, and then 404 for every request", async () => {
      const { id, request_id } = await askQuestion();
      if (deleted_before) expect((await ada.send("DELETE", `/chats/${id}`)).status).toBe(204);
      const deleted = await ada.send("DELETE", `/chats/${id}?permanent=true`);
      expect([deleted.status, deleted.text]).toEqual([204, ""]);
      for (const [what, method, path, body] of calls) {
        const at = `/chats/${id}${path.replace("{id}", request_id)}`;
        expect([what, (await ada.send(method, at, body)).status]).toEqual([what, 404]);
      }
      expect([await listed(""), await listed("&deleted=true")].flat()).not.toContain(id);
    });

    test("permanent deletion removes its text from every file of the data directory", async () => {
      const word = `zq${deleted_before ? "later" : "early"}xkanarimuxq`;
      const { id } = await askQuestion(`Where is the ${word}?`);
      if (deleted_before) await ada.send("DELETE", `/chats/${id}`);
      expect(await placesWith(server.data, word)).not.toEqual([]);
      await ada.send("DELETE", `/chats/${id}?permanent=true`);
      await until(async () => (await placesWith(server.data, word)).length === 0, 5_000);
    });
  });

  test("permanent=false is a deletion that can be undone", async () => {
    const { id } = await askQuestion();
    expect((await ada.send("DELETE", `/chats/${id}?permanent=false`)).status).toBe(204);
    expect((await ada.send("GET", `/chats/${id}`)).status).toBe(410);
    expect((await ada.send("POST", `/chats/${id}/restore`)).status).toBe(200);
    await ada.send("DELETE", `/chats/${id}?permanent=true`);
  });

  test("another user's is 403, a missing one 404, an invalid flag 400", async () => {
    const { id } = await askQuestion();
    const remove = (who: Person, which: string, word = "true") =>
      who.send("DELETE", `/chats/${which}?permanent=${word}`);
    expectProblem(await remove(bob, id), 403);
    expectProblem(await remove(ada, "chs_none"), 404);
    expectProblem(await remove(ada, id, "maybe"), 400);
    expect((await ada.send("GET", `/chats/${id}`)).status).toBe(200);
    expect((await remove(ada, id)).status).toBe(204);
  });

  test("a deleted session counts against the quota until it is deleted permanently", async () => {
    const created_ids: string[] = [];
    for (;;) {
      const { status, body } = await bob.send("POST", "/chats");
      if (status !== 201) {
        expect([status, body.code]).toEqual([403, "quota_exceeded"]);
        break;
      }
      created_ids.push(body.id);
    }
    expect(created_ids.length).toBe(8);
    const full = async () => (await bob.send("POST", "/chats")).status;
    await bob.send("DELETE", `/chats/${created_ids[0]}`);
    expect(await full()).toBe(403);
    expect((await bob.send("POST", `/chats/${created_ids[0]}/restore`)).status).toBe(200);
    expect(await full()).toBe(403);
    await bob.send("DELETE", `/chats/${created_ids[0]}`);
    await bob.send("DELETE", `/chats/${created_ids[0]}?permanent=true`);
    expect([await full(), await full()]).toEqual([201, 403]);
    await bob.send("DELETE", `/chats/${created_ids[1]}?permanent=true`);
    expect([await full(), await full()]).toEqual([201, 403]);
  });

  describe("after chats.restore_for", () => {
    let short: ApiServer;
    let cleo: Person;
    beforeAll(async () => {
      short = await start({
        env: { DOSSIER_QUOTAS_CHATS: "2", DOSSIER_CHATS_RESTORE_FOR: "400ms" },
      });
      cleo = await person(short, "cleo");
    }, 180_000);
    afterAll(() => short?.[Symbol.asyncDispose]());

    test("a deleted session is removed permanently with its text, and its place is free", async () => {
      const word = "zqexpiredxkanarimuxq";
      const kept_chat = (await cleo.create("/chats")).id;
      const { id } = await cleo.create("/chats", { name: word });
      await cleo.send("DELETE", `/chats/${id}`);
      expect((await cleo.send("POST", "/chats")).status).toBe(403);
      await until(async () => (await cleo.send("GET", `/chats/${id}`)).status === 404, 10_000);
      for (const [what, method, path, body] of calls) {
        const at = `/chats/${id}${path.replace("{id}", "none")}`;
        expect([what, (await cleo.send(method, at, body)).status]).toEqual([what, 404]);
      }
      expect((await cleo.send("GET", "/chats?deleted=true")).body.data).toEqual([]);
      await until(async () => (await placesWith(short.data, word)).length === 0, 10_000);
      expect((await cleo.send("POST", "/chats")).status).toBe(201);
      expect((await cleo.send("GET", `/chats/${kept_chat}`)).status).toBe(200);
    });

    test("a session restored in time stays", async () => {
      const dora = await person(short, "dora");
      const { id } = await dora.create("/chats");
      await dora.send("DELETE", `/chats/${id}`);
      expect((await dora.send("POST", `/chats/${id}/restore`)).status).toBe(200);
      const other = (await dora.create("/chats")).id;
      await dora.send("DELETE", `/chats/${other}`);
      await until(async () => (await dora.send("GET", `/chats/${other}`)).status === 404, 10_000);
      expect((await dora.send("GET", `/chats/${id}`)).status).toBe(200);
    });
  });
}
