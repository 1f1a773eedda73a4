/**
 * Acceptance, on the executable: managing a webhook: its log, test deliveries, redelivery, secret
 * rotation and deletion. A number in brackets names a threat.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { verify } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import { expectProblem } from "../helpers/contract";
import { placesWith } from "../helpers/databases";
import { until } from "../helpers/server";
import { event_type, finished, startHooks, type Hooks } from "../helpers/hooks";

let hooks: Hooks;
beforeAll(async () => {
  hooks = await startHooks({ env: { DOSSIER_WEBHOOKS_RETRY_DELAYS: "300ms" } });
}, 180_000);
afterAll(() => hooks?.[Symbol.asyncDispose]());
beforeEach(() => hooks.receiver.answerWith(() => new Response()));

describe("a test delivery", () => {
  const cases: [type: string, fields: object][] = [
    [
      event_type,
      {
        event: event_type,
        import_run_id: expect.stringMatching(/^imp_/),
        status: "completed",
        completed_item_count: expect.any(Number),
        succeeded_item_count: expect.any(Number),
        failed_item_count: expect.any(Number),
      },
    ],
    [
      "transcription.completed",
      {
        event: "transcription.completed",
        processing_run_id: expect.stringMatching(/^trn_/),
        result_history_id: null,
        status: "completed",
      },
    ],
  ];
  for (const [type, fields] of cases)
    test(`of ${type} arrives and looks like a real one`, async () => {
      await using hook = await hooks.register(undefined, { type });
      const sent = await hooks.ada.send("POST", `/webhooks/${hook.id}/test`);
      expect([sent.status, sent.headers.get("location"), sent.headers.get("retry-after")]).toEqual([
        202,
        `/api/dev/v1/webhooks/${hook.id}/deliveries/${sent.body.id}`,
        "1",
      ]);
      expect(sent.body).toEqual({
        id: expect.stringMatching(/^whd_[0-9A-HJKMNP-TV-Z]{26}$/),
        webhook_id: hook.id,
        event_type: type,
        status: "pending",
        attempts: [],
        next_attempt_at: expect.any(String),
        request_body: expect.any(String),
        created_at: expect.any(String),
      });
      const [delivery] = await hook.ended();
      expect((await hooks.ada.send("GET", sent.headers.get("location")!)).body).toEqual(delivery);
      const { body, headers } = hooks.receiver.deliveries[0]!;
      expect(JSON.parse(body)).toEqual(fields);
      expect(await verify(hook.secret, body, headers.get("x-service-signature")!)).toBe(true);
    });
});

describe("redelivery", () => {
  for (const [why, code, ends] of [
    ["of a delivered message", 204, "delivered"],
    ["of a dropped message", 500, "dropped"],
  ] as const)
    test(why, async () => {
      await using hook = await hooks.register();
      hooks.receiver.answerWith(() => new Response(null, { status: code }));
      await hooks.emit(finished);
      const [first] = await hook.ended();
      expect(first.status).toBe(ends);
      hooks.receiver.answerWith(() => new Response());
      const repeated = await hooks.ada.send(
        "POST",
        `/webhooks/${hook.id}/deliveries/${first.id}/redeliver`,
      );
      expect([
        repeated.status,
        repeated.headers.get("location"),
        repeated.headers.get("retry-after"),
        repeated.body.id === first.id,
      ]).toEqual([
        202,
        `/api/dev/v1/webhooks/${hook.id}/deliveries/${repeated.body.id}`,
        "1",
        false,
      ]);
      const [second, unchanged] = await hook.ended(2);
      expect([
        second.id,
        second.status,
        second.attempts.length,
        second.request_body,
        unchanged,
      ]).toEqual([repeated.body.id, "delivered", 1, first.request_body, first]);
      // The receiver gets the same message with a fresh signature.
      expect(hooks.receiver.deliveries[0]!.headers.get("webhook-id")).toBe(first.id);
      expect(
        new Webhook(hook.secret).verify(
          hooks.receiver.deliveries[0]!.body,
          Object.fromEntries(hooks.receiver.deliveries[0]!.headers),
        ),
      ).toEqual(finished);
    });

  test("is refused while a delivery is pending and for a missing one", async () => {
    await using hook = await hooks.register();
    hooks.receiver.answerWith(() => new Response(null, { status: 500 }));
    const sent = (await hooks.ada.send("POST", `/webhooks/${hook.id}/test`)).body;
    expectProblem(
      await hooks.ada.send("POST", `/webhooks/${hook.id}/deliveries/${sent.id}/redeliver`),
      409,
    );
    expectProblem(
      await hooks.ada.send(
        "POST",
        `/webhooks/${hook.id}/deliveries/whd_00000000000000000000000000/redeliver`,
      ),
      404,
    );
    await using other = await hooks.register("http://hook.test:1/other");
    expectProblem(await hooks.ada.send("GET", `/webhooks/${other.id}/deliveries/${sent.id}`), 404);
  });
});

test("a rotated secret signs at once; webhook-signature adds the old one for a day", async () => {
  await using hook = await hooks.register();
  const rotated = await hooks.ada.send("POST", `/webhooks/${hook.id}/rotate-secret`);
  const { secret, ...record } = rotated.body;
  expect([rotated.status, secret]).toEqual([
    200,
    expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
  ]);
  expect(record).toEqual((await hooks.ada.send("GET", `/webhooks/${hook.id}`)).body);
  await hooks.emit(finished);
  await hook.ended();
  const { body, headers } = hooks.receiver.deliveries[0]!;
  for (const name of ["x-service-signature", "x-legacy-signature"])
    expect([
      await verify(secret, body, headers.get(name)!),
      await verify(hook.secret, body, headers.get(name)!),
      headers.get(name)!.length,
    ]).toEqual([true, false, 71]);
  expect(
    headers
      .get("webhook-signature")!
      .split(" ")
      .map((one) => one.slice(0, 3)),
  ).toEqual(["v1,", "v1,"]);
  for (const either of [secret, hook.secret])
    expect(new Webhook(either).verify(body, Object.fromEntries(headers))).toEqual(finished);
  // Only the previous secret is kept: a second rotation ends the first one.
  const third = (await hooks.ada.send("POST", `/webhooks/${hook.id}/rotate-secret`)).body.secret;
  await hooks.emit(finished);
  await hook.ended(2);
  const later = Object.fromEntries(hooks.receiver.deliveries[1]!.headers);
  for (const either of [third, secret])
    expect(new Webhook(either).verify(body, later)).toEqual(finished);
  expect(() => new Webhook(hook.secret).verify(body, later)).toThrow();
});

describe("the log", () => {
  test("is paged, newest first, like other lists", async () => {
    await using hook = await hooks.register();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++)
      ids.unshift((await hooks.ada.send("POST", `/webhooks/${hook.id}/test`)).body.id);
    await hook.ended(5);
    const { body } = await hooks.ada.send(
      "GET",
      `/webhooks/${hook.id}/deliveries?per_page=2&page=2`,
    );
    expect([body.data.map(({ id }: { id: string }) => id), body.pagination]).toEqual([
      ids.slice(2, 4),
      { count: 2, total: 5, per_page: 2, total_pages: 3, next_page: 3, previous_page: 1 },
    ]);
    expectProblem(await hooks.ada.send("GET", `/webhooks/${hook.id}/deliveries?page=0`), 400);
  });

  test("shows a running attempt and the time of the next one", async () => {
    await using hook = await hooks.register();
    const gate = Promise.withResolvers<void>();
    hooks.receiver.answerWith(async () => {
      await gate.promise;
      return new Response("not now", { status: 500 });
    });
    await hooks.emit(finished);
    await until(() => hooks.receiver.deliveries.length === 1);
    expect(await hook.log()).toMatchObject([
      {
        status: "pending",
        next_attempt_at: null,
        attempts: [{ status_code: null, error: null, response_body: null }],
      },
    ]);
    gate.resolve();
    let delivery: any;
    await until(async () => {
      [delivery] = await hook.log();
      return delivery.attempts[0].status_code === 500;
    });
    expect(delivery.attempts[0].response_body).toBe("not now");
    const gap_ms =
      Date.parse((await hook.ended())[0].attempts[1].at) - Date.parse(delivery.attempts[0].at);
    // The delay is 300 ms, plus or minus a fifth.
    expect(gap_ms).toBeGreaterThanOrEqual(240);
  });

  test("keeps the first 4 KiB of a response, even invalid UTF-8", async () => {
    await using hook = await hooks.register();
    const answers = [
      () => new Response("ä".repeat(5_000)),
      () => new Response(new Uint8Array([0x41, 0, 0xff, 0x42])),
    ];
    hooks.receiver.answerWith((n) => answers[n]!());
    await hooks.emit(finished, { times: 2 });
    const [second, first] = await hook.ended(2);
    expect([first.attempts[0].response_body, second.attempts[0].response_body]).toEqual([
      "ä".repeat(2_048),
      "A\ufffd\ufffdB",
    ]);
  });
});

describe("[25] a deleted webhook", () => {
  test("leaves nothing in any file or table", async () => {
    const hook = await hooks.register(
      `http://hook.test:${hooks.receiver.port}/?key=canary-of-the-receiver`,
    );
    await hooks.emit(finished);
    await hook.ended();
    const places = () => placesWith(hooks.server.data, "canary-of-the-receiver");
    expect(await places()).not.toEqual([]);
    expect((await hooks.ada.send("DELETE", `/webhooks/${hook.id}`)).status).toBe(204);
    await until(async () => (await places()).length === 0);
  });

  test("gets no messages queued behind a running delivery", async () => {
    const hook = await hooks.register();
    const gate = Promise.withResolvers<void>();
    hooks.receiver.answerWith(async () => {
      await gate.promise;
      return new Response();
    });
    await hooks.emit(finished, { times: 20 });
    await until(() => hooks.receiver.deliveries.length === 1);
    await until(async () => (await hook.log()).length === 20);
    expect((await hooks.ada.send("DELETE", `/webhooks/${hook.id}`)).status).toBe(204);
    gate.resolve();
    expectProblem(await hooks.ada.send("GET", `/webhooks/${hook.id}/deliveries`), 404);
    // A later delivery to another webhook shows that the queue has moved on.
    await using next = await hooks.register(`http://hook.test:${hooks.receiver.port}/next`);
    await hooks.emit(finished);
    await next.ended();
    expect(hooks.receiver.deliveries.map(({ path }) => path)).toEqual(["/hook", "/next"]);
  });

  test("gets no further attempt of a failed delivery", async () => {
    const hook = await hooks.register();
    hooks.receiver.answerWith(() => new Response(null, { status: 500 }));
    await hooks.emit(finished);
    await until(async () => (await hook.log())[0]?.attempts[0]?.status_code === 500);
    const delivery_count = hooks.receiver.deliveries.length;
    expect((await hooks.ada.send("DELETE", `/webhooks/${hook.id}`)).status).toBe(204);
    // Longer than the pause before the next attempt.
    await Bun.sleep(600);
    expect(hooks.receiver.deliveries.length).toBe(delivery_count);
  });
});
