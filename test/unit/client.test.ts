/** The TypeScript client by itself: what is tried again, how events are read, whom it believes. */
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

describe("a request is tried again", () => {
  type Work = (client: Dossier) => Promise<unknown>;
  const list: Work = (client) => client.listFolders();
  const create: Work = (client) => client.createFolder({ name: "a" });
  const rows: [why: string, work: Work, answers: (() => Answer)[], tries: number, end: string][] = [
    ["when the server says when", create, [() => busy(503, "0"), fine], 2, "done"],
    ["when the rate limit says when", create, [() => busy(429, "0"), fine], 2, "done"],
    ["three times at most", create, [() => busy(503, "0")], 4, "unavailable"],
    ["but not when it is to wait for long", list, [() => busy(503, "60")], 1, "unavailable"],
    ["when it reads and nothing came", list, [cut, cut, fine], 3, "done"],
    ["when it reads and a proxy lost the server", list, [() => busy(502), fine], 2, "done"],
    ["when it searches", (client) => client.search({ query: "a" }), [cut, fine], 2, "done"],
    ["but not when it may have changed something", create, [cut], 1, "unreachable"],
    ["nor then when a proxy lost the server", create, [() => busy(502)], 1, "unavailable"],
    ["nor when the server failed", list, [() => busy(500)], 1, "unavailable"],
    ["nor what was refused", list, [() => busy(404)], 1, "unavailable"],
    [
      "and what was deleted by the first try is gone",
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
  test("never, when that is switched off", async () => {
    const { client, bodies } = answering([cut], { retries: 0 });
    await expect(client.listFolders()).rejects.toThrow(/could not be reached: fetch failed/);
    expect(bodies).toHaveLength(1);
  });
});

test("an answer that is too late, and a signal, are told apart", async () => {
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

describe("events are read", () => {
  const rows: [why: string, chunks: string[], told: string[]][] = [
    ["one by one", ["data: a\n\ndata: b\n\n"], ["message:a:", "message:b:"]],
    ["with names and ids", ["id: 7\nevent: x\ndata: a\n\n"], ["x:a:7"]],
    ["an id stays", ["id: 7\ndata: a\n\ndata: b\n\n"], ["message:a:7", "message:b:7"]],
    ["of several lines", ["data: a\ndata: b\n\n"], ["message:a\nb:"]],
    [
      "whatever ends a line",
      ["data: a\r\n\r\ndata: b\r\rdata: c\n\n"],
      ["a", "b", "c"].map((l) => `message:${l}:`),
    ],
    [
      "cut between CR and LF",
      ["data: a\r", "\n\r", "\ndata: b\r\n\r\n"],
      ["message:a:", "message:b:"],
    ],
    ["cut anywhere", [..."id: 1\nda", "ta: é\n", "\n"], ["message:é:1"]],
    ["without comments and empty ones", [": hello\n\nevent: x\n\ndata: a\n\n"], ["message:a:"]],
    ["but not half of one at the end", ["data: a\n\ndata: b\n"], ["message:a:"]],
    ["with colons and without spaces", ["data:a: b\n\ndata\n\n"], ["message:a: b:", "message::"]],
  ];
  test.each(rows)("%s", async (_why, chunks, told) => {
    const bytes = chunks.map((chunk) => new TextEncoder().encode(chunk));
    const body = new ReadableStream({
      start: (stream) => {
        for (const chunk of bytes) stream.enqueue(chunk);
        stream.close();
      },
    });
    const found: string[] = [];
    for await (const { event, data, id } of eventsOf(body)) found.push(`${event}:${data}:${id}`);
    expect(found).toEqual(told);
  });
});

describe("a delivery", () => {
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
    ["as a text", {}],
    ["as bytes", { body: new TextEncoder().encode(body) }],
    ["as a buffer", { body: new TextEncoder().encode(body).buffer as ArrayBuffer }],
    ["with Headers", { headers: new Headers(headers()) }],
    ["with the headers of Node", { headers: { ...headers(), cookie: ["a", "b"] } }],
    ["with pairs", { headers: Object.entries(headers()) }],
    ["of the newer of two secrets", { headers: headers(`${signedBy(other)} ${signedBy(secret)}`) }],
    ["for the older of two secrets", { secret: [other, secret] }],
    ["a little late", { now: new Date(now.getTime() + 299_000) }],
    ["very late, where that is allowed", { now: new Date(now.getTime() + 9e6), tolerance: 9_000 }],
  ];
  test.each(good)("%s is believed", async (_why, sent) => {
    const found = await verifyWebhook({ body, headers: headers(), secret, now, ...sent });
    expect(found).toEqual({ id: "whd_1", sentAt: now, event: JSON.parse(body) });
  });
  const bad: [why: string, sent: Partial<SentWebhook>, words: RegExp][] = [
    ["a body that was changed", { body: `${body} ` }, /signature/],
    ["another secret", { secret: other }, /signature/],
    ["no secret at all", { secret: [] }, /signature/],
    ["a secret that is none", { secret: "whsec_ä" }, /secret/],
    ["an empty secret", { secret: "" }, /secret/],
    ["another signature", { headers: headers("v1,AAAA") }, /signature/],
    ["a signature that is none", { headers: headers("v1,*") }, /signature/],
    [
      "a signature of another kind",
      { headers: headers(signedBy(secret).replace("v1,", "v1a,")) },
      /signature/,
    ],
    ["no headers", { headers: {} }, /webhook-id is missing/],
    [
      "no signature",
      { headers: { ...headers(), "webhook-signature": undefined } },
      /webhook-signature is missing/,
    ],
    ["another time", { headers: { ...headers(), "webhook-timestamp": "1772357459" } }, /signature/],
    ["no time", { headers: { ...headers(), "webhook-timestamp": "now" } }, /webhook-timestamp/],
    ["an old one", { now: new Date(now.getTime() + 301_000) }, /301 s/],
    ["one of the future", { now: new Date(now.getTime() - 301_000) }, /301 s/],
  ];
  test.each(bad)("with %s is not believed", async (_why, sent, words) => {
    const error = await verifyWebhook({ body, headers: headers(), secret, now, ...sent }).catch(
      (reason) => reason,
    );
    expect(error).toBeInstanceOf(DossierError);
    expect([error.code, error.message]).toEqual(["bad_webhook", expect.stringMatching(words)]);
  });
});
