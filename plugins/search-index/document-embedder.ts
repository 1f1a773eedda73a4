/**
 * Gives published documents their vectors, some in each run of its job, and switches to the vectors
 * of another model when all documents have them. No request waits for it.
 */
import { batchesOf } from "../../core/lib/batch";
import type { Context, Db, JobEffect, JobRun } from "../../core/sdk";
import type { Embedder, VectorKind } from "./contract";
import { cancelEmbedding, enqueueEmbedding } from "./jobs";
import type { IndexVersion } from "./preparer";
import type { IndexDb, VectorSetRow } from "./store";
import { chunksOfSegment } from "./stored-chunks";
import * as store from "./vector-store";
import { WaitingDocuments, type WaitingDocumentsParts } from "./waiting-documents";
import { countAttempt, countWaitingDocuments, nextWaiting } from "./waiting-store";
import { embedChecked, packVectors } from "./vectors";

/** One run embeds about as many texts as fit this many calls. */
const calls_per_run = 4,
  segments_per_run_max = 200;
/** Segments that failed this often no longer keep a new model from answering. */
const attempts_to_wait_for = 10;
/** Vectors of a replaced set that one run deletes. */
const deleted_per_run = 200;

export interface DocumentEmbedderParts extends Pick<
  Context,
  | "db"
  | "inTransaction"
  | "afterCommit"
  | "truncateWal"
  | "now_ms"
  | "enqueue"
  | "cancelJobs"
  | "log"
> {
  readonly files: Pick<Context["files"], "requireFreeSpace">;
  readonly folders: WaitingDocumentsParts["folders"];
  readonly embedder: () => Embedder | undefined;
}
/** Segments that are embedded together, with the texts of their chunks. */
interface Batch {
  readonly segments: readonly { readonly id: number; readonly texts: readonly string[] }[];
  readonly attempts: number;
}
interface EmbeddedBatch {
  readonly segments: readonly { readonly id: number; readonly vectors: Uint8Array }[];
  readonly dimensions: number;
}

export class DocumentEmbedder {
  /** The set of the embedder's model, which is kept complete. Null without an embedder. */
  private target: VectorSetRow | null = null;
  /** The set that answers: `target`, except for the time after a change of the model. */
  private serving: VectorSetRow | null = null;
  private failure: string | null = null;
  private following: Promise<void> = Promise.resolve();
  private readonly waiting: WaitingDocuments;

  constructor(private readonly parts: DocumentEmbedderParts) {
    this.waiting = new WaitingDocuments(parts);
  }

  /**
   * The set that queries are compared with; null when there is no embedder, or no vector yet. True
   * in one process only: another one over the same database learns of a change at its next start.
   */
  servingSet(): VectorSetRow | null {
    return this.serving === null || this.serving.dimensions === 0 ? null : this.serving;
  }

  /** The embedder has become another one, or none, while the server runs. */
  follow(): void {
    this.following = this.following.then(() =>
      this.start().catch((error: unknown) => {
        this.failure = error instanceof Error ? error.message : String(error);
        this.parts.log.error("the vectors of another model could not be begun", {
          error: this.failure,
        });
      }),
    );
  }

  /** Nothing of it touches the database any more when it returns. */
  stop(): Promise<void> {
    return this.following;
  }

  /** Before the first request: compares the model of the settings with the stored sets. */
  async start(): Promise<void> {
    const embedder = this.parts.embedder();
    this.failure = null;
    if (embedder === undefined) return this.end();
    await this.parts.inTransaction(async (tx) => {
      const sets = await store.vectorSets(tx);
      this.serving = sets.find((set) => set.serving === 1) ?? null;
      this.target = targetAmong(sets, embedder) ?? (await this.insertTarget(tx, sets, embedder));
      // Before the first vector of the serving set, or when no question can be compared with it any
      // more, some vectors are better than none.
      const is_served = embedder.has?.(this.serving?.model ?? "") ?? true;
      if (this.serving === null || this.serving.dimensions === 0 || !is_served) {
        this.serving = this.target;
        await store.setServingVectorSet(tx, this.target.id);
      }
      await this.waiting.follow(tx, this.target);
      this.target = { ...this.target, followed: 1 };
      // The waiting job may be in a pause because of an embedder that is no longer configured.
      await cancelEmbedding(this.parts, tx);
      await enqueueEmbedding(this.parts, tx);
    });
  }

  /**
   * Where vectors that were made elsewhere may go; null when those of this server are of another
   * kind.
   */
  async setFor({ model, asked_dimensions, dimensions }: VectorKind): Promise<number | null> {
    const set = this.target;
    if (set?.model !== model || set.asked_dimensions !== asked_dimensions) return null;
    if (set.dimensions === 0)
      await this.parts.inTransaction((tx) =>
        this.changeTarget(tx, set, { dimensions, adopted: 1 }),
      );
    return set.dimensions === 0 || set.dimensions === dimensions ? set.id : null;
  }

