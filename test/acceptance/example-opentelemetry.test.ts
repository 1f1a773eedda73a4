/**
 * The plugin of examples/opentelemetry, bundled, in the built executable: what a collector
 * receives about requests and jobs over OTLP.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { startExecutable, type Executable } from "../helpers/executable";

setDefaultTimeout(120_000);

/** A span in OTLP's JSON form, with its attributes by name. */
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}
const spans: Span[] = [];
const requests: { readonly path: string; readonly authorization: string | null }[] = [];
let status = 200;

const valueOf = (value: object): unknown => Object.values(value)[0];
const named = (list: { key: string; value: object }[]) =>
  Object.fromEntries(list.map(({ key, value }) => [key, valueOf(value)]));
const collector = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    requests.push({ path: pathname, authorization: request.headers.get("authorization") });
    const body = (await request.json()) as { resourceSpans: any[] };
    if (status === 200)
      for (const { resource, scopeSpans } of body.resourceSpans)
        for (const { spans: inner_spans } of scopeSpans)
          for (const span of inner_spans)
            spans.push({
              ...span,
              attributes: named(span.attributes),
              resource: named(resource.attributes),
            });
    return Response.json({}, { status });
  },
});

let dossier: Executable;
let folder_id: string;
beforeAll(async () => {
  dossier = await startExecutable({
    example: "opentelemetry",
    env: {
      DOSSIER_OPENTELEMETRY_ENDPOINT: `http://127.0.0.1:${collector.port}/`,
      DOSSIER_OPENTELEMETRY_AUTHORIZATION: "Bearer of news",
      DOSSIER_METRICS_NETWORKS: "127.0.0.1",
    },
  });
  await dossier.createUser();
  folder_id = (await dossier.api("POST", "/folders", { name: "Reports" })).body.id;
});
afterAll(async () => {
  await dossier?.[Symbol.asyncDispose]();
  await collector.stop(true);
});

const canary = "xylophonecanary";
const of = (request_id: string): Span[] =>
  spans.filter(({ attributes }) => attributes["dossier.request_id"] === request_id);

describe("a request and its jobs", () => {
  const ids: [reason: string, id: string, trace: string][] = [
    ["a word", "my-request", new Bun.CryptoHasher("sha256").update("my-request").digest("hex")],
    ["an id made by nginx", "b0c1d2e3f4a5968778695a4b3c2d1e0f", "b0c1d2e3f4a5968778695a4b3c2d1e0f"],
    ["a UUID", "6F1F2C0E-2f0b-4b7e-9f43-1d2a7c9b5e10", "6f1f2c0e2f0b4b7e9f431d2a7c9b5e10"],
  ];
  test.each(ids)("are one trace, named by the request id: %s", async (_why, id, trace) => {
    const { body } = await dossier.api(
      "POST",
      "/documents",
      { folder_id, content: `${canary} ${id}` },
      { headers: { "x-request-id": id } },
    );
    await dossier.untilTrue(() => of(id).some(({ name }) => name === "job documents.index_text"));
    await dossier.untilTrue(() => of(id).some(({ name }) => name === "POST /documents"));
    const [request] = of(id).filter(({ kind }) => kind === 2);
    const [run] = of(id).filter(({ name }) => name === "job documents.index_text");
    expect(request).toMatchObject({
      traceId: trace.slice(0, 32),
      attributes: {
        "http.request.method": "POST",
        "http.route": "/documents",
        "http.response.status_code": 201,
        "client.address": "127.0.0.1",
        "dossier.surface": "api",
      },
      resource: { "service.name": "dossier", "service.version": "0.1.0" },
    });
    expect(request!.parentSpanId ?? "").toBe("");
    expect(run).toMatchObject({
      traceId: request!.traceId,
      parentSpanId: request!.spanId,
      kind: 5,
      attributes: { "dossier.job.outcome": "done", "dossier.plugin": "documents" },
    });
    for (const span of [request!, run!]) {
      expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThan(BigInt(span.startTimeUnixNano));
      expect(Math.abs(Number(span.startTimeUnixNano) / 1e6 - Date.now())).toBeLessThan(600_000);
    }
    expect(body.id).toStartWith("doc_");
  });

  test("contain no user content and are sent with the authorization", () => {
    expect(JSON.stringify(spans)).not.toContain(canary);
    expect(requests[0]).toEqual({ path: "/v1/traces", authorization: "Bearer of news" });
  });

  test("include refused requests as spans without an error", async () => {
    const headers = { "x-request-id": "lost" };
    await dossier.api("GET", "/no-such-path", undefined, { headers });
    await dossier.untilTrue(() => of("lost").length === 1);
    const [span] = of("lost");
    expect([span!.name, span!.attributes["http.response.status_code"]]).toEqual(["GET", 404]);
    expect(span!.status.code ?? 0).toBe(0);
  });
});

test("a collector that refuses spans only loses them, and they are counted", async () => {
  status = 400;
  const metrics = async () => (await fetch(`${dossier.url()}/metrics`)).text();
  const lost = async () => {
    await dossier.api("GET", "/folders");
    return /dossier_opentelemetry_spans_total\{outcome="lost"\} [1-9]/.test(await metrics());
  };
  await dossier.untilTrue(lost);
  expect((await dossier.api("GET", "/health")).body).toMatchObject({ status: "ok", plugins: [] });
  expect(dossier.output()).toContain("spans can't be sent to the collector");
  status = 200;
  const headers = { "x-request-id": "again" };
  await dossier.api("GET", "/folders", undefined, { headers });
  await dossier.untilTrue(() => of("again").length === 1);
});

test("pending spans are sent before the server stops", async () => {
  const headers = { "x-request-id": "last" };
  await dossier.api("GET", "/folders", undefined, { headers });
  await dossier.stop();
  expect(of("last")).toHaveLength(1);
});
