/** GET /ready: whether the server can complete requests, for load balancers and supervisors. */
import { Type } from "@sinclair/typebox";
import { messageOf } from "../lib/error-message";
import { ReadinessChecks, type ReadinessCheck } from "../http/slots";
import { route } from "../http/route";
import { Nullable } from "../http/schemas";
import type { Host } from "../plugin/host";

const check_example = { storage: null, jobs: null, index: null };
const ReadinessRecord = Type.Object({
  ready: Type.Boolean(),
  reason: Nullable(Type.String(), "What is missing, in a sentence; null when nothing is."),
  checks: Type.Record(Type.String(), Nullable(Type.String()), {
    description: "Each part, and why it is not ready; null when it is.",
  }),
});

/** The route of /ready, which needs no key. */
export const readyRoute = route.get("/ready", {
  summary: "Readiness",
  description:
    "The port opens when the tables are up to date. From then on this says whether storage can " +
    "be written to, jobs run and the workers of the index live.",
  tag: "Operations",
  operation: "getReadiness",
  root: true,
  answers: {
    200: {
      description: "Requests can be served.",
      schema: ReadinessRecord,
      example: { ready: true, reason: null, checks: check_example },
    },
    503: {
      description: "They can't; `reason` says why.",
      schema: ReadinessRecord,
      example: {
        ready: false,
        reason: "The disk is full. Requests that need space are refused; deleting works.",
        checks: { ...check_example, storage: "The disk is full. …" },
      },
    },
  },
});

/** Answers 503 once `stopping` is aborted, and whenever a check fails. */
export const readyHandler =
  (host: Pick<Host, "queue" | "filled" | "inTime" | "storageFailure">, stopping: AbortSignal) =>
  async (): Promise<Response> => {
    const checks: readonly ReadinessCheck[] = [
      {
        name: "server",
        failing: () => (stopping.aborted ? "The server is stopping." : null),
      },
      { name: "storage", failing: () => host.storageFailure() },
      { name: "jobs", failing: () => host.queue.failure() },
      ...host.filled(ReadinessChecks).map(({ plugin, value }) => ({
        name: value.name,
        failing: () =>
          host.inTime(
            { plugin, what: `its check ${value.name} of /ready` },
            () => value.failing(),
            null,
          ),
      })),
    ];
    const results = await Promise.all(
      checks.map(async (check) => [check.name, await reasonOf(check)] as const),
    );
    const reasons = results.flatMap(([, reason]) => reason ?? []);
    const ready = reasons.length === 0;
    return Response.json(
      { ready, reason: ready ? null : reasons.join(" "), checks: Object.fromEntries(results) },
      { status: ready ? 200 : 503, headers: { "cache-control": "no-store" } },
    );
  };

const reasonOf = async (check: ReadinessCheck): Promise<string | null> => {
  try {
    return await check.failing();
  } catch (error) {
    return `The check failed: ${messageOf(error)}.`;
  }
};
