/**
 * Health checks of documents: whether they are indexed, and whether the index agrees with them.
 * Those of originals are separate.
 */
import { nextTurn } from "../../../core/lib/chunked-work";
import { ok, SystemChecks, type CheckResult, type SystemCheck } from "../../doctor/contract";
import { fill, type Context, type Fill } from "../../../core/sdk";
import * as store from "./check-store";
import type { DocumentContext } from "../context";
import { originalsChecks } from "../originals/originals-checks";
import { documents, named } from "./check-words";
import { IndexCheck } from "./index-check";

/** Each check reads all documents. */
const hold_ms = 30 * 60_000;
/** Documents per read. */
const page_size = 500;
/** Documents that one repair handles; the next check finds the rest. */
const mended_max = 10_000;

export type CheckContext = DocumentContext & Pick<Context, "operations">;

export function documentChecks(
  ctx: CheckContext,
  isUsed: (sha256: string) => Promise<boolean>,
): Fill[] {
  const checks: SystemCheck[] = [
    ...originalsChecks(ctx, isUsed, hold_ms),
    {
      name: "Indexing",
      hold_ms,
      run: () => indexing(ctx),
      mend: async () => {
        const { ids } = await withoutJob(ctx);
        for (const id of ids) await store.enqueueAgain(ctx, id);
        return `${documents(ids.length)} will be indexed again.`;
      },
    },
    new IndexCheck(ctx, hold_ms),
  ];
  return checks.map((check) => fill(SystemChecks, check));
}

async function indexing(ctx: CheckContext): Promise<CheckResult> {
  const { ids, at_work } = await withoutJob(ctx);
  if (ids.length === 0) return ok(`Jobs are working on ${documents(at_work)}.`);
  return {
    status: "fail",
    detail: `${documents(ids.length)} should be indexed, but have no job: ${named(ids)}.`,
    fix: "Index them again: POST /documents/{id}/reindex.",
  };
}

/** Documents that are `syncing` without a job, and how many have one. */
async function withoutJob({
  db,
  operations,
}: CheckContext): Promise<{ ids: string[]; at_work: number }> {
  const ids: string[] = [];
  let at_work = 0;
  for (let after = ""; ids.length < mended_max; await nextTurn()) {
    const waiting = await store.listSyncing(db, after, page_size);
    const busy = await operations.jobs.activeSubjects(waiting);
    const found = waiting.filter((id) => !busy.has(id));
    // A document whose indexing has ended since then is no longer `syncing`.
    for (const id of found) if (await store.isSyncing(db, id)) ids.push(id);
    at_work += busy.size;
    if (waiting.length < page_size) break;
    after = waiting.at(-1)!;
  }
  return { ids, at_work };
}
