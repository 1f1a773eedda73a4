/** Deliveries: what is sent, how often, to whom not, and what the log says of it. Verified with libraries nobody here wrote. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createServer, type AddressInfo } from "node:net";
import { verify } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import { definePlugin } from "../core/sdk";
import { WebhookDue } from "../plugins/webhooks/contract";
import { retryAfter } from "../plugins/webhooks/delivering";
import { until } from "./helpers/contract";
import { startNameServer, type NameServer, type Zone } from "./helpers/dns";
import { startTestServer, type TestServer } from "./helpers/host";
import { startReceiver, type Receiver } from "./helpers/receiver";

let names: NameServer;
let server: TestServer;
let receiver: Receiver;
/** On an address that is not allowed. */
let inner: Receiver;
let emit: (who: string, type: string, body: object, fail?: boolean) => Promise<void>;
const emitter = definePlugin({ name: "emitter", version: "1.0.0", setup: (ctx) => {
  emit = (who, event_type, body, fail = false) => ctx.inTransaction(async (tx) => {
    await ctx.emit(tx, WebhookDue, { owner_id: `usr_${who}`, event_type, body: body as Record<string, unknown> });
    if (fail) throw new Error("the run could not be ended");
  });
  return {};
} });

beforeAll(async () => {
  names = await startNameServer();
  names.set("hook.test", ["127.0.0.2"]);
  receiver = startReceiver();
  inner = startReceiver("127.0.0.1");
  server = await startTestServer({ plugins: [emitter], env: {
    DOSSIER_WEBHOOKS_DNS_SERVERS: names.address, DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.2", DOSSIER_WEBHOOKS_RETRY_DELAYS: "20ms,40ms",
    DOSSIER_WEBHOOKS_HEADER_PREFIX: "Dossier", DOSSIER_WEBHOOKS_LEGACY_HEADER_PREFIX: "Old-Name",
  } });
});
afterAll(() => { for (const one of [names, receiver, inner]) one[Symbol.dispose](); });
beforeEach(() => receiver.answers(() => new Response("thanks", { status: 200 })));

const event_type = "import.finished";
const finished = { event: event_type, import_run_id: "imp_ä€😀", status: "completed", completed_item_count: 2, succeeded_item_count: 2, failed_item_count: 0 };
let made = 0;
/** A webhook of a person of its own. */
async function register(url = `http://hook.test:${receiver.port}/hook?a=1`, type = event_type) {
  const who = `person${made++}`;
  const { status, body } = await server.send(who, "POST", "/webhooks", { event_type: type, url });
  expect(status).toBe(201);
  const log = async () => (await server.send(who, "GET", `/webhooks/${body.id}/deliveries`)).body.data;
  return { who, ...body as { id: string; secret: string }, log, ended: async (of = 1) => {
    await until(async () => {
      const all = await log();
      return all.length >= of && all.every(({ status }: { status: string }) => status !== "pending");
    });
    return log();
  } };
}

test("a delivery is what the contract says, to the byte", async () => {
  const hook = await register();
  await emit(hook.who, event_type, finished);
  const [delivery] = await hook.ended();
  expect(receiver.came).toHaveLength(1);
  const { path, body, headers } = receiver.came[0]!;
  expect({ path, body: JSON.parse(body), type: headers.get("content-type"), host: headers.get("host") }).toEqual({ path: "/hook", body: finished, type: "application/json", host: `hook.test:${receiver.port}` });
  for (const prefix of ["dossier", "old-name"]) {
    expect(headers.get(`x-${prefix}-event`)).toBe(event_type);
    expect(headers.get(`x-${prefix}-signature`)).toMatch(/^sha256=[0-9a-f]{64}$/);
    expect(await verify(hook.secret, body, headers.get(`x-${prefix}-signature`)!)).toBe(true);
    expect(await verify(hook.secret, `${body} `, headers.get(`x-${prefix}-signature`)!)).toBe(false);
  }
  expect(new Webhook(hook.secret).verify(body, Object.fromEntries(headers))).toEqual(finished);
  expect(() => new Webhook(hook.secret).verify(`${body} `, Object.fromEntries(headers))).toThrow();
  expect(delivery).toEqual({
    id: headers.get("webhook-id"), webhook_id: hook.id, event_type, status: "delivered", next_attempt_at: null, request_body: body, created_at: expect.any(String),
    attempts: [{ at: expect.any(String), status_code: 200, error: null, duration_ms: expect.any(Number), response_body: "thanks" }],
  });
  expect((await server.send(hook.who, "GET", `/webhooks/${hook.id}`)).body.last_delivery).toEqual({ id: delivery.id, status: "delivered", created_at: delivery.created_at, status_code: 200, error: null });
});

