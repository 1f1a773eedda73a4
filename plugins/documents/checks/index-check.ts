/** The health check of the index: whether it agrees with the documents, and is what they yield. */
import { nextTurn } from "../../../core/lib/chunked-work";
import { ok, type CheckResult, type SystemCheck } from "../../doctor/contract";
import type { DocumentContext } from "../context";
import { reindexFound } from "../indexing/requeue";
import * as store from "./check-store";
import { documents, named } from "./check-words";

/** Documents per read. */
const page_size = 500;
/** Documents that one repair handles; the next check finds the rest. */
const mended_max = 10_000;

interface Difference {
  readonly missing: readonly { readonly id: string }[];
  /** Ids of documents that are gone. */
  readonly left_over: readonly string[];
  readonly count: number;
}
type Say = (progress: string) => void;

export class IndexCheck implements SystemCheck {
  readonly name = "Index";
  /** Found by `deep`, for `mend`. */
  private damaged: readonly string[] = [];

  constructor(
    private readonly ctx: DocumentContext,
    readonly hold_ms: number,
  ) {}

  readonly run = async (): Promise<CheckResult> => this.judge(await this.compare());

  /** Also encodes every document again. */
  readonly deep = async (say: Say): Promise<CheckResult> => {
    const found = await this.compare();
    this.damaged = await this.findDamaged(say);
    if (this.damaged.length === 0) return this.judge(found);
    return {
      status: "fail",
      detail:
        `The index of ${documents(this.damaged.length)} is damaged: ` +
        `${named(this.damaged)}. Searches may leave them out, or find wrong passages.`,
      fix: "Index them again: POST /documents/{id}/reindex.",
    };
  };

  readonly mend = async (): Promise<string> => {
    const { ctx } = this;
    const { missing, left_over } = await this.compare();
    const reindexed = new Set([...missing.map(({ id }) => id), ...this.damaged]);
    // The index of a document may be incomplete, and would remain beside the new one.
    for (const id of [...reindexed, ...left_over])
      while (!(await ctx.inDeletion((tx) => ctx.index.remove(tx, [id]))));
    for (const id of reindexed) await reindexFound(ctx, id);
    return (
      `${documents(reindexed.size)} will be indexed again. Removed from the index: ` +
      `${documents(left_over.length)}.`
    );
  };

  private judge({ missing, left_over, count }: Difference): CheckResult {
    if (missing.length + left_over.length === 0)
      return ok(`${documents(count)} in the index, none missing or left over.`);
    return {
      status: "fail",
      detail:
        `The index lacks the current version of ${documents(missing.length)}` +
        (missing.length > 0 ? ` (${named(missing.map(({ id }) => id))})` : "") +
        `, and contains ${documents(left_over.length)} that should be gone.`,
      fix: "Index them again: POST /documents/{id}/reindex.",
    };
  }

  /** Differences are checked again, because documents change while they are read. */
  private async compare(): Promise<Difference> {
    const { db, index } = this.ctx;
    const missing: { readonly id: string }[] = [];
    const left_over: string[] = [];
    let count = 0;
    for (let after = ""; missing.length < mended_max; await nextTurn()) {
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
    for (let after = ""; left_over.length < mended_max; await nextTurn()) {
      const published = await index.listPublished(db, after, page_size);
      const known = await store.knownIds(db, published);
      left_over.push(...published.filter((id) => !known.has(id)));
      if (published.length < page_size) break;
      after = published.at(-1)!;
    }
    return { missing, left_over, count };
  }

  private async findDamaged(say: Say): Promise<string[]> {
    const { db, index } = this.ctx;
    const damaged: string[] = [];
    let count = 0;
    for (let after = ""; damaged.length < mended_max;) {
      const published = await index.listPublished(db, after, page_size);
      for (const id of published) {
        if (!(await index.isSound(db, id))) damaged.push(id);
        say(`${documents(++count)} so far`);
      }
      if (published.length < page_size) break;
      after = published.at(-1)!;
    }
    return damaged;
  }
}
