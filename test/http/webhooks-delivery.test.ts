/**
 * Deliveries in this process: cases that can't be tested from outside, such as another day, another
 * key, or a crash at a chosen moment.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { retryAfterMs } from "../../core/lib/retry-after";
import { definePlugin } from "../../core/sdk";
import { WebhookDue } from "../../plugins/webhooks/contract";
import { Deliver } from "../../plugins/webhooks/jobs";
import { startTestServer, type TestServer } from "../helpers/host";
import { until } from "../helpers/server";
import { startNameServer, type NameServer } from "../../scripts/lib/name-server";
import { event_type, finished } from "../helpers/hooks";
import { startReceiver, type Receiver } from "../helpers/receiver";

let names: NameServer;
let server: TestServer;
let receiver: Receiver;
/** Emits the end of a run of this person. */
let emit: (who: string) => Promise<void>;
const emitter = definePlugin({
  name: "emitter",
  version: "1.0.0",
  setup: (ctx) => {
    emit = (who) =>
      ctx.inTransaction((tx) =>
        ctx.emit(tx, WebhookDue, { owner_id: `usr_${who}`, event_type, body: finished }),
      );
    return {};
  },
});

beforeAll(async () => {
  names = await startNameServer();
  names.set("hook.test", ["127.0.0.2"]);
  receiver = startReceiver();
  server = await startTestServer({
    plugins: [emitter],
    env: {
      DOSSIER_WEBHOOKS_DNS_SERVERS: names.address,
      DOSSIER_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.2",
      DOSSIER_WEBHOOKS_RETRY_DELAYS: "20ms,40ms",
    },
  });
});
afterAll(() => {
  for (const resource of [names, receiver]) resource[Symbol.dispose]();
});
beforeEach(() => receiver.answerWith(() => new Response()));

let created_count = 0;
/** A webhook of a new person. */
async function register() {
  const who = `person${created_count++}`;
  const { status, body } = await server.send(who, "POST", "/webhooks", {
    event_type,
    url: `http://hook.test:${receiver.port}/`,
  });
  expect(status).toBe(201);
  const log = async () =>
    (await server.send(who, "GET", `/webhooks/${body.id}/deliveries`)).body.data;
  return {
    who,
    ...(body as { id: string; secret: string }),
    log,
    ended: async () => {
      await until(async () => {
        const all = await log();
        return (
          all.length > 0 && all.every(({ status }: { status: string }) => status !== "pending")
        );
      });
      return log();
    },
  };
}

test("a day after rotation the old secret no longer signs", async () => {
  const hook = await register();
  const { secret } = (await server.send(hook.who, "POST", `/webhooks/${hook.id}/rotate-secret`))
    .body;
  await server.store.db
    .updateTable("webhooks")
    .set({ previous_until: Date.now() - 1 })
    .where("id", "=", hook.id)
    .execute();
  await emit(hook.who);
  await hook.ended();
  const { body, headers } = receiver.deliveries[0]!;
  new Webhook(secret).verify(body, Object.fromEntries(headers));
  expect(() => new Webhook(hook.secret).verify(body, Object.fromEntries(headers))).toThrow();
});

test("a secret sealed with another key sends nothing, and the log says what to do", async () => {
  const hook = await register();
  await server.store.db
    .updateTable("webhooks")
    .set({ secret: "v1.AAAA" })
    .where("id", "=", hook.id)
    .execute();
  await emit(hook.who);
  const [delivery] = await hook.ended();
  expect([delivery.status, delivery.attempts[0].error]).toEqual([
    "dropped",
    expect.stringContaining("rotate the secret"),
  ]);
  expect(receiver.deliveries).toEqual([]);
});

test("nothing is sent for a deactivated user", async () => {
  const hook = await register();
  await server.store.db
    .updateTable("accounts_users")
    .set({ active: 0 })
    .where("id", "=", `usr_${hook.who}`)
    .execute();
  await emit(hook.who);
  await server.settle();
  await server.store.db
    .updateTable("accounts_users")
    .set({ active: 1 })
    .where("id", "=", `usr_${hook.who}`)
    .execute();
  expect(
    (await hook.log()).map(({ status, attempts }: { status: string; attempts: unknown[] }) => [
      status,
      attempts,
    ]),
  ).toEqual([["cancelled", []]]);
  expect(receiver.deliveries).toEqual([]);
});

