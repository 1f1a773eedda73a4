/**
 * Webhooks with a list of events: which events of documents and answers are delivered, and that
 * nothing is stored for events without a webhook.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { scriptedExtractor } from "../helpers/documents";
import { startNameServer, type NameServer } from "../../scripts/lib/name-server";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { startReceiver, type Receiver } from "../helpers/receiver";

let names: NameServer;
let server: TestServer;
let receiver: Receiver;
beforeAll(async () => {
  names = await startNameServer();
  names.set("hook.test", ["127.0.0.2"]);
  receiver = startReceiver();
  server = await startTestServer({
    plugins: [scriptedExtractor().plugin],
    env: {
      DOSSIER_WEBHOOKS_DNS_SERVERS: names.address,
      DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.2",
      DOSSIER_WEBHOOKS_PER_ACCOUNT: "100",
    },
  });
});
afterAll(() => {
  for (const resource of [names, receiver]) resource[Symbol.dispose]();
});

let people = 0;
const someone = (): Promise<Person> => person(server, `person${people++}`);
const urlOf = (path: string) => `http://hook.test:${receiver.port}/${path}`;
const register = (who: Person, event_type: string, events?: unknown, path = "") =>
  who.send("POST", "/webhooks", { event_type, url: urlOf(path), events });
/** The deliveries that some work causes, by event and then in order. */
async function emittedBy(work: () => Promise<unknown>): Promise<any[]> {
  await server.settle();
  receiver.answerWith(() => new Response());
  await work();
  await server.settle();
  return receiver.deliveries
    .map(({ body }) => JSON.parse(body))
    .toSorted((a, b) => (a.event < b.event ? -1 : a.event > b.event ? 1 : 0));
}

describe("registering", () => {
  const refused: readonly (readonly [reason: string, body: object, pointer: string])[] = [
    ["a document event without a list", { event_type: "document.synced" }, "/event_type"],
    ["an empty list counts as none", { event_type: "answer.completed", events: [] }, "/event_type"],
    ["null counts as none", { event_type: "document.failed", events: null }, "/event_type"],
    [
      "an unknown event",
      { event_type: "import.finished", events: ["document.deleted", "document.gone"] },
      "/events/1",
    ],
    ["no list of events", { event_type: "import.finished", events: "document.synced" }, "/events"],
    ["events that aren't text", { event_type: "import.finished", events: [7] }, "/events"],
  ];
  test.each(refused)("400: %s", async (_reason, body, pointer) => {
    const who = await someone();
    const sent = await who.send("POST", "/webhooks", { url: urlOf(""), ...body });
    expect([sent.status, sent.body.errors[0].pointer]).toEqual([400, pointer]);
    if (pointer === "/event_type")
      expect(sent.body.detail).toMatch(/must be one of [a-z.]+, [a-z.]+\.$/);
  });

  test("shows the list, and no field when there is none", async () => {
    const who = await someone();
    const plain = await register(who, "import.finished", undefined, "a");
    expect([plain.status, "events" in plain.body]).toEqual([201, false]);
    const listed = ["document.deleted", "import.finished", "document.deleted"];
    const { body } = await register(who, "document.synced", listed, "b");
    const events = ["document.synced", "document.deleted", "import.finished"];
    expect(body).toMatchObject({ event_type: "document.synced", events });
    expect((await who.send("GET", "/webhooks")).body.map((webhook: any) => webhook.events)).toEqual(
      [events, undefined],
    );
  });

  test("allows one webhook per event and URL, listed or not", async () => {
    const who = await someone();
    const first = await register(who, "import.finished", ["document.synced"]);
    const statuses = [
      await register(who, "import.finished"),
      await register(who, "transcription.completed", ["document.synced"]),
      await register(who, "document.synced", ["document.failed"]),
    ].map(({ status, body }) => [status, body.code]);
    expect(statuses).toEqual(statuses.map(() => [400, "duplicate_webhook"]));
    expect((await register(who, "document.synced", ["document.failed"], "b")).status).toBe(201);
    expect((await register(await someone(), "import.finished")).status).toBe(201);
    await who.send("DELETE", `/webhooks/${first.body.id}`);
    expect((await register(who, "transcription.completed", ["document.synced"])).status).toBe(201);
  });
});

