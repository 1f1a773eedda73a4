/**
 * Health checks of vectors: whether documents get them, and whether the counts of folders are
 * right.
 */
import { fill, HealthFields, type Fill } from "../../core/sdk";
import { ok, SystemChecks, type CheckResult, type SystemCheck } from "../doctor/contract";
import type { EmbeddingState } from "./contract";
import { version_min } from "./vectors/pgvector";
import type { CopyState, PgvectorCopy } from "./vectors/pgvector-copy";

export interface CheckedVectors {
  state(): EmbeddingState;
  /** Folders whose count of waiting documents is wrong. */
  miscounted(): Promise<number>;
  /** Determines and counts again everything that waits. */
  recount(): Promise<void>;
}

/** The check examines everything that waits. */
const hold_ms = 5 * 60_000;

export const vectorFills = (
  vectors: CheckedVectors,
  pgvector: Pick<PgvectorCopy, "state">,
): Fill[] => [
  fill(HealthFields, {
    name: "vectors",
    read: async () => {
      const { state, documents } = vectors.state();
      return { state, documents };
    },
  }),
  fill(SystemChecks, vectorsCheck(vectors)),
  fill(SystemChecks, { name: "Vector search", run: async () => judge(await pgvector.state()) }),
];

/** Reports what compares vectors, and why pgvector does not. */
function judge(copy: CopyState | null): CheckResult {
  if (copy === null) return ok("The server compares vectors itself.");
  const { state, version, is_searched, copied } = copy,
    itself = "The server compares vectors itself";
  if (is_searched)
    return ok(
      `pgvector ${version} finds what is near where vectors exceed index.vector_cache: it has ` +
        `about ${copied}; the server compares the others itself.`,
    );
  if (state === "ready")
    return ok(`${itself}; pgvector ${version} is there for when they exceed index.vector_cache.`);
  if (state === "absent") return ok(`${itself}; PostgreSQL has no pgvector.`);
  return state === "old"
    ? ok(`${itself}; pgvector ${version} is older than ${version_min}, which is needed.`)
    : {
        status: "warn",
        detail: `${itself}: pgvector ${version} is installed, but this user may not make it.`,
        fix: "As an administrator of the database: create extension vector;",
      };
}

const vectorsCheck = (vectors: CheckedVectors): SystemCheck => ({
  name: "Vectors",
  hold_ms,
  run: () => examine(vectors),
  mend: async () => {
    await vectors.recount();
    return "What waits for vectors is counted anew.";
  },
});

async function examine(vectors: CheckedVectors): Promise<CheckResult> {
  const { state, documents, passages, failing } = vectors.state(),
    waiting = `${documents} ${documents === 1 ? "document waits" : "documents wait"}`;
  if (state === "none") return ok("No vectors are being made.");
  const miscounted = await vectors.miscounted();
  if (miscounted > 0)
    return {
      status: "warn",
      detail: `${miscounted} folders count other documents than those that wait for vectors.`,
      fix: "Have them counted anew.",
    };
  if (state === "failing")
    return {
      status: "fail",
      detail: failing!,
      fix: "Look at the embedder, and at the log for what it said.",
    };
  if (state === "paused")
    return {
      status: "warn",
      detail: `No vectors are made: ${waiting}, and words find what waits.`,
      fix: "Resume it: dossier job resume vectors.",
    };
  return ok(
    state === "ready"
      ? "Every document has its vectors."
      : `${waiting} for vectors, with about ${passages} passages.`,
  );
}
