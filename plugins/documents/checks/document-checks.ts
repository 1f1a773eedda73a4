/**
 * Health checks of documents: whether they are indexed, and whether the index agrees with them.
 * Those of originals are separate.
 */
import { nextTurn } from "../../../core/lib/chunked-work";
import { ok, SystemChecks, type CheckResult, type SystemCheck } from "../../doctor/contract";
import { fill, type Context, type Fill } from "../../../core/sdk";
import * as store from "./check-store";
import type { DocumentContext } from "../context";
import { reindexFound } from "../indexing/indexer";
import { originalsChecks } from "../originals/originals-checks";
import { documents, named } from "./check-words";

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
    {
      name: "Index",
      hold_ms,
      run: () => index(ctx),
      mend: async () => {
        const { missing, left_over } = await compareIndex(ctx);
        // The index of a document may be incomplete, and would remain beside the new one.
        for (const id of [...missing.map((one) => one.id), ...left_over])
          while (!(await ctx.inDeletion((tx) => ctx.index.remove(tx, [id]))));
        for (const { id } of missing) await reindexFound(ctx, id);
        return (
          `${documents(missing.length)} will be indexed again. Removed from the index: ` +
          `${documents(left_over.length)}.`
        );
      },
    },
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

async function index(ctx: CheckContext): Promise<CheckResult> {
  const { missing, left_over, count } = await compareIndex(ctx);
  if (missing.length + left_over.length === 0)
    return ok(`The index matches all ${documents(count)}.`);
  return {
    status: "fail",
    detail:
      `The index lacks the current version of ${documents(missing.length)}` +
      (missing.length > 0 ? ` (${named(missing.map(({ id }) => id))})` : "") +
      `, and contains ${documents(left_over.length)} that should be gone.`,
    fix: "Index them again: POST /documents/{id}/reindex.",
  };
}

interface Difference {
  readonly missing: { readonly id: string }[];
  /** Ids of documents that are gone. */
  readonly left_over: string[];
  readonly count: number;
}

/** Differences are checked again, because documents change while they are read. */
async function compareIndex({ db, index: search_index }: CheckContext): Promise<Difference> {
  const missing: Difference["missing"] = [];
  const left_over: string[] = [];
  let count = 0;
  for (let after = ""; missing.length < mended_max; await nextTurn()) {
    const rows = await store.listSynced(db, after, page_size);
    for (const row of rows) {
      count++;
      if ((await search_index.publishedVersion(db, row.id)) === row.current_version) continue;
      const now = await store.findSynced(db, row.id);
      if (now && (await search_index.publishedVersion(db, row.id)) !== now.current_version)
        missing.push(now);
    }
    if (rows.length < page_size) break;
    after = rows.at(-1)!.id;
  }
  for (let after = ""; left_over.length < mended_max; await nextTurn()) {
    const published = await search_index.listPublished(db, after, page_size);
    const known = await store.knownIds(db, published);
    left_over.push(...published.filter((id) => !known.has(id)));
    if (published.length < page_size) break;
    after = published.at(-1)!;
  }
  return { missing, left_over, count };
}
