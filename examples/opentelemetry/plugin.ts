/**
 * OpenTelemetry: sends a span for every request and every run of a job to a collector, such as
 * OpenTelemetry's own, Jaeger, Tempo or any service that accepts OTLP over HTTP. A request and the
 * jobs that it started form one trace. To use it, bundle it with the packages that it imports, add
 * the resulting file to a server, and restart that:
 *
 *     dossier plugin pack examples/opentelemetry opentelemetry.js
 *     dossier plugin add opentelemetry.js
 *
 * The collector is set by `[opentelemetry] endpoint = "http://127.0.0.1:4318"` in dossier.toml, or
 * by DOSSIER_OPENTELEMETRY_ENDPOINT.
 */
import { SpanKind, SpanStatusCode, TraceFlags, type SpanContext } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes, type Resource } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from "@opentelemetry/sdk-trace-base";
import {
  definePlugin,
  fill,
  JobObserver,
  RequestObserver,
  Secret,
  t,
  version,
  type EndedRun,
  type Log,
  type ServedRequest,
} from "dossier";
import { Metrics } from "dossier/contracts";

const config = t.Object({
  endpoint: t.String({
    default: "http://127.0.0.1:4318",
    description: "The address of the collector, without /v1/traces.",
  }),
  authorization: t.Optional(
    Secret({
      description: "The `Authorization` header that the collector requires, such as `Bearer …`.",
    }),
  ),
  service: t.String({ default: "dossier", description: "The service name in the spans." }),
  share: t.Number({
    default: 1,
    minimum: 0,
    maximum: 1,
    description: "The share of traces that is sent: 0.1 is every tenth.",
  }),
});

// --- Ids -----------------------------------------------------------------------------------------
// No state links a request to its jobs, which may run after a restart: the trace id of both is
// derived from the request id.

const hexOf = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");
const is_trace_id = /^(?!0{32})[0-9a-f]{32}$/;

/**
 * A request id of 32 hexadecimal digits, as proxies create them, is used as the trace id; so is a
 * UUID.
 */
function traceOf(id: string): string {
  const plain = id.toLowerCase().replaceAll("-", "");
  return is_trace_id.test(plain) ? plain : hexOf(id).slice(0, 32);
}

/** The same decision for every span of a trace: a trace is sampled as a whole. */
const isSampled = (trace_id: string, share: number): boolean =>
  parseInt(trace_id.slice(-8), 16) < share * 2 ** 32;

const contextOf = (traceId: string, name: string): SpanContext => ({
  traceId,
  spanId: hexOf(name).slice(0, 16),
  traceFlags: TraceFlags.SAMPLED,
});
const requestContext = (request_id: string): SpanContext =>
  contextOf(traceOf(request_id), `request ${request_id}`);

// --- Spans ---------------------------------------------------------------------------------------
// Dossier reports what has ended, so spans are complete when created. Attributes follow
// OpenTelemetry's conventions and contain no user data.

interface NewSpan extends Pick<ReadableSpan, "name" | "kind" | "attributes"> {
  readonly context: SpanContext;
  readonly parent?: SpanContext;
  /** Epoch milliseconds. */
  readonly started_at: number;
  readonly duration_ms: number;
  /** Why it failed; null if it did not. */
  readonly error: string | null;
}

/** Seconds and nanoseconds. */
const hrTime = (ms: number): [number, number] => {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
};

const toSpan = (span: NewSpan, resource: Resource): ReadableSpan => ({
  name: span.name,
  kind: span.kind,
  spanContext: () => span.context,
  ...(span.parent && { parentSpanContext: span.parent }),
  startTime: hrTime(span.started_at),
  endTime: hrTime(span.started_at + span.duration_ms),
  duration: hrTime(span.duration_ms),
  status:
    span.error === null
      ? { code: SpanStatusCode.UNSET }
      : { code: SpanStatusCode.ERROR, message: span.error },
  attributes: span.attributes,
  links: [],
  events: [],
  ended: true,
  resource,
  instrumentationScope: { name: "dossier", version },
  droppedAttributesCount: 0,
  droppedEventsCount: 0,
  droppedLinksCount: 0,
});

