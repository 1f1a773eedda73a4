/** Reports on a search backend in health, doctor and metrics: whether it is complete and used. */
import { fill, HealthFields, toNumber, type Context, type Fill } from "../../../core/sdk";
import { ok, SystemChecks, type CheckResult } from "../../doctor/contract";
import { Metrics } from "../../metrics/contract";
import type { BackendFeed } from "./backend-feed";
import type { BackendProbe } from "./backend-probe";
import type { BackendSearch } from "./backend-search";
import * as store from "./backend-store";
import type { SearchBackend } from "../contract";

/** The parts whose state is reported. */
export interface CheckedBackend {
  readonly backend: () => SearchBackend | undefined;
  readonly feed: Pick<BackendFeed, "failing">;
  readonly probe: Pick<BackendProbe, "check">;
  readonly search: Pick<BackendSearch, "counts" | "failing">;
}
type BackendChecksContext = CheckedBackend & Pick<Context, "db" | "reads">;

interface BackendState {
  readonly name: string;
  /** `filling`: it does not have everything yet that was there before it. */
  readonly state: "failing" | "filling" | "ready";
  /** Segments. */
  readonly waiting: number;
}

/** What the state is reported in. */
export const backendFills = (ctx: BackendChecksContext): Fill[] => [
  // Missing in the response when there is none.
  fill(HealthFields, {
    name: "search_backend",
    read: async () => (await stateOf(ctx)) ?? undefined,
  }),
  fill(SystemChecks, { name: "Search backend", run: async () => judge(ctx) }),
  fill(Metrics, {
    name: "dossier_search_backend_waiting",
    help: "Segments waiting to be sent to a search backend; absent without one.",
    type: "gauge",
    read: async () => (await stateOf(ctx))?.waiting ?? null,
  }),
  fill(Metrics, {
    name: "dossier_search_backend_answers_total",
    help: "Searches answered with the help of a search backend.",
    type: "counter",
    read: async () => ctx.search.counts.answered,
  }),
  fill(Metrics, {
    name: "dossier_search_backend_failures_total",
    help: "Searches for which the search backend failed, so that only the built-in index was used.",
    type: "counter",
    read: async () => ctx.search.counts.failed,
  }),
];

/** Null when it works, or there is none. If it has failed, triggers a check whether it is back. */
export function backendFailing({ backend, feed, probe, search }: CheckedBackend): string | null {
  const name = backend()?.name;
  const update_failure = feed.failing();
  const query_failure = search.failing();
  if (name === undefined || (update_failure === null && query_failure === null)) return null;
  probe.check();
  return query_failure === null
    ? `${name} can't be updated: ${update_failure}.`
    : `${name} can't be queried, so the built-in index is used: ${query_failure}.`;
}

async function stateOf(ctx: BackendChecksContext): Promise<BackendState | null> {
  const name = ctx.backend()?.name;
  if (name === undefined) return null;
  const row = await store.findBackend(ctx.db);
  const counted = await ctx.reads.get<{ segments: number }>(
    "select count(*) as segments from index_backend_waiting",
  );
  const is_filled = row?.begun === 1 && row.filled_to === null;
  const state = backendFailing(ctx) !== null ? "failing" : is_filled ? "ready" : "filling";
  return { name, state, waiting: toNumber(counted?.segments) };
}

async function judge(ctx: BackendChecksContext): Promise<CheckResult> {
  const backend_state = await stateOf(ctx);
  if (backend_state === null) return ok("No search backend is set up: the built-in index is used.");
  const { name, state, waiting } = backend_state;
  const segments = waiting === 1 ? "segment is" : "segments are";
  const backlog = `${waiting} ${segments} waiting to be sent`;
  if (state === "failing")
    return {
      status: "warn",
      detail: `${backendFailing(ctx)} ${backlog}.`,
      fix: `Check ${name}, and the log for its errors.`,
    };
  if (state === "filling")
    return ok(`${name} is being filled with existing documents: at least ${backlog}.`);
  return ok(
    waiting === 0
      ? `${name} is up to date.`
      : `${name} is queried for users whose documents it has completely: ${backlog}.`,
  );
}