describe("attempts", () => {
  const status = (...codes: number[]) => (n: number) => new Response("x", { status: codes[n] ?? 500 });
  const redirect = (code: number) => () => new Response(null, { status: code, headers: { location: `http://hook.test:${inner.port}/` } });
  const cases: [string, (n: number) => Response | Promise<Response>, number, string][] = [
    ["204 at once", status(204), 1, "delivered"], ["299 is 2xx", status(299), 1, "delivered"], ["500, 500, 204", status(500, 500, 204), 3, "delivered"], ["500 three times", status(500, 500, 500), 3, "dropped"],
    ["404, then 200", status(404, 200), 2, "delivered"], ["410 is like any other", status(410, 410, 410), 3, "dropped"],
    ["301", redirect(301), 3, "dropped"], ["302", redirect(302), 3, "dropped"], ["307", redirect(307), 3, "dropped"], ["308", redirect(308), 3, "dropped"],
    ["an endless body after 200", () => new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65_536)) })), 1, "delivered"],
    ["a packed body stays packed", () => new Response(Bun.gzipSync(new Uint8Array(1_000_000)), { headers: { "content-encoding": "gzip" } }), 1, "delivered"],
  ];
  for (const [why, answering, times, ends] of cases) test(why, async () => {
    const hook = await register();
    receiver.answers(answering);
    inner.answers(() => new Response());
    await emit(hook.who, event_type, finished);
    const [delivery] = await hook.ended();
    expect({ status: delivery.status, times: receiver.came.length, attempts: delivery.attempts.length, elsewhere: inner.came.length }).toEqual({ status: ends, times, attempts: times, elsewhere: 0 });
    expect(new Set(receiver.came.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.came.map(({ headers }) => headers.get("webhook-id")))).toEqual(new Set([delivery.id]));
    for (const { response_body } of delivery.attempts) expect(response_body.length).toBeLessThanOrEqual(4_096);
  });

  test("a receiver that is not there", async () => {
    const hook = await register("http://hook.test:1/");
    await emit(hook.who, event_type, finished);
    const [delivery] = await hook.ended();
    expect(delivery).toMatchObject({ status: "dropped", attempts: Array.from({ length: 3 }, () => ({ status_code: null, error: "the connection was refused", response_body: null })) });
  });
});

describe("receivers that speak broken HTTP", () => {
  const cases: [string, string[], string, number][] = [
    ["2xx, then cut off", ["HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"], "delivered", 1],
    ["2xx, then nonsense for chunks", ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzzz\r\n"], "delivered", 1],
    ["no answer", [], "dropped", 3], ["garbage", ["\u0000\u0001 what?\r\n\r\n"], "dropped", 3], ["headers cut off", ["HTTP/1.1 200 OK\r\ncontent-le"], "dropped", 3],
    ["headers without end", ["HTTP/1.1 200 OK\r\n", ...Array<string>(64).fill(`x-y: ${"y".repeat(8_000)}\r\n`)], "dropped", 3],
  ];
  for (const [why, pieces, ends, times] of cases) test(why, async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.on("error", () => undefined);
      socket.once("data", () => {
        for (const piece of pieces) socket.write(piece);
        setTimeout(() => socket.destroy(), 30);
      });
    });
    await new Promise<void>((resolve) => { server.listen(0, "127.0.0.2", resolve); });
    const hook = await register(`http://hook.test:${(server.address() as AddressInfo).port}/`);
    await emit(hook.who, event_type, finished);
    const [delivery] = await hook.ended();
    server.close();
    expect({ status: delivery.status, attempts: delivery.attempts.length, connections }).toEqual({ status: ends, attempts: times, connections: times });
  });
});