  // --- Inside the transactions that change what is published.

  /** An index version is published: it waits for its vectors, but for those that came with it. */
  async add(
    tx: IndexDb,
    document_id: string,
    owner_id: string,
    { id, chunks, segment_count, set_id }: IndexVersion,
    folder_ids: readonly string[],
  ): Promise<void> {
    if (this.target === null || segment_count === 0) return;
    const passages = Math.ceil(chunks / segment_count),
      document = { index_version: id, document_id, owner_id, passages },
      has_some = set_id === this.target.id;
    await this.waiting.begin(tx, document, folder_ids, has_some ? set_id : null);
    await enqueueEmbedding(this.parts, tx);
  }

  /** Before documents are replaced or deleted. */
  async remove(tx: Db, document_ids: readonly string[]): Promise<void> {
    if (this.target !== null) await this.waiting.end(tx, document_ids);
  }

  /** Before a document becomes visible in a folder. */
  async link(tx: Db, document_id: string, folder_id: string): Promise<void> {
    if (this.target !== null) await this.waiting.link(tx, document_id, folder_id);
  }

  /** Before documents are hidden from a folder. */
  async unlink(tx: Db, document_ids: readonly string[], folder_id: string): Promise<void> {
    if (this.target !== null) await this.waiting.unlink(tx, document_ids, folder_id);
  }

  /** As `SearchIndex.lackingVectors`. */
  async lacking(db: Db, document_ids: readonly string[]): Promise<ReadonlySet<string> | null> {
    return this.target === null ? null : this.waiting.among(db, document_ids);
  }

  /** One run of the job. */
  async run({ signal }: JobRun): Promise<JobEffect | void> {
    const embedder = this.parts.embedder(),
      set = this.target;
    if (embedder === undefined || set === null) return;
    // Nothing is asked (and paid for) that could not be stored.
    this.parts.files.requireFreeSpace();
    const batch = await this.nextBatch(embedder);
    if (batch === null) this.waiting.endLooking();
    if (batch === null || (batch.attempts >= attempts_to_wait_for && (await this.isSwitching())))
      return (tx) => this.finish(tx, set);
    try {
      const embedded = await embedBatch(embedder, set, batch, signal);
      this.failure = null;
      if (set.adopted === 1 && embedded.dimensions !== set.dimensions)
        return (tx) => this.replaceAdopted(tx, embedder, set);
      return (tx) => this.storeVectors(tx, set, embedded);
    } catch (error) {
      signal.throwIfAborted();
      this.failure = error instanceof Error ? error.message : String(error);
      const ids = batch.segments.map((segment) => segment.id);
      await countAttempt(this.parts.db, ids);
      throw error;
    }
  }

  /** What keeps documents from getting their vectors, in a sentence; null when nothing does. */
  async failing(): Promise<string | null> {
    if (this.target === null || this.failure === null) return null;
    const { documents, are_all } = await countWaitingDocuments(this.parts.db);
    if (documents === 0) return null;
    const count = are_all ? documents : `At least ${documents}`;
    const who =
      documents === 1
        ? `${count} document waits for its vectors`
        : `${count} documents wait for their vectors`;
    return `${who}: ${this.failure}. Until then words find them.`;
  }

  /** Without an embedder nothing waits. */
  private async end(): Promise<void> {
    this.target = this.serving = null;
    const sets = await store.vectorSets(this.parts.db);
    if (sets.length > 0) await this.parts.inTransaction((tx) => this.waiting.follow(tx, null));
  }

  private async insertTarget(
    tx: IndexDb,
    sets: readonly VectorSetRow[],
    { model, dimensions }: Embedder,
  ): Promise<VectorSetRow> {
    const set = {
      id: Math.max(this.parts.now_ms(), (sets.at(-1)?.id ?? 0) + 1),
      model,
      asked_dimensions: dimensions ?? 0,
      dimensions: 0,
      serving: 0,
      adopted: 0,
      followed: 0,
    };
    await store.insertVectorSet(tx, set);
    return set;
  }

  /** Several documents together; one segment alone when it has failed before. */
  private async nextBatch({ texts_max }: Embedder): Promise<Batch | null> {
    const { db } = this.parts,
      waiting = await nextWaiting(db, segments_per_run_max),
      attempts = waiting[0]?.tries ?? 0;
    const segments: { id: number; texts: string[] }[] = [];
    let texts = 0;
    for (const { segment_id, title, tries } of waiting) {
      const full = attempts > 0 || tries > 0 || texts >= texts_max * calls_per_run;
      if (segments.length > 0 && full) break;
      const chunks = await chunksOfSegment(db, segment_id);
      segments.push({
        id: segment_id,
        texts: chunks.map(({ heading, text }) =>
          [title, heading, text.trimEnd()]
            .filter((part) => part !== null && part !== "")
            .join("\n"),
        ),
      });
      texts += chunks.length;
    }
    return segments.length === 0 ? null : { segments, attempts };
  }

