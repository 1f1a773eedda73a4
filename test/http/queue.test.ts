/** The queue for administrators: pausing and resuming intake, retrying and dropping jobs. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { definePlugin, handle, job, PermanentFailure, route, t } from "../../core/sdk";
import { signedIn, type Browser } from "../helpers/browser";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";

const Odd = job("odd.count", t.Object({ n: t.Integer() }));
const Kept = job("odd.kept", t.Object({}));
let fails = true;
const ran: number[] = [];
const events: string[] = [];
/** POST /odd enqueues `count` jobs, which fail for two reasons in turn; with `later` they wait. */
const odd = definePlugin({
  name: "odd",
  version: "1.0.0",
  routes: {
    make: route.post("/odd", {
      summary: "Make jobs",
      tag: "Odd",
      operation: "makeOdd",
      body: t.Object({ count: t.Integer(), later: t.Optional(t.Boolean()) }),
      answers: { 204: { description: "Made." } },
    }),
  },
  setup: ({ enqueue, inTransaction, now_ms }) => ({
    routes: {
      make: async ({ body: { count, later = false } }) => {
        const options = later ? { run_at_ms: now_ms() + 3_600_000 } : {};
        await inTransaction(async (tx) => {
          for (let n = 0; n < count; n++) await enqueue(tx, Odd, { n }, options);
          if (later) await enqueue(tx, Kept, {}, options);
        });
        return new Response(null, { status: 204 });
      },
    },
    jobs: [
      handle(
        Odd,
        async ({ n }) => {
          if (fails) throw new PermanentFailure(n % 2 === 0 ? "it is even" : "it is odd");
          ran.push(n);
        },
        {
          attempts_max: 1,
          timeout_ms: 5_000,
          concurrency: 32,
          requeue: async () => void events.push("again"),
          onExhausted: async (_tx, { n }, _reason, cause) => void events.push(`${cause} ${n}`),
        },
      ),
      handle(Kept, async () => {}, { attempts_max: 1, timeout_ms: 5_000 }),
    ],
  }),
});

let server: TestServer;
let root: Browser;
let ada: Person;
let folder: string;
beforeAll(async () => {
  server = await startTestServer({ plugins: [odd] });
  root = await signedIn(server, "grace", { role: "admin" });
  ada = await person(server, "ada");
  folder = await ada.folder();
});
afterAll(() => server.stop());

const queue = async () => (await root.send("GET", "/system/queue")).body;
const kind = async (name = "odd.count") =>
  (await queue()).kinds.find((kind: any) => kind.name === name);
const post = (path: string, more: object) =>
  root.send("POST", `/system/job-kinds/${path}`, { plugin: "odd", name: "odd.count", ...more });
const make = async (count: number) => {
  await ada.send("POST", "/odd", { count });
  await until(async () => {
    const { ready, running } = await kind();
    return ready === 0 && running === 0;
  }, 50_000);
};

describe("intake", () => {
  const set = (intake: string) => root.send("PUT", "/system/queue/intake", { intake });
  test("paused, uploads wait while questions are answered; resumed, uploads are read", async () => {
    await ada.text(folder, "The heron stands in shallow water.");
    expect((await set("paused")).body).toEqual({ intake: "paused" });
    expect((await server.send(null, "GET", "/health")).body).toMatchObject({
      status: "ok",
      intake: "paused",
    });
    const { status, body } = await ada.upload(folder, "notes.txt", "The mooring was lifted.");
    expect([status, body.status]).toEqual([201, "syncing"]);
    const text = await ada.newText(folder, "A small text waits, too.");
    const run = await ada.send("POST", "/imports", {
      folder_id: folder,
      source: { type: "urls", urls: ["http://192.0.2.1/x"] },
    });
    expect(run.status).toBe(202);
    const chat = await ada.create("/chats", { usedFolders: [folder] });
    expect((await ada.ask(chat.id, "Where does the heron stand?")).outcome).toBe("answered");
    const board = await queue();
    expect(board.intake).toBe("paused");
    expect(board.folders).toEqual([
      { folder_id: folder, owner: "ada@dossier.test", waiting: 2, per_minute: null, left_s: null },
    ]);
    expect(board.kinds.map(({ name, ready, running }: any) => [name, ready, running])).toEqual(
      expect.arrayContaining([
        ["documents.index", 1, 0],
        ["documents.index_text", 1, 0],
        ["imports.list", 1, 0],
      ]),
    );
    for (const { id } of [body, text]) expect((await ada.get(id)).status).toBe("syncing");
    const { checks } = (await root.send("GET", "/system")).body;
    expect(checks.find(({ id }: any) => id === "jobs")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("Intake is paused"),
    });
    expect((await set("open")).body).toEqual({ intake: "open" });
    for (const { id } of [body, text]) expect((await ada.settled(id)).status).toBe("synced");
    expect((await server.send(null, "GET", "/health")).body.intake).toBe("open");
  });
  test("changes are in the audit log, and members can't make them", async () => {
    const { data } = (await root.send("GET", "/audit?action=setIntake")).body;
    expect(data.map(({ record }: any) => record)).toEqual(["intake.open", "intake.paused"]);
    const member = await signedIn(server, "ada");
    for (const [method, path, body] of [
      ["PUT", "/system/queue/intake", { intake: "paused" }],
      ["GET", "/system/queue", undefined],
      ["POST", "/system/job-kinds/drop", { plugin: "a", name: "b", state: "failed" }],
    ] as const)
      expect((await member.send(method, path, body)).status).toBe(403);
  });
  test("a folder's speed covers the last minutes, and estimates the remaining time", async () => {
    const quick = await ada.folder("Quick");
    for (let n = 0; n < 6; n++) await ada.text(quick, `Note ${n} of the harbour.`);
    await set("paused");
    await ada.upload(quick, "late.txt", "It waits.");
    const mine = (await queue()).folders.find((folder: any) => folder.folder_id === quick);
    expect(mine).toMatchObject({ waiting: 1, left_s: null });
    expect(mine.per_minute).toBeGreaterThan(0);
    await set("open");
    await server.settle();
  });
});

