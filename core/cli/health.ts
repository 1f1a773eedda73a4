/** GET /health: what works and what does not, for supervisors and administrators. */
import { Type } from "@sinclair/typebox";
import { rfc3339 } from "../base/clock";
import { HttpError } from "../base/errors";
import { version } from "../base/version";
import { HealthFields } from "../http/slots";
import { route } from "../http/route";
import { OneOf, Nullable } from "../http/schemas";
import type { TlsFiles } from "../http/tls-files";
import { cached } from "../lib/cached-result";
import { withTimeout } from "../lib/timeout";
import type { Host } from "../plugin/host";
import { translateError } from "../store/storage-errors";

/** How old a report may be: supervisors that ask at the same time get the same. */
const report_age_ms = 10;
/** How long to wait for the list of processes. */
const nodes_ms_max = 2_000;

const NodeShown = Type.Object({
  id: Type.String(),
  role: OneOf(["all", "web", "worker"]),
  version: Type.String(),
  started_at: Type.String({ format: "date-time" }),
  seen_at: Type.String({ format: "date-time" }),
  here: Type.Boolean({ description: "Whether this is the process that answers." }),
});

const HealthRecord = Type.Object(
  {
    status: OneOf(["ok", "degraded"]),
    storage: Nullable(
      Type.String(),
      "Why nothing, or nothing new, can be stored, or why it takes long; null when all is well.",
    ),
    version: Type.String(),
    intake: OneOf(["open", "paused"], {
      description: "Paused by an administrator: documents are accepted and wait to be read.",
    }),
    tls: Type.Optional(
      Nullable(
        Type.String(),
        "Why changed files of the certificate are not used; null when all is well. Only with TLS.",
      ),
    ),
    plugins: Type.Array(Type.Object({ name: Type.String(), reason: Type.String() })),
    nodes: Type.Optional(
      Nullable(
        Type.Array(NodeShown),
        "The processes that serve the database and were seen in the last 20 s; null when it " +
          "can't be asked. Only on PostgreSQL.",
      ),
    ),
  },
  { additionalProperties: true },
);
/** The route of /health, which needs no key. */
export const healthRoute = route.get("/health", {
  summary: "Health",
  tag: "Operations",
  operation: "getHealth",
  root: true,
  answers: {
    200: {
      description: "The server answers; `degraded` names what does not work.",
      schema: HealthRecord,
    },
  },
});

/**
 * Requests share a report for a moment, so that many cost hardly more than one; but not a report of
 * problems, which may be solved by then.
 */
export function healthHandler(host: Host, tls: Pick<TlsFiles, "failure"> | null) {
  const report = cached(
    () => healthReport(host, tls),
    report_age_ms,
    () => performance.now(),
    ({ status }) => status === "ok",
  );
  return async (): Promise<Response> =>
    Response.json(await report(), { headers: { "cache-control": "no-store" } });
}

async function healthReport(
  host: Host,
  tls: Pick<TlsFiles, "failure"> | null,
): Promise<Readonly<Record<string, unknown>>> {
  const plugins = [
    ...host.failures.map(({ name, reason }) => ({ name, reason })),
    ...(await host.health()).map(({ plugin, failing }) => ({ name: plugin, reason: failing })),
  ];
  const fields = await healthFields(host);
  // After the fields: what they meet counts.
  const storage =
    (await host.storageFailure()) ??
    (await host.filesFailure()) ??
    host.operations.storageSlowness();
  const certificate = tls?.failure() ?? null;
  const is_well = storage === null && certificate === null && plugins.length === 0;
  return {
    status: is_well ? "ok" : "degraded",
    storage,
    version,
    intake: host.operations.intakePaused() ? "paused" : "open",
    plugins,
    ...(tls && { tls: certificate }),
    ...(host.is_shared && { nodes: await shownNodes(host) }),
    ...fields,
  };
}

/** A field is null while the database can't be read for it. */
async function healthFields(host: Host): Promise<Record<string, unknown>> {
  const fields = host.filled(HealthFields).map(async ({ plugin, value: { name, read } }) => {
    const label = { plugin, what: `its field ${name} of /health` };
    const field = await host.inTime(label, read, null).catch((error: unknown) => {
      if (!(translateError(error) instanceof HttpError)) throw error;
      return null;
    });
    return [name, field] as const;
  });
  return Object.fromEntries(await Promise.all(fields));
}

async function shownNodes({ nodes }: Host): Promise<object[] | null> {
  const timeout_error = new Error("the database is not responding");
  const listed = await withTimeout(nodes.list(), nodes_ms_max, () => timeout_error).catch(
    () => null,
  );
  return (
    listed?.map(({ id, role, version, started_at, seen_at }) => ({
      id,
      role,
      version,
      here: id === nodes.id,
      started_at: rfc3339(started_at),
      seen_at: rfc3339(seen_at),
    })) ?? null
  );
}
