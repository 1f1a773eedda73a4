/**
 * Acceptance, on the executable: what is delivered, how often, and what the log records.
 * Signatures are verified with third-party libraries. A number in brackets names a threat.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { verify } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import { rfc3339 } from "../helpers/contract";
import { person } from "../helpers/person";
import { until } from "../helpers/server";
import { event_type, finished, startHooks, type Hooks } from "../helpers/hooks";

const has_ipv6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === "::1");
let hooks: Hooks;
beforeAll(async () => {
  hooks = await startHooks({
    env: {
      DOSSIER_WEBHOOKS_HEADER_PREFIX: "Dossier",
      DOSSIER_WEBHOOKS_LEGACY_HEADER_PREFIX: "Old-Name",
    },
  });
}, 180_000);
afterAll(() => hooks?.[Symbol.asyncDispose]());
beforeEach(() => {
  hooks.receiver.answerWith(() => new Response("thanks", { status: 200 }));
  hooks.inner.answerWith(() => new Response());
});

describe("[20] a delivery matches the contract to the byte", () => {
  const transcribed = {
    event: "transcription.completed",
    processing_run_id: "trn_1",
    result_history_id: null,
    status: "completed",
  };
  const cases: [why: string, body: object, type: string][] = [
    ["a finished import", finished, event_type],
    ["a completed transcription", transcribed, "transcription.completed"],
    [
      "unusual characters",
      {
        event: event_type,
        import_run_id: '日本語 \u2028 " \\ </script> \u0001 é e\u0301 🧑‍🚀',
        status: "failed",
      },
      event_type,
    ],
  ];
  for (const [why, due, type] of cases)
    test(why, async () => {
      await using hook = await hooks.register(undefined, { type });
      await hooks.emit(due, { type });
      const [delivery] = await hook.ended();
      expect(hooks.receiver.deliveries).toHaveLength(1);
      const { method, path, body, headers } = hooks.receiver.deliveries[0]!;
      expect({
        method,
        path,
        body: JSON.parse(body),
        type: headers.get("content-type"),
        host: headers.get("host"),
      }).toEqual({
        method: "POST",
        path: "/hook",
        body: due,
        type: "application/json",
        host: `hook.test:${hooks.receiver.port}`,
      });
      for (const prefix of ["dossier", "old-name"]) {
        const signature = headers.get(`x-${prefix}-signature`)!;
        expect([headers.get(`x-${prefix}-event`), signature]).toEqual([
          type,
          expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
        ]);
        expect([
          await verify(hook.secret, body, signature),
          await verify(hook.secret, `${body} `, signature),
          await verify(hook.secret.slice(6), body, signature),
        ]).toEqual([true, false, false]);
      }
      expect(headers.get("x-dossier-signature")).toBe(headers.get("x-old-name-signature"));
      expect(new Webhook(hook.secret).verify(body, Object.fromEntries(headers))).toEqual(due);
      expect(() =>
        new Webhook(hook.secret).verify(`${body} `, Object.fromEntries(headers)),
      ).toThrow();
      expect(() =>
        new Webhook(hook.secret).verify(body, {
          ...Object.fromEntries(headers),
          "webhook-timestamp": "1000000000",
        }),
      ).toThrow();
      expect(delivery).toEqual({
        id: headers.get("webhook-id"),
        webhook_id: hook.id,
        event_type: type,
        status: "delivered",
        next_attempt_at: null,
        request_body: body,
        created_at: expect.stringMatching(rfc3339),
        attempts: [
          {
            at: expect.stringMatching(rfc3339),
            status_code: 200,
            error: null,
            duration_ms: expect.any(Number),
            response_body: "thanks",
          },
        ],
      });
      const { last_delivery } = (await hooks.ada.send("GET", `/webhooks/${hook.id}`)).body;
      expect(last_delivery).toEqual({
        id: delivery.id,
        status: "delivered",
        created_at: delivery.created_at,
        status_code: 200,
        error: null,
      });
    });

  test("header names come from settings and default to Service and Legacy", async () => {
    await using plain = await startHooks();
    await using hook = await plain.register();
    await plain.emit(finished);
    await hook.ended();
    const { body, headers } = plain.receiver.deliveries[0]!;
    for (const prefix of ["service", "legacy"])
      expect([
        headers.get(`x-${prefix}-event`),
        await verify(hook.secret, body, headers.get(`x-${prefix}-signature`)!),
      ]).toEqual([event_type, true]);
  });
});

describe("who gets an event", () => {
  test("only the account's webhooks for it, each with its own signature", async () => {
    const eve = await person(hooks.server, "eve");
    await using first = await hooks.register();
    await using second = await hooks.register(`http://hook.test:${hooks.receiver.port}/second`);
    await using other_event = await hooks.register(undefined, { type: "transcription.completed" });
    await using other_account = await hooks.register(undefined, { who: eve });
    await hooks.emit(finished);
    await first.ended();
    await second.ended();
    const secrets: Record<string, string> = { "/hook": first.secret, "/second": second.secret };
    expect(hooks.receiver.deliveries.map(({ path }) => path).toSorted()).toEqual([
      "/hook",
      "/second",
    ]);
    for (const { path, body, headers } of hooks.receiver.deliveries)
      expect(await verify(secrets[path]!, body, headers.get("x-dossier-signature")!)).toBe(true);
    expect([await other_event.log(), await other_account.log()]).toEqual([[], []]);
  });

  test("no webhook when ending the run fails", async () => {
    await using hook = await hooks.register();
    await hooks.emit({ ...finished, import_run_id: "undone" }, { fail: true });
    await hooks.emit(finished);
    await hook.ended();
    expect(hooks.receiver.deliveries.map(({ body }) => JSON.parse(body).import_run_id)).toEqual([
      finished.import_run_id,
    ]);
  });

  test("not a webhook registered after the event", async () => {
    await using before = await hooks.register();
    await hooks.emit(finished);
    await before.ended();
    await using after = await hooks.register(`http://hook.test:${hooks.receiver.port}/after`);
    expect(await after.log()).toEqual([]);
  });
});

describe("attempts", () => {
  const status =
    (...codes: number[]) =>
    (n: number) =>
      new Response("x", { status: codes[n] ?? 500 });
  const redirect = (code: number) => () =>
    new Response(null, {
      status: code,
      headers: { location: `http://127.0.0.1:${hooks.inner.port}/elsewhere` },
    });
  const cases: [why: string, answering: (n: number) => Response, codes: number[], ends: string][] =
    [
      ["[22] 204 at once", status(204), [204], "delivered"],
      ["[22] 500, 500, 204", status(500, 500, 204), [500, 500, 204], "delivered"],
      ["[22] 500 three times", status(500, 500, 500), [500, 500, 500], "dropped"],
      ["299 is 2xx", status(299), [299], "delivered"],
      ["404, then 200", status(404, 200), [404, 200], "delivered"],
      ["410 is retried like any other failure", status(410, 410, 410), [410, 410, 410], "dropped"],
      ["429 without Retry-After", status(429, 200), [429, 200], "delivered"],
      ["[17] 301 is not followed", redirect(301), [301, 301, 301], "dropped"],
      ["[17] 302 is not followed", redirect(302), [302, 302, 302], "dropped"],
      ["[17] 303 is not followed", redirect(303), [303, 303, 303], "dropped"],
      ["[17] 307 is not followed", redirect(307), [307, 307, 307], "dropped"],
      ["[17] 308 is not followed", redirect(308), [308, 308, 308], "dropped"],
    ];
  for (const [why, answering, codes, ends] of cases)
    test(why, async () => {
      await using hook = await hooks.register();
      hooks.receiver.answerWith(answering);
      await hooks.emit(finished);
      const [delivery] = await hook.ended();
      expect({
        status: delivery.status,
        codes: delivery.attempts.map((attempt: { status_code: number }) => attempt.status_code),
        next: delivery.next_attempt_at,
        elsewhere: hooks.inner.deliveries.length,
      }).toEqual({ status: ends, codes, next: null, elsewhere: 0 });
      expect(
        hooks.receiver.deliveries.map(({ body, headers }) => [
          body,
          headers.get("webhook-id"),
          headers.get("x-dossier-signature"),
        ]),
      ).toEqual(
        codes.map(() => [
          delivery.request_body,
          delivery.id,
          hooks.receiver.deliveries[0]!.headers.get("x-dossier-signature"),
        ]),
      );
      if (codes[0]! >= 300 && codes[0]! < 400)
        expect(delivery.attempts[0].error).toContain("redirect");
    });

  test("a receiver that refuses connections", async () => {
    await using hook = await hooks.register("http://hook.test:1/");
    await hooks.emit(finished);
    const [delivery] = await hook.ended();
    expect(delivery).toMatchObject({
      status: "dropped",
      attempts: Array.from({ length: 3 }, () => ({
        status_code: null,
        error: "the connection was refused",
        response_body: null,
      })),
    });
  });

  for (const [status_code, retry_after, most_s] of [
    [503, "60", 60],
    [429, "60", 60],
    [503, "86400", 900],
  ] as const)
    test(`${status_code} with Retry-After: ${retry_after} delays the next attempt by ${most_s} s`, async () => {
      await using hook = await hooks.register();
      hooks.receiver.answerWith(
        () => new Response(null, { status: status_code, headers: { "retry-after": retry_after } }),
      );
      await hooks.emit(finished);
      let delivery: any;
      await until(async () => {
        [delivery] = await hook.log();
        return (
          delivery?.attempts[0]?.status_code === status_code && delivery.next_attempt_at !== null
        );
      });
      const wait_s =
        (Date.parse(delivery.next_attempt_at) -
          Date.parse(delivery.attempts[0].at) -
          delivery.attempts[0].duration_ms) /
        1_000;
      expect(delivery.status).toBe("pending");
      expect(wait_s).toBeGreaterThanOrEqual(most_s);
      expect(wait_s).toBeLessThan(most_s + 20);
    });
});

describe("[13] the host is resolved again before every attempt", () => {
  const pub = ["127.0.0.2"];
  const cases: [
    why: string,
    later: readonly string[] | "nxdomain" | "servfail" | "refused",
    ends: string,
    attempts: number,
    says: string,
  ][] = [
    ["a move to loopback is skipped", ["127.0.0.1"], "skipped", 1, "non-public"],
    ["a move to a private network", ["10.0.0.1"], "skipped", 1, "non-public"],
    ["one of several addresses is private", ["127.0.0.2", "127.0.0.1"], "skipped", 1, "non-public"],
    ["a name that no longer exists", "nxdomain", "dropped", 3, "does not exist"],
    ["the name server failed", "servfail", "dropped", 3, "could not be looked up"],
    ["the name server refuses", "refused", "dropped", 3, "could not be looked up"],
  ];
  for (const [index, [why, later, ends, attempts, says]] of cases.entries())
    test(why, async () => {
      const name = `moving${index}.test`;
      hooks.names.set(name, { a: (n) => (n === 0 ? pub : later) });
      await using hook = await hooks.register(`http://${name}:${hooks.inner.port}/`);
      await hooks.emit(finished);
      const [delivery] = await hook.ended();
      expect({
        status: delivery.status,
        attempts: delivery.attempts.length,
        came: hooks.inner.deliveries.length,
      }).toEqual({ status: ends, attempts, came: 0 });
      for (const attempt of delivery.attempts)
        expect(attempt).toEqual({
          at: expect.any(String),
          status_code: null,
          error: expect.stringContaining(says),
          duration_ms: expect.any(Number),
          response_body: null,
        });
    });

  test("a move before the second attempt prevents a third", async () => {
    hooks.names.set("later.test", { a: (n) => (n <= 1 ? pub : ["127.0.0.1"]) });
    await using hook = await hooks.register(`http://later.test:${hooks.receiver.port}/`);
    hooks.receiver.answerWith(() => new Response(null, { status: 500 }));
    await hooks.emit(finished);
    const [delivery] = await hook.ended();
    expect([
      delivery.status,
      delivery.attempts.map((attempt: any) => attempt.status_code),
      hooks.receiver.deliveries.length,
      hooks.inner.deliveries.length,
    ]).toEqual(["skipped", [500, null], 1, 0]);
  });

  test("[14] each attempt resolves once and connects to the checked address", async () => {
    hooks.names.set("twice.test", { a: (n) => (n <= 1 ? pub : ["127.0.0.1"]) });
    await using hook = await hooks.register(`http://twice.test:${hooks.receiver.port}/`);
    const before = hooks.names.queryCount("twice.test");
    await hooks.emit(finished);
    await hook.ended();
    // One query for each address family.
    expect([
      hooks.names.queryCount("twice.test") - before,
      hooks.receiver.deliveries.length,
      hooks.inner.deliveries.length,
    ]).toEqual([2, 1, 0]);
  });

  test.skipIf(!has_ipv6)("deliveries go to IPv6 addresses too", async () => {
    using six = Bun.serve({
      port: 0,
      hostname: "::1",
      fetch: (request) => new Response(request.headers.get("host")),
    });
    hooks.names.set("six.test", { aaaa: ["::1"] });
    await using named = await hooks.register(`http://six.test:${six.port}/`);
    await using literal = await hooks.register(`http://[::1]:${six.port}/`);
    await hooks.emit(finished);
    expect([
      (await named.ended())[0].attempts[0].response_body,
      (await literal.ended())[0].attempts[0].response_body,
    ]).toEqual([`six.test:${six.port}`, `[::1]:${six.port}`]);
  });
});
