/**
 * Indexes documents of an earlier analyzer or chunker again, a few in each run of its job; until
 * then their old rows are searched.
 */
import { firstWithin } from "../../../core/lib/batch";
import type { Context, Db, JobEffect, JobRun } from "../../../core/sdk";
import { analyzer } from "../analysis/analyzer";
import { chunker_version } from "../chunks/chunker";
import type { Prepared } from "../contract";
import { enqueueReindex } from "../jobs";
import type { IndexService } from "../service";
import { inputOf } from "../chunks/stored-chunks";
import { countOutdated, outdatedDocuments, type Makers } from "../outdated";
import * as store from "../store";
import type { DocumentRow } from "../store";

/** Per run. */
const documents_max = 50;
const chunks_max = 2_000;

/** Replaces an owner: all of this work takes turns as one. */
const maintenance = "index.reencode";

/** What it needs besides `Context`. */
export interface ReindexerContext extends Pick<Context, "db" | "enqueue"> {
  readonly index: Pick<IndexService, "prepare" | "publish" | "discard">;
  /** The target version. */
  readonly analyzer_version?: number;
}
interface Reindexed {
  readonly document: DocumentRow;
  readonly prepared: Prepared;
}

/** Indexes documents of an older analyzer or chunker again. */
export class Reindexer {
  private readonly current: Makers;
  constructor(private readonly ctx: ReindexerContext) {
    this.current = {
      analyzer: ctx.analyzer_version ?? analyzer.version,
      chunker: chunker_version,
    };
  }

  /** Before the first request: enqueues the job if it has work. */
  async start(): Promise<void> {
    const { db } = this.ctx;
    if ((await countOutdated(db, this.current, 1)) > 0) await enqueueReindex(this.ctx, db, 0);
  }

  /** One run of the job. Each run enqueues the next step. */
  async run(step: number, { signal }: JobRun): Promise<JobEffect | void> {
    const { db, index } = this.ctx;
    const outdated = await outdatedDocuments(db, this.current, documents_max);
    const documents = firstWithin(outdated, chunks_max, ({ chunks }) => chunks);
    if (documents.length === 0) return;
    const reindexed: Reindexed[] = [];
    for (const document of documents) {
      const { document_id, version } = document;
      const input = await inputOf(db, document);
      const prepared = await index.prepare(
        { owner_id: maintenance, document_id, version, ...input },
        signal,
      );
      reindexed.push({ document, prepared });
    }
    return async (tx) => {
      for (const replacement of reindexed) await this.replace(tx, replacement);
      await enqueueReindex(this.ctx, tx, step + 1);
    };
  }

  /** A document that was overwritten or deleted meanwhile is left alone. */
  private async replace(tx: Db, { document, prepared }: Reindexed): Promise<void> {
    const { index } = this.ctx;
    const published = await store.findDocument(tx, document.document_id);
    if (published?.edition === document.edition)
      await index.publish(tx, prepared, await store.foldersOf(tx, document.edition));
    else index.discard(prepared);
  }
}