  private async storeVectors(tx: Db, set: VectorSetRow, embedded: EmbeddedBatch): Promise<void> {
    // The embedder has become another one meanwhile.
    if (this.target?.id !== set.id) return enqueueEmbedding(this.parts, tx);
    const { segments, dimensions } = embedded;
    for (const { id, vectors } of segments)
      // It may have been deleted meanwhile.
      if (await this.waiting.take(tx, id)) await store.insertVectors(tx, set.id, id, vectors);
    if (set.dimensions !== dimensions || set.adopted === 1)
      await this.changeTarget(tx, set, { dimensions, adopted: 0 });
    await enqueueEmbedding(this.parts, tx);
  }

  private async changeTarget(
    tx: Db,
    set: VectorSetRow,
    values: Pick<VectorSetRow, "adopted" | "dimensions">,
  ): Promise<void> {
    await store.updateSet(tx, set.id, values);
    this.parts.afterCommit(() => {
      if (this.target?.id !== set.id) return;
      this.target = { ...set, ...values };
      if (this.serving?.id === set.id) this.serving = this.target;
    });
  }

  /** Those from elsewhere are of another length than this model gives: all are made anew. */
  private async replaceAdopted(tx: Db, embedder: Embedder, set: VectorSetRow): Promise<void> {
    if (this.target?.id !== set.id) return enqueueEmbedding(this.parts, tx);
    await store.updateSet(tx, set.id, { model: `${set.model} (from elsewhere)` });
    const target = await this.insertTarget(tx, await store.vectorSets(tx), embedder);
    await store.setServingVectorSet(tx, target.id);
    await this.waiting.follow(tx, target);
    this.parts.afterCommit(() => {
      this.target = this.serving = target;
    });
    await enqueueEmbedding(this.parts, tx);
  }

  /** Whether another set still answers, or has to be deleted. */
  private async isSwitching(): Promise<boolean> {
    if (this.target?.id !== this.serving?.id) return true;
    return (await store.vectorSets(this.parts.db)).length > 1;
  }

  /**
   * Every document has its vectors: they answer from now on, and those of other models are deleted,
   * some in each run.
   */
  private async finish(tx: Db, set: VectorSetRow): Promise<void> {
    const { afterCommit, truncateWal } = this.parts;
    if (this.target?.id !== set.id) return enqueueEmbedding(this.parts, tx);
    const [next] = await nextWaiting(tx, 1);
    if (next !== undefined && next.tries < attempts_to_wait_for)
      return enqueueEmbedding(this.parts, tx);
    if (this.serving?.id !== set.id) return this.switchTo(tx, set);
    const others = (await store.vectorSets(tx)).filter(({ id }) => id !== set.id);
    if (others.length > 0 && (await store.deleteSomeVectors(tx, others[0]!.id, deleted_per_run)))
      afterCommit(truncateWal);
    if (others.length > 0 || next !== undefined) await enqueueEmbedding(this.parts, tx);
  }

  private async switchTo(tx: Db, set: VectorSetRow): Promise<void> {
    await store.setServingVectorSet(tx, set.id);
    this.parts.afterCommit(() => {
      this.serving = this.target;
      this.parts.log.info("the vectors of another model answer from now on", { model: set.model });
    });
    await enqueueEmbedding(this.parts, tx);
  }
}

const targetAmong = (
  sets: readonly VectorSetRow[],
  { model, dimensions }: Embedder,
): VectorSetRow | undefined =>
  sets.find((set) => set.model === model && set.asked_dimensions === (dimensions ?? 0));

/**
 * Halves the number of texts in a call with each failed attempt: the embedder may be slow, or fail
 * on one of them.
 */
async function embedBatch(
  embedder: Embedder,
  set: VectorSetRow,
  { segments, attempts }: Batch,
  signal: AbortSignal,
): Promise<EmbeddedBatch> {
  const texts = segments.flatMap((segment) => segment.texts),
    texts_max = Math.max(1, embedder.texts_max >> Math.min(attempts, 16)),
    vectors: (readonly Float32Array[])[] = [];
  const options = {
    kind: "document",
    model: set.model,
    dimensions: set.asked_dimensions || null,
    signal,
  } as const;
  let dimensions = set.adopted === 1 ? 0 : set.dimensions;
  for (const some of batchesOf(texts, texts_max)) {
    vectors.push(...(await embedChecked(embedder, some, options, dimensions)));
    dimensions ||= vectors.find((of_text) => of_text.length > 0)?.[0]?.length ?? 0;
  }
  dimensions ||= set.dimensions;
  let at = 0;
  return {
    dimensions,
    segments: segments.map(({ id, texts }) => ({
      id,
      vectors: packVectors(vectors.slice(at, (at += texts.length)), dimensions),
    })),
  };
}
