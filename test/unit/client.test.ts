/** The TypeScript client by itself: retries, reading of events, and webhook verification. */
import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { Dossier, DossierError, verifyWebhook, type SentWebhook } from "../../client/src/index";
import { eventsOf } from "../../client/src/event-stream";

type Answer = Response | Error;
const busy = (status: number, after?: string): Response =>
  Response.json(
    { code: "unavailable", detail: "Busy.", request_id: "req_1" },
    { status, headers: after === undefined ? {} : { "retry-after": after } },
  );
const fine = () => Response.json({ data: [], id: "x" });
const cut = () => new TypeError("fetch failed");
const answering = (answers: readonly (() => Answer)[], options: object = {}) => {
  const bodies: string[] = [];
  const client = new Dossier({
    baseUrl: "http://dossier.test",
    key: "dsk_1",
    retryDelayMax: 50,
    fetch: async (_: string, init: RequestInit) => {
      bodies.push(await new Response(init.body).text());
      const answer = (answers[bodies.length - 1] ?? answers.at(-1)!)();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    ...options,
  });
  return { client, bodies };
};

describe("retrying a request:", () => {
  type Work = (client: Dossier) => Promise<unknown>;
  const list: Work = (client) => client.listFolders();
  const create: Work = (client) => client.createFolder({ name: "a" });
  const rows: [why: string, work: Work, answers: (() => Answer)[], tries: number, end: string][] = [
    ["503 with Retry-After is retried", create, [() => busy(503, "0"), fine], 2, "done"],
    ["429 with Retry-After is retried", create, [() => busy(429, "0"), fine], 2, "done"],
    ["at most three retries", create, [() => busy(503, "0")], 4, "unavailable"],
    ["a long Retry-After is not waited for", list, [() => busy(503, "60")], 1, "unavailable"],
    ["a read is retried after a lost connection", list, [cut, cut, fine], 3, "done"],
    ["a read is retried after 502", list, [() => busy(502), fine], 2, "done"],
    [
      "a search is retried after a lost connection",
      (client) => client.search({ query: "a" }),
      [cut, fine],
      2,
      "done",
    ],
    ["a write isn't retried after a lost connection", create, [cut], 1, "unreachable"],
    ["a write isn't retried after 502", create, [() => busy(502)], 1, "unavailable"],
    ["500 isn't retried", list, [() => busy(500)], 1, "unavailable"],
    ["404 isn't retried", list, [() => busy(404)], 1, "unavailable"],
    [
      "404 on a retried delete counts as deleted",
      (client) => client.deleteFolder("a"),
      [cut, () => busy(404)],
      2,
      "done",
    ],
  ];
  test.each(rows)("%s", async (_why, work, answers, tries, end) => {
    const { client, bodies } = answering(answers);
    const ended = await work(client).then(
      () => "done",
      (error: DossierError) => error.code,
    );
    expect([bodies.length, ended]).toEqual([tries, end]);
    expect(new Set(bodies).size).toBe(1);
  });
  test("no retries when they are turned off", async () => {
    const { client, bodies } = answering([cut], { retries: 0 });
    await expect(client.listFolders()).rejects.toThrow(/could not be reached: fetch failed/);
    expect(bodies).toHaveLength(1);
  });
});

test("a timeout and an abort are told apart", async () => {
  const hanging = (_: string, { signal }: RequestInit) =>
    new Promise((_resolve, reject) => {
      signal!.addEventListener("abort", () => reject(signal!.reason));
    });
  const client = new Dossier({
    baseUrl: "http://dossier.test",
    key: "dsk_1",
    timeout: 5,
    retries: 0,
    fetch: hanging as never,
  });
  const late = await client.listFolders().catch((error) => error);
  expect([late.code, late.status]).toEqual(["timeout", 0]);
  const left = AbortSignal.abort(new Error("enough"));
  const stopped = await client.listFolders({}, { signal: left, timeout: 10_000 }).catch((e) => e);
  expect(stopped.message).toBe("enough");
});

describe("reading events:", () => {
  const rows: [why: string, chunks: string[], told: string[]][] = [
    ["two events", ["data: a\n\ndata: b\n\n"], ["message:a:", "message:b:"]],
    ["names and ids", ["id: 7\nevent: x\ndata: a\n\n"], ["x:a:7"]],
    [
      "an id applies to the following events",
      ["id: 7\ndata: a\n\ndata: b\n\n"],
      ["message:a:7", "message:b:7"],
    ],
    ["data on several lines", ["data: a\ndata: b\n\n"], ["message:a\nb:"]],
    [
      "all kinds of line ends",
      ["data: a\r\n\r\ndata: b\r\rdata: c\n\n"],
      ["a", "b", "c"].map((l) => `message:${l}:`),
    ],
    [
      "chunks split between CR and LF",
      ["data: a\r", "\n\r", "\ndata: b\r\n\r\n"],
      ["message:a:", "message:b:"],
    ],
    ["chunks split anywhere", [..."id: 1\nda", "ta: é\n", "\n"], ["message:é:1"]],
    [
      "comments and empty events are skipped",
      [": hello\n\nevent: x\n\ndata: a\n\n"],
      ["message:a:"],
    ],
    ["an incomplete last event is dropped", ["data: a\n\ndata: b\n"], ["message:a:"]],
    ["colons in data, and no spaces", ["data:a: b\n\ndata\n\n"], ["message:a: b:", "message::"]],
  ];
  test.each(rows)("%s", async (_why, chunks, events) => {
    const bytes = chunks.map((chunk) => new TextEncoder().encode(chunk));
    const body = new ReadableStream({
      start: (stream) => {
        for (const chunk of bytes) stream.enqueue(chunk);
        stream.close();
      },
    });
    const found: string[] = [];
    for await (const { event, data, id } of eventsOf(body)) found.push(`${event}:${data}:${id}`);
    expect(found).toEqual(events);
  });
});

describe("a webhook delivery", () => {
  const secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD8Pmd3nHkzTA=";
  const other = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const body = '{"event":"import.finished","import_run_id":"imp_é"}';
  const now = new Date("2026-03-01T09:31:00Z");
  const signedBy = (by: string) => new Webhook(by).sign("whd_1", now, body);
  const headers = (signature = signedBy(secret)) => ({
    "Webhook-Id": "whd_1",
    "webhook-timestamp": String(now.getTime() / 1_000),
    "webhook-signature": signature,
  });
  const good: [why: string, sent: Partial<SentWebhook>][] = [
    ["with a text body", {}],
    ["with a body of bytes", { body: new TextEncoder().encode(body) }],
    ["with an ArrayBuffer body", { body: new TextEncoder().encode(body).buffer as ArrayBuffer }],
    ["with a Headers object", { headers: new Headers(headers()) }],
    ["with Node's headers", { headers: { ...headers(), cookie: ["a", "b"] } }],
    ["with header pairs", { headers: Object.entries(headers()) }],
    [
      "signed with the newer of two secrets",
      { headers: headers(`${signedBy(other)} ${signedBy(secret)}`) },
    ],
    ["signed with the older of two secrets", { secret: [other, secret] }],
    ["299 seconds late", { now: new Date(now.getTime() + 299_000) }],
    [
      "very late, within a longer tolerance",
      { now: new Date(now.getTime() + 9e6), tolerance: 9_000 },
    ],
  ];
  test.each(good)("%s is accepted", async (_why, sent) => {
    const found = await verifyWebhook({ body, headers: headers(), secret, now, ...sent });
    expect(found).toEqual({ id: "whd_1", sentAt: now, event: JSON.parse(body) });
  });
  const bad: [why: string, sent: Partial<SentWebhook>, words: RegExp][] = [
    ["a changed body", { body: `${body} ` }, /signature/],
    ["another secret", { secret: other }, /signature/],
    ["no secret at all", { secret: [] }, /signature/],
    ["a malformed secret", { secret: "whsec_ä" }, /secret/],
    ["an empty secret", { secret: "" }, /secret/],
    ["a wrong signature", { headers: headers("v1,AAAA") }, /signature/],
    ["a malformed signature", { headers: headers("v1,*") }, /signature/],
    [
      "a signature of an unknown version",
      { headers: headers(signedBy(secret).replace("v1,", "v1a,")) },
      /signature/,
    ],
    ["no headers", { headers: {} }, /webhook-id is missing/],
    [
      "no signature",
      { headers: { ...headers(), "webhook-signature": undefined } },
      /webhook-signature is missing/,
    ],
    [
      "a changed timestamp",
      { headers: { ...headers(), "webhook-timestamp": "1772357459" } },
      /signature/,
    ],
    [
      "a malformed timestamp",
      { headers: { ...headers(), "webhook-timestamp": "now" } },
      /webhook-timestamp/,
    ],
    ["a timestamp that is too old", { now: new Date(now.getTime() + 301_000) }, /301 s/],
    ["a timestamp in the future", { now: new Date(now.getTime() - 301_000) }, /301 s/],
  ];
  test.each(bad)("with %s is refused", async (_why, sent, words) => {
    const error = await verifyWebhook({ body, headers: headers(), secret, now, ...sent }).catch(
      (reason) => reason,
    );
    expect(error).toBeInstanceOf(DossierError);
    expect([error.code, error.message]).toEqual(["bad_webhook", expect.stringMatching(words)]);
  });
});
