/**
 * Health checks of documents: whether they are indexed, and whether the index agrees with them.
 * Those of originals are separate.
 */
import { nextTurn } from "../../../core/lib/chunked-work";
import { ok, SystemChecks, type CheckResult, type SystemCheck } from "../../doctor/contract";
import { fill, type Context, type Fill } from "../../../core/sdk";
import * as store from "./check-store";
import type { DocumentContext } from "../context";
import { originalsChecks, type OriginalsContext } from "../originals/originals-checks";
import { documentCount, idList } from "./check-words";
import { IndexCheck } from "./index-check";
import { findDocument } from "../store";

/** Each check reads all documents. */
const hold_ms = 30 * 60_000;
/** Documents per read. */
const page_size = 500;
/** Documents that one repair handles; the next check finds the rest. */
const repaired_max = 10_000;

/** What the checks need besides `Context`. */
export type CheckContext = DocumentContext &
  Pick<Context, "operations"> &
  Pick<OriginalsContext, "file_users">;

/** The checks of originals, of indexing and of the index. */
export function documentChecks(
  ctx: CheckContext,
  isUsed: (sha256: string) => Promise<boolean>,
): Fill[] {
  const checks: SystemCheck[] = [
    ...originalsChecks(ctx, isUsed, hold_ms),
    {
      name: "Indexing",
      hold_ms,
      run: () => checkIndexing(ctx),
      mend: async () => {
        const { ids } = await withoutJob(ctx);
        for (const id of ids) await enqueueSyncing(ctx, id);
        return `${documentCount(ids.length)} will be indexed again.`;
      },
    },
    new IndexCheck(ctx, hold_ms),
  ];
  return checks.map((check) => fill(SystemChecks, check));
}

async function checkIndexing(ctx: CheckContext): Promise<CheckResult> {
  const { ids, with_job } = await withoutJob(ctx);
  if (ids.length === 0) return ok(`Jobs are working on ${documentCount(with_job)}.`);
  return {
    status: "fail",
    detail: `${documentCount(ids.length)} should be indexed, but have no job: ${idList(ids)}.`,
    fix: "Index them again: POST /documents/{id}/reindex.",
  };
}

/** Enqueues the job of a document, if it is still `syncing`. */
const enqueueSyncing = (
  { inTransaction, enqueueIndexing }: CheckContext,
  id: string,
): Promise<void> =>
  inTransaction(async (tx) => {
    const document = await findDocument(tx, id);
    if (document?.status === "syncing")
      await enqueueIndexing(tx, document, document.source_kind === "text");
  });

/** Documents that are `syncing` without a job, and how many have one. */
async function withoutJob({
  db,
  operations,
}: CheckContext): Promise<{ ids: string[]; with_job: number }> {
  const ids: string[] = [];
  let with_job = 0;
  for (let after = ""; ids.length < repaired_max; await nextTurn()) {
    const waiting = await store.listSyncing(db, after, page_size);
    const working_ids = await operations.jobs.activeSubjects(waiting);
    const without_job = waiting.filter((id) => !working_ids.has(id));
    // A document whose indexing has ended since then is no longer `syncing`.
    for (const id of without_job) if (await store.isSyncing(db, id)) ids.push(id);
    with_job += working_ids.size;
    if (waiting.length < page_size) break;
    after = waiting.at(-1)!;
  }
  return { ids, with_job };
}