test("an attempt interrupted by a crash counts, and there is no fourth", async () => {
  const hook = await register();
  receiver.answerWith(() => new Response(null, { status: 500 }));
  // As a killed server leaves it: two attempts have ended, the third has begun, and its job is
  // claimed again.
  const id = "whd_00000000000000000000000001";
  const at = Date.now() - 1_000;
  await server.store.db
    .insertInto("webhooks_deliveries")
    .values({
      id,
      webhook_id: hook.id,
      message_id: id,
      event_type,
      status: "pending",
      request_body: "{}",
      attempts: 3,
      next_attempt_at: null,
      created_at: at,
    })
    .execute();
  for (const number of [1, 2, 3]) {
    await server.store.db
      .insertInto("webhooks_attempts")
      .values({
        delivery_id: id,
        number,
        started_at: at,
        status_code: number < 3 ? 500 : null,
        error: null,
        duration_ms: number < 3 ? 5 : null,
        response_body: null,
      })
      .execute();
  }
  const { Deliver } = await import("../../plugins/webhooks/jobs");
  await server.host.queue.enqueue(server.store.db, Deliver, { delivery_id: id, attempt: 3 });
  const [delivery] = await hook.ended();
  expect(delivery).toMatchObject({
    status: "dropped",
    attempts: [
      { status_code: 500 },
      { status_code: 500 },
      { status_code: null, error: expect.stringContaining("interrupted") },
    ],
  });
  expect(receiver.deliveries).toEqual([]);
  await server.host.queue.enqueue(server.store.db, Deliver, { delivery_id: id, attempt: 3 });
  await server.host.queue.enqueue(server.store.db, Deliver, { delivery_id: id, attempt: 4 });
  await server.settle();
  expect(receiver.deliveries).toEqual([]);
});

describe("Retry-After", () => {
  const now_ms = Date.UTC(2026, 0, 1);
  const cases: [string, string | null, number | null][] = [
    ["missing", null, null],
    ["seconds", "120", 120_000],
    ["a date", "Thu, 01 Jan 2026 00:01:00 GMT", 60_000],
    ["a past date", "Thu, 01 Jan 2015 00:01:00 GMT", 0],
    ["invalid", "soon", null],
    ["a negative number", "-1x", null],
  ];
  for (const [why, value, ms] of cases)
    test(why, () => expect(retryAfterMs(value, now_ms)).toBe(ms));
});

test("a deleted webhook is gone at once, and its log and its jobs in parts", async () => {
  const { id, who } = await register();
  const { db, inTransaction } = server.store;
  const count = 1_000;
  await inTransaction(async (tx) => {
    for (let n = 0; n < count; n++) {
      const delivery_id = `whd_${n}`;
      await tx
        .insertInto("webhooks_deliveries")
        .values({
          id: delivery_id,
          webhook_id: id,
          message_id: delivery_id,
          event_type,
          status: "pending",
          request_body: "{}",
          attempts: 0,
          created_at: Date.now(),
        })
        .execute();
      const payload = { delivery_id, attempt: 1 };
      const run_at_ms = Date.now() + 60_000;
      await server.host.queue.enqueue(tx, Deliver, payload, { subject: id, run_at_ms });
    }
  });
  const left = async (): Promise<number[]> => {
    const deliveries = await db
      .selectFrom("webhooks_deliveries")
      .select("id")
      .where("webhook_id", "=", id)
      .execute();
    const jobs = await db
      .selectFrom("core_jobs")
      .select("id")
      .where("subject", "=", id)
      .where("state", "=", "ready")
      .execute();
    return [deliveries.length, jobs.length];
  };
  const steps: number[][] = [await left()];
  const deleted = server.send(who, "DELETE", `/webhooks/${id}`);
  // In every turn of the event loop: the parts follow each other quickly.
  for (const deadline = performance.now() + 20_000; steps.at(-1)!.some((rows) => rows > 0);) {
    expect(performance.now()).toBeLessThan(deadline);
    await new Promise((resolve) => setImmediate(resolve));
    steps.push(await left());
  }
  expect((await deleted).status).toBe(204);
  expect((await server.send(who, "GET", `/webhooks/${id}`)).status).toBe(404);
  // The counts of deliveries, and of jobs, that were seen on the way.
  for (const seen of [0, 1].map((at) => new Set(steps.map((step) => step[at]))))
    expect(seen.size).toBeGreaterThan(3);
});