describe("deliveries", () => {
  const all = ["document.synced", "document.failed", "document.deleted", "answer.completed"];

  test("of documents and answers have the right bodies, headers and signatures", async () => {
    const who = await someone();
    const { body: hook } = await register(who, "import.finished", all);
    const folder_id = await who.folder();
    let good: any;
    let bad: any;
    const come = await emittedBy(async () => {
      good = await who.text(folder_id, "The otter sleeps in the reeds.", "a");
      ({ body: bad } = await who.upload(folder_id, "bad.x", "#!fail corrupt\n"));
      await who.settled(bad.id);
    });
    expect(come).toEqual([
      {
        event: "document.failed",
        document_id: bad.id,
        status: "sync_failed",
        version: 1,
        folder_ids: [folder_id],
        error: { code: "corrupt", message: expect.any(String) },
      },
      {
        event: "document.synced",
        document_id: good.id,
        status: "synced",
        version: 1,
        folder_ids: [folder_id],
      },
    ]);
    for (const { body, headers } of receiver.deliveries) {
      expect(headers.get("x-service-event")).toBe(JSON.parse(body).event);
      new Webhook(hook.secret).verify(body, Object.fromEntries(headers));
    }

    const { id: chat_id } = await who.create("/chats", { usedFolders: [folder_id] });
    let requestId!: string;
    const answered = await emittedBy(async () => {
      const text = "Where does the otter sleep?";
      ({
        body: { requestId },
      } = await who.send("POST", `/chats/${chat_id}/messages`, { text }));
    });
    const outcome = "answered";
    expect(answered).toEqual([
      { event: "answer.completed", chat_id, requestId, status: "COMPLETED", outcome },
    ]);
  });

  test("of many documents deleted with their folder are made once each", async () => {
    const who = await someone();
    await register(who, "document.deleted", ["document.deleted"]);
    const folder_id = await who.folder();
    const count = 60;
    await Promise.all(
      Array.from({ length: count }, (_, n) => who.newText(folder_id, `The ${n}.`, `n${n}`)),
    );
    const come = await emittedBy(() => who.send("DELETE", `/folders/${folder_id}`));
    expect(come.map(({ name }) => name).toSorted()).toEqual(
      Array.from({ length: count }, (_, n) => `n${n}`).toSorted(),
    );
    expect(new Set(come.map(({ event }) => event))).toEqual(new Set(["document.deleted"]));
  }, 30_000);

  test("need a list and an existing webhook; otherwise no job is created", async () => {
    const who = await someone();
    const jobs = async () =>
      (
        await server.store.db
          .selectFrom("core_jobs")
          .select("name")
          .where("plugin", "=", "webhooks")
          .where("name", "in", all)
          .execute()
      ).length;
    await register(who, "import.finished", undefined, "plain");
    const { body: hook } = await register(who, "import.finished", ["document.synced"], "listed");
    const folder_id = await who.folder();
    const before = await jobs();
    expect((await emittedBy(() => who.text(folder_id, "One."))).length).toBe(1);
    expect(receiver.deliveries.map(({ path }) => path)).toEqual(["/listed"]);
    expect(await jobs()).toBe(before + 1);
    await who.send("DELETE", `/webhooks/${hook.id}`);
    expect(await emittedBy(() => who.text(folder_id, "Two."))).toEqual([]);
    expect(await jobs()).toBe(before + 1);
  });
});

test("a sample of each event looks like a real delivery", async () => {
  const who = await someone();
  for (const event of ["document.synced", "document.failed", "document.deleted"]) {
    const { body: hook } = await register(who, event, [event]);
    const [sample] = await emittedBy(() => who.send("POST", `/webhooks/${hook.id}/test`));
    expect(sample.event).toBe(event);
  }
});
