/** The state of documents that wait for their vectors, and the reason if there is no progress. */
import { counted } from "../../../core/lib/counted";
import type { EmbeddingState } from "../contract";
import type { EmbeddingProgress } from "./embedding-progress";
import type { WaitingTotals } from "./waiting-store";

/** What the state depends on. */
export interface EmbeddingFacts {
  readonly has_embedder: boolean;
  readonly is_paused: boolean;
  readonly totals: WaitingTotals;
  /** False while there may be more that waits. */
  readonly is_counted: boolean;
  readonly progress: Pick<EmbeddingProgress, "failure" | "idleMs" | "made" | "perSecond">;
}

/** After this time without a vector something is wrong. */
const idle_ms_max = 10 * 60_000;

/** The state for the system page and for `/health`. */
export function embeddingState(facts: EmbeddingFacts): EmbeddingState {
  const { totals, progress } = facts;
  const failing = failingOf(facts);
  const state = stateOf(facts, failing);
  const per_second = progress.perSecond();
  const left_s =
    state === "pending" && per_second !== null ? Math.ceil(totals.passages / per_second) : null;
  return { state, ...totals, made: progress.made, per_second, left_s, failing };
}

function stateOf(
  { has_embedder, is_paused, totals, is_counted }: EmbeddingFacts,
  failing: string | null,
): EmbeddingState["state"] {
  if (!has_embedder) return "none";
  if (is_paused) return "paused";
  if (totals.documents === 0 && is_counted) return "ready";
  return failing === null ? "pending" : "failing";
}

/** As a sentence; null when nothing is wrong. */
function failingOf({
  has_embedder,
  is_paused,
  totals: { documents },
  progress,
}: EmbeddingFacts): string | null {
  if (!has_embedder || is_paused || documents === 0) return null;
  const idle_ms = progress.idleMs();
  const minutes = Math.floor(idle_ms / 60_000);
  const reason =
    progress.failure ??
    (idle_ms > idle_ms_max ? `none were created for ${counted(minutes, "minute")}` : null);
  if (reason === null) return null;
  const subject = counted(documents, "document is", "documents are");
  return `${subject} waiting for vectors: ${reason}. Until then, search finds them by words only.`;
}
