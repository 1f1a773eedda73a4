/**
 * Health checks of vectors: whether documents get them, and whether the counts of folders are
 * right.
 */
import { counted } from "../../core/lib/counted";
import { fill, HealthFields, type Fill } from "../../core/sdk";
import { ok, SystemChecks, type CheckResult, type SystemCheck } from "../doctor/contract";
import type { EmbeddingState } from "./contract";
import { version_min } from "./vectors/pgvector";
import type { CopyState, PgvectorCopy } from "./vectors/pgvector-copy";

/** The part of the index that the checks use. */
export interface CheckedVectors {
  state(): EmbeddingState;
  /** Folders whose count of waiting documents is wrong. */
  miscounted(): Promise<number>;
  /** Determines and counts again everything that waits. */
  recount(): Promise<void>;
}

/** The check examines everything that waits. */
const hold_ms = 5 * 60_000;

/** What the state of vectors is reported in. */
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
  const { state, version, is_searched, copied } = copy;
  const itself = "The server compares vectors itself";
  if (is_searched)
    return ok(
      `pgvector ${version} searches scopes whose vectors exceed index.vector_cache, and ` +
        `has about ${counted(copied, "vector")}. The server compares the others itself.`,
    );
  if (state === "ready")
    return ok(
      `${itself}; pgvector ${version} is available for when they exceed index.vector_cache.`,
    );
  if (state === "absent") return ok(`${itself}; pgvector is not installed in PostgreSQL.`);
  return state === "old"
    ? ok(`${itself}; pgvector ${version} is older than the required ${version_min}.`)
    : {
        status: "warn",
        detail:
          `${itself}: pgvector ${version} is installed, but this user is not allowed to ` +
          "create the extension.",
        fix: "Run as an administrator of the database: create extension vector;",
      };
}

const vectorsCheck = (vectors: CheckedVectors): SystemCheck => ({
  name: "Vectors",
  hold_ms,
  run: () => examine(vectors),
  mend: async () => {
    await vectors.recount();
    return "The documents waiting for vectors were recounted.";
  },
});

async function examine(vectors: CheckedVectors): Promise<CheckResult> {
  const { state, documents, passages, failing } = vectors.state();
  const waiting = `${counted(documents, "document is", "documents are")} waiting`;
  if (state === "none")
    return ok("No embedder runs here. GET /health of a server says how its vectors are coming on.");
  const miscounted = await vectors.miscounted();
  if (miscounted > 0)
    return {
      status: "warn",
      detail:
        `${counted(miscounted, "folder has", "folders have")} a wrong count of documents ` +
        "waiting for vectors.",
      fix: "Recount them: dossier doctor --fix.",
    };
  if (state === "failing")
    return {
      status: "fail",
      detail: failing!,
      fix: "Check the embedder, and the log for its errors.",
    };
  if (state === "paused")
    return {
      status: "warn",
      detail: `Vectors are paused: ${waiting}. Until then, search finds them by words only.`,
      fix: "Resume it: dossier job resume vectors.",
    };
  return ok(
    state === "ready"
      ? "All documents have vectors."
      : `${waiting} for vectors, with about ${counted(passages, "passage")}.`,
  );
}