function spanOfRequest(request: ServedRequest, now_ms: number): NewSpan {
  const { request_id, method, route, status, duration_ms, surface, client, key_id } = request;
  return {
    name: route === null ? method : `${method} ${route.path}`,
    kind: SpanKind.SERVER,
    context: requestContext(request_id),
    started_at: now_ms - duration_ms,
    duration_ms,
    // Errors of a client are not failures of the server.
    error: status >= 500 ? `status ${status}` : null,
    attributes: {
      "http.request.method": method,
      "http.response.status_code": status,
      ...(route !== null && { "http.route": route.path }),
      "client.address": client.address,
      "dossier.request_id": request_id,
      "dossier.surface": surface,
      ...(key_id !== null && { "dossier.key_id": key_id }),
    },
  };
}

function spanOfRun(run: EndedRun): NewSpan {
  const { id, name, plugin, attempt, request_id, started_at, duration_ms, outcome, error } = run;
  const of_request = request_id === null ? undefined : requestContext(request_id);
  return {
    name: `job ${name}`,
    kind: SpanKind.CONSUMER,
    context: contextOf(of_request?.traceId ?? traceOf(id), `job ${id} ${started_at} ${attempt}`),
    ...(of_request && { parent: of_request }),
    started_at,
    duration_ms,
    error: outcome === "failed" || outcome === "retried" ? (error ?? outcome) : null,
    attributes: {
      "dossier.job.id": id,
      "dossier.job.name": name,
      "dossier.job.attempt": attempt,
      "dossier.job.outcome": outcome,
      "dossier.job.waited_ms": Math.max(0, started_at - run.run_at),
      "dossier.plugin": plugin,
      ...(request_id !== null && { "dossier.request_id": request_id }),
    },
  };
}

// --- Sending -------------------------------------------------------------------------------------

/** The most spans buffered in memory; further ones are dropped and counted. */
const queue_max = 2_048;
const batch_max = 512;
const send_every_ms = 2_000;
const send_ms_max = 10_000;

/** Counts spans that were sent and dropped, and logs when that changes. */
class CountingExporter implements SpanExporter {
  sent = 0;
  lost = 0;
  private failing = false;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly log: Log,
  ) {}

  export(spans: ReadableSpan[], done: Parameters<SpanExporter["export"]>[1]): void {
    this.exporter.export(spans, (result) => {
      // 0 means success; the exporter has already retried what can be retried.
      const has_failed = result.code !== 0;
      if (has_failed) this.lost += spans.length;
      else this.sent += spans.length;
      if (has_failed && !this.failing)
        this.log.warn("spans can't be sent to the collector", { error: result.error?.message });
      else if (!has_failed && this.failing) this.log.info("spans are sent again");
      this.failing = has_failed;
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }
}

// --- The plugin ----------------------------------------------------------------------------------

export default definePlugin({
  name: "opentelemetry",
  version: "1.0.0",
  config,
  setup: ({ config: { endpoint, authorization, service, share }, log, now_ms }) => {
    const exporter = new CountingExporter(
      new OTLPTraceExporter({
        url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
        headers: authorization === undefined ? {} : { authorization },
        timeoutMillis: send_ms_max,
      }),
      log,
    );
    const spans = new BatchSpanProcessor(exporter, {
      maxQueueSize: queue_max,
      maxExportBatchSize: batch_max,
      scheduledDelayMillis: send_every_ms,
      exportTimeoutMillis: send_ms_max,
    });
    const resource = resourceFromAttributes({
      "service.name": service,
      "service.version": version,
    });
    const add = (span: NewSpan): void => {
      if (isSampled(span.context.traceId, share)) spans.onEnd(toSpan(span, resource));
    };
    return {
      fills: [
        fill(RequestObserver, (request) => {
          // Polled constantly by supervisors.
          if (request.route?.root !== true) add(spanOfRequest(request, now_ms()));
        }),
        fill(JobObserver, (run) => add(spanOfRun(run))),
        fill(Metrics, {
          name: "dossier_opentelemetry_spans_total",
          help: "Spans for the collector, by outcome.",
          type: "counter",
          read: async () => [
            { labels: { outcome: "sent" }, value: exporter.sent },
            { labels: { outcome: "lost" }, value: exporter.lost },
          ],
        }),
      ],
      stop: () => spans.shutdown(),
    };
  },
});