describe("before every attempt the host is looked up again", () => {
  let n = 0;
  /** What the name server says at registration, and at each attempt. */
  const cases: [string, Zone["a"], string, number, string | null][] = [
    ["it moved to a private address", (asked) => asked === 0 ? ["127.0.0.2"] : ["127.0.0.1"], "skipped", 1, "not public"],
    ["one more address is private", (asked) => asked === 0 ? ["127.0.0.2"] : ["127.0.0.2", "10.0.0.1"], "skipped", 1, "not public"],
    ["it is gone", (asked) => asked === 0 ? ["127.0.0.2"] : "nxdomain", "dropped", 3, "does not exist"],
    ["the name server fails", (asked) => asked === 0 ? ["127.0.0.2"] : "servfail", "dropped", 3, "could not be looked up"],
    ["it is back at the second attempt", (asked) => asked === 1 ? "nxdomain" : ["127.0.0.2"], "delivered", 2, null],
  ];
  for (const [why, a, ends, attempts, error] of cases) test(why, async () => {
    const name = `moving${n++}.test`;
    names.set(name, { a: a! });
    const hook = await register(`http://${name}:${ends === "delivered" ? receiver.port : inner.port}/`);
    inner.answers(() => new Response());
    await emit(hook.who, event_type, finished);
    const [delivery] = await hook.ended();
    expect({ status: delivery.status, attempts: delivery.attempts.length }).toEqual({ status: ends, attempts });
    if (error) expect(delivery.attempts.at(-1).error).toContain(error);
    expect(inner.came).toEqual([]);
  });

  test("once, and the connection goes to what was checked", async () => {
    names.set("twice.test", { a: (asked) => asked <= 1 ? ["127.0.0.2"] : ["127.0.0.1"] });
    const hook = await register(`http://twice.test:${receiver.port}/`);
    const before = names.asked("twice.test");
    await emit(hook.who, event_type, finished);
    await hook.ended();
    expect({ asked: names.asked("twice.test") - before, came: receiver.came.length }).toEqual({ asked: 2, came: 1 });
  });
});

test("a run that could not be ended is not told of, and nobody else's run either", async () => {
  const hook = await register();
  const other = await register(undefined, "transcription.completed");
  expect(emit(hook.who, event_type, finished, true)).rejects.toThrow("could not be ended");
  await emit(other.who, event_type, finished);
  await server.settle();
  expect([await hook.log(), await other.log()]).toEqual([[], []]);
});

test("a test delivery really comes, and any that has ended can be repeated", async () => {
  for (const [type, fields] of [[event_type, Object.keys(finished)], ["transcription.completed", ["event", "processing_run_id", "result_history_id", "status"]]] as const) {
    const hook = await register(undefined, type);
    receiver.answers(() => new Response());
    const sent = await server.send(hook.who, "POST", `/webhooks/${hook.id}/test`);
    expect([sent.status, sent.body.status, sent.headers.get("retry-after")]).toEqual([202, "pending", "1"]);
    await hook.ended();
    expect((await server.send(hook.who, "GET", sent.headers.get("location")!)).body).toMatchObject({ id: sent.body.id, status: "delivered" });
    expect(Object.keys(JSON.parse(receiver.came[0]!.body))).toEqual([...fields]);
    const again = await server.send(hook.who, "POST", `/webhooks/${hook.id}/deliveries/${sent.body.id}/redeliver`);
    expect(again.status).toBe(202);
    expect(again.body.id).not.toBe(sent.body.id);
    await hook.ended(2);
    expect(receiver.came.map(({ body }) => body)).toEqual(Array(2).fill(sent.body.request_body));
    expect(receiver.came[1]!.headers.get("webhook-id")).toBe(sent.body.id);
  }
});

test("a delivery under way can't be repeated, and a deleted webhook is not sent to", async () => {
  const hook = await register();
  const gate = Promise.withResolvers<void>();
  receiver.answers(async () => { await gate.promise; return new Response(null, { status: 500 }); });
  const sent = await server.send(hook.who, "POST", `/webhooks/${hook.id}/test`);
  await emit(hook.who, event_type, finished);
  await until(() => receiver.came.length === 1);
  expect((await server.send(hook.who, "POST", `/webhooks/${hook.id}/deliveries/${sent.body.id}/redeliver`)).status).toBe(409);
  expect((await server.send(hook.who, "DELETE", `/webhooks/${hook.id}`)).status).toBe(204);
  gate.resolve();
  await server.settle();
  await Bun.sleep(100);
  expect(receiver.came).toHaveLength(1);
});

