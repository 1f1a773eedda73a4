/**
 * The health check of the index: whether it agrees with the documents and, with `deep`, whether
 * indexing them again would give the same.
 */
import { nextTurn } from "../../../core/lib/chunked-work";
import { ok, type CheckResult, type SystemCheck } from "../../doctor/contract";
import type { DocumentContext } from "../context";
import { reindexFound } from "../indexing/requeue";
import * as store from "./check-store";
import { documentCount, idList } from "./check-words";

/** Documents per read. */
const page_size = 500;
/** Documents that one repair handles; the next check finds the rest. */
const repaired_max = 10_000;

interface Difference {
  readonly missing: readonly { readonly id: string }[];
  /** Ids of documents that are gone. */
  readonly orphaned: readonly string[];
  readonly count: number;
}
type ReportProgress = (progress: string) => void;

/** Finds documents whose index does not agree, and indexes them again to repair it. */
export class IndexCheck implements SystemCheck {
  readonly name = "Index";
  /** Found by `deep`, for `mend`. */
  private damaged_ids: readonly string[] = [];

  constructor(
    private readonly ctx: DocumentContext,
    readonly hold_ms: number,
  ) {}

  readonly run = async (): Promise<CheckResult> => this.resultOf(await this.compare());

  /** Also encodes every document again. */
  readonly deep = async (reportProgress: ReportProgress): Promise<CheckResult> => {
    const differences = await this.compare();
    this.damaged_ids = await this.findDamaged(reportProgress);
    if (this.damaged_ids.length === 0) return this.resultOf(differences);
    return {
      status: "fail",
      detail:
        `The index of ${documentCount(this.damaged_ids.length)} is damaged: ` +
        `${idList(this.damaged_ids)}. Searches may leave them out, or find wrong passages.`,
      fix: "Index them again: POST /documents/{id}/reindex.",
    };
  };

  readonly mend = async (): Promise<string> => {
    const { ctx } = this;
    const { missing, orphaned } = await this.compare();
    const reindexed = new Set([...missing.map(({ id }) => id), ...this.damaged_ids]);
    // The index of a document may be incomplete, and would remain beside the new one.
    const removed = reindexed.union(new Set(orphaned));
    const versions = await ctx.index.storedVersions(ctx.db, removed);
    for (const id of removed)
      while (!(await ctx.inDeletion((tx) => ctx.index.remove(tx, [id], versions.get(id)))));
    for (const id of reindexed) await reindexFound(ctx, id);
    return (
      `${documentCount(reindexed.size)} will be indexed again. Removed from the index: ` +
      `${documentCount(orphaned.length)}.`
    );
  };

  private resultOf({ missing, orphaned, count }: Difference): CheckResult {
    if (missing.length + orphaned.length === 0)
      return ok(`${documentCount(count)} in the index, none missing or left over.`);
    return {
      status: "fail",
      detail:
        `The index lacks the current version of ${documentCount(missing.length)}` +
        (missing.length > 0 ? ` (${idList(missing.map(({ id }) => id))})` : "") +
        `, and contains ${documentCount(orphaned.length)} that should be gone.`,
      fix: "Index them again: POST /documents/{id}/reindex.",
    };
  }

  /** Differences are checked again, because documents change while they are read. */
  private async compare(): Promise<Difference> {
    const { db, index } = this.ctx;
    const missing: { readonly id: string }[] = [];
    const orphaned: string[] = [];
    let count = 0;
    for (let after = ""; missing.length < repaired_max; await nextTurn()) {
      const rows = await store.listSynced(db, after, page_size);
      for (const row of rows) {
        count++;
        if ((await index.publishedVersion(db, row.id)) === row.current_version) continue;
        const now = await store.findSynced(db, row.id);
        if (now && (await index.publishedVersion(db, row.id)) !== now.current_version)
          missing.push(now);
      }
      if (rows.length < page_size) break;
      after = rows.at(-1)!.id;
    }
    for (let after = ""; orphaned.length < repaired_max; await nextTurn()) {
      const published = await index.listPublished(db, after, page_size);
      const existing = await store.existingIds(db, published);
      orphaned.push(...published.filter((id) => !existing.has(id)));
      if (published.length < page_size) break;
      after = published.at(-1)!;
    }
    return { missing, orphaned, count };
  }

  private async findDamaged(reportProgress: ReportProgress): Promise<string[]> {
    const { db, index } = this.ctx;
    const damaged: string[] = [];
    let count = 0;
    for (let after = ""; damaged.length < repaired_max;) {
      const published = await index.listPublished(db, after, page_size);
      for (const id of published) {
        if (!(await index.isSound(db, id))) damaged.push(id);
        reportProgress(`${documentCount(++count)} so far`);
      }
      if (published.length < page_size) break;
      after = published.at(-1)!;
    }
    return damaged;
  }
}