describe("jobs of a kind", () => {
  test("that failed can be retried by reason, or all at once", async () => {
    fails = true;
    await make(5);
    expect((await kind()).reasons).toEqual([
      { error: "it is even", jobs: 3 },
      { error: "it is odd", jobs: 2 },
    ]);
    events.length = 0;
    expect((await post("retry", { error: "it is odd" })).body).toEqual({
      retried: 2,
      left: 0,
      more: false,
      next: null,
    });
    expect((await kind()).failed).toBe(3);
    expect((await post("retry", {})).body.retried).toBe(3);
    expect(events).toEqual(Array(5).fill("again"));
    expect(await kind()).toBeUndefined();
  });
  test("that failed can be dropped by reason, or all of them, in batches", async () => {
    await make(5);
    expect((await post("drop", { state: "failed", error: "it is odd" })).body).toEqual({
      dropped: 2,
      left: 0,
      next: null,
    });
    await make(1_100);
    const first = (await post("drop", { state: "failed" })).body;
    expect([first.dropped, first.next]).toEqual([1_000, ""]);
    let dropped = first.dropped;
    for (let next: string | null = first.next; next !== null;) {
      const { body } = await post("drop", { state: "failed", after: next });
      dropped += body.dropped;
      next = body.next;
    }
    expect(dropped).toBe(3 + 1_100);
    expect(await kind()).toBeUndefined();
  });
  test("that wait end as failures when dropped", async () => {
    events.length = 0;
    await ada.send("POST", "/odd", { count: 3, later: true });
    expect(await kind()).toMatchObject({ ready: 3, can_drop: true });
    expect((await post("drop", { state: "ready" })).body).toEqual({
      dropped: 3,
      left: 0,
      next: null,
    });
    expect(events).toEqual(["dropped 0", "dropped 1", "dropped 2"]);
    expect(await kind()).toBeUndefined();
  });
  test("that wait can't be dropped when nothing would record it", async () => {
    expect(await kind("odd.kept")).toMatchObject({ ready: 1, can_drop: false });
    expect((await post("drop", { name: "odd.kept", state: "ready" })).body).toMatchObject({
      status: 409,
      code: "not_droppable",
    });
    expect((await kind("odd.kept")).ready).toBe(1);
  });
  test("that read documents mark them failed when dropped, and a reindex reads them", async () => {
    await root.send("PUT", "/system/queue/intake", { intake: "paused" });
    const { body } = await ada.upload(folder, "dropped.txt", "The anchor holds.");
    const dropped = await root.send("POST", "/system/job-kinds/drop", {
      plugin: "documents",
      name: "documents.index",
      state: "ready",
    });
    expect(dropped.body.dropped).toBe(1);
    expect(await ada.get(body.id)).toMatchObject({
      status: "sync_failed",
      error: { code: "cancelled" },
    });
    await root.send("PUT", "/system/queue/intake", { intake: "open" });
    expect((await ada.send("POST", `/documents/${body.id}/reindex`)).status).toBe(202);
    expect((await ada.settled(body.id)).status).toBe("synced");
  });
});

test("intake set in the environment can't be changed, and the error says so", async () => {
  await server.stop();
  server = await startTestServer({ env: { DOSSIER_JOBS_PAUSE_INTAKE: "false" } });
  root = await signedIn(server, "grace", { role: "admin" });
  const { status, body } = await root.send("PUT", "/system/queue/intake", { intake: "paused" });
  expect([status, body.code]).toEqual([409, "overruled"]);
  expect(body.detail).toContain("DOSSIER_JOBS_PAUSE_INTAKE");
  const { body: states } = await root.send("GET", "/settings");
  expect(states.find(({ setting }: any) => setting === "jobs.pause_intake").stored).toBeNull();
});