test("after a rotation the new secret signs, and for a day the old one in webhook-signature too", async () => {
  const hook = await register();
  const rotated = await server.send(hook.who, "POST", `/webhooks/${hook.id}/rotate-secret`);
  expect([rotated.status, rotated.body.id, rotated.body.secret === hook.secret]).toEqual([200, hook.id, false]);
  await emit(hook.who, event_type, finished);
  await hook.ended();
  const { body, headers } = receiver.came[0]!;
  expect(await verify(rotated.body.secret, body, headers.get("x-dossier-signature")!)).toBe(true);
  expect(await verify(hook.secret, body, headers.get("x-old-name-signature")!)).toBe(false);
  for (const secret of [hook.secret, rotated.body.secret]) new Webhook(secret).verify(body, Object.fromEntries(headers));
  await server.store.db.updateTable("webhooks").set({ previous_until: Date.now() - 1 }).where("id", "=", hook.id).execute();
  await emit(hook.who, event_type, finished);
  await hook.ended(2);
  expect(() => new Webhook(hook.secret).verify(body, Object.fromEntries(receiver.came[1]!.headers))).toThrow();
});

test("an attempt that a crash cut off counts, and there is never a fourth", async () => {
  const hook = await register();
  receiver.answers(() => new Response(null, { status: 500 }));
  // As a killed server leaves it: two attempts have ended, the third has begun, and its job is claimed anew.
  const id = "whd_00000000000000000000000001", at = Date.now() - 1_000;
  await server.store.db.insertInto("webhooks_deliveries").values({ id, webhook_id: hook.id, message_id: id, event_type, status: "pending", request_body: "{}", attempts: 3, next_attempt_at: null, created_at: at }).execute();
  for (const number of [1, 2, 3]) {
    await server.store.db.insertInto("webhooks_attempts").values({ delivery_id: id, number, started_at: at, status_code: number < 3 ? 500 : null, error: null, duration_ms: number < 3 ? 5 : null, response_body: null }).execute();
  }
  const { Deliver } = await import("../plugins/webhooks/deliveries");
  await server.host.queue.enqueue(server.store.db, Deliver, { delivery_id: id, attempt: 3 });
  const [delivery] = await hook.ended();
  expect(delivery).toMatchObject({ status: "dropped", attempts: [{ status_code: 500 }, { status_code: 500 }, { status_code: null, error: expect.stringContaining("interrupted") }] });
  expect(receiver.came).toEqual([]);
  await server.host.queue.enqueue(server.store.db, Deliver, { delivery_id: id, attempt: 3 });
  await server.host.queue.enqueue(server.store.db, Deliver, { delivery_id: id, attempt: 4 });
  await server.settle();
  expect(receiver.came).toEqual([]);
});

test("a receiver that does not answer holds up nobody else", async () => {
  const dead = await register();
  const alive = await register(`http://hook.test:${receiver.port}/alive`);
  const gate = Promise.withResolvers<void>();
  receiver.answers(async (_, { path }) => {
    if (path !== "/alive") await gate.promise;
    return new Response();
  });
  for (let n = 0; n < 50; n++) await emit(dead.who, event_type, finished);
  await emit(alive.who, event_type, finished);
  const [delivery] = await alive.ended();
  expect(delivery.status).toBe("delivered");
  expect(receiver.came.filter(({ path }) => path !== "/alive")).toHaveLength(1);
  await server.send(dead.who, "DELETE", `/webhooks/${dead.id}`);
  gate.resolve();
});

describe("Retry-After", () => {
  const now_ms = Date.UTC(2026, 0, 1);
  const cases: [string, string | null, number | null][] = [
    ["none", null, null], ["seconds", "120", 120_000], ["a date", "Thu, 01 Jan 2026 00:01:00 GMT", 60_000], ["a date that is over", "Thu, 01 Jan 2015 00:01:00 GMT", 0], ["nonsense", "soon", null], ["negative", "-1x", null],
  ];
  for (const [why, value, ms] of cases) test(why, () => expect(retryAfter(value, now_ms)).toBe(ms));
  for (const [asked, least_s, most_s] of [["60", 55, 61], ["86400", 890, 901]] as const) test(`a receiver that asks for ${asked} s waits at most 15 min`, async () => {
    const hook = await register();
    receiver.answers(() => new Response(null, { status: 503, headers: { "retry-after": asked } }));
    await emit(hook.who, event_type, finished);
    await until(async () => (await hook.log())[0]?.next_attempt_at != null && (await hook.log())[0].attempts[0]?.status_code === 503);
    const wait_s = (Date.parse((await hook.log())[0].next_attempt_at) - Date.now()) / 1_000;
    expect(wait_s).toBeGreaterThan(least_s);
    expect(wait_s).toBeLessThan(most_s);
    await server.send(hook.who, "DELETE", `/webhooks/${hook.id}`);
  });
});
