/**
 * Gives published documents their vectors, a few in each run of its job, and switches to the
 * vectors of another model when all documents have them. No request waits for it.
 */
import { messageOf } from "../../../core/lib/error-message";
import type { Context, Db, JobEffect, JobRun } from "../../../core/sdk";
import type { BackendFeed } from "../backend/backend-feed";
import type { Calibrations } from "../vectors/calibrations";
import type { Embedder, EmbeddingState, VectorKind } from "../contract";
import {
  embedCall,
  EmbeddingScheduler,
  type EmbeddingCall,
  type OpenSegment,
} from "./embedding-scheduler";
import { EmbeddingProgress } from "./embedding-progress";
import { embeddingState } from "./embedding-state";
import { cancelEmbedding, enqueueEmbedding } from "../jobs";
import type { IndexVersion } from "../indexing/preparer";
import type { IndexDb, VectorSetRow } from "../store";
import * as store from "../vectors/vector-store";
import { targetAmong, VectorSets } from "../vectors/vector-sets";
import { WaitingDocuments, type WaitingDocumentsContext } from "./waiting-documents";
import { fewestTries } from "./waiting-store";
import { embedChecked, packVectors } from "../vectors/vector-math";

const calls_per_run = 4;
/** Segments that failed this often no longer delay the switch to a new model. */
const attempts_to_wait_for = 10;
/** Vectors of a replaced set deleted per run. */
const deleted_per_run = 200;

export interface DocumentEmbedderContext extends Pick<
  Context,
  | "node"
  | "notifier"
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
  readonly folders: WaitingDocumentsContext["folders"];
  readonly embedder: () => Embedder | undefined;
  readonly backend: Pick<BackendFeed, "vectorsChanged" | "wake">;
  readonly calibrations: Pick<Calibrations, "compute">;
  /** Whether background embedding is paused. */
  readonly paused: () => boolean;
}
export class DocumentEmbedder {
  private readonly sets: VectorSets;
  private failure: string | null = null;
  private following: Promise<void> = Promise.resolve();
  private readonly waiting: WaitingDocuments;
  private readonly scheduler: EmbeddingScheduler;
  /** Subscriptions to other processes, until `stop`. */
  private readonly listening: readonly (() => void)[];
  private readonly progress = new EmbeddingProgress();
  /** Whether the embedder's last call succeeded. */
  private is_well = true;

  constructor(private readonly ctx: DocumentEmbedderContext) {
    this.sets = new VectorSets(ctx);
    this.waiting = new WaitingDocuments(ctx);
    this.scheduler = new EmbeddingScheduler(ctx.db);
    const problem = "changes to vectors by another process can't be read";
    this.listening = [
      this.waiting.listen((error) => ctx.log.warn(problem, { error: String(error) })),
      this.sets.listen(() =>
        this.inTurn(problem, async () => {
          if (await this.sets.reload()) this.scheduler.clear();
        }),
      ),
    ];
  }

  /** The set that queries are compared with; null when there is no embedder, or no vector yet. */
  servingSet(): VectorSetRow | null {
    const { serving } = this.sets;
    return serving === null || serving.dimensions === 0 ? null : serving;
  }

  /** This process's embedder was replaced or removed while the server runs. */
  follow(): void {
    this.inTurn("the creation of vectors with another model could not be started", () =>
      this.start(true),
    );
  }

  private inTurn(problem: string, work: () => Promise<void>): void {
    this.following = this.following.then(() =>
      work().catch((error: unknown) => {
        this.failure = messageOf(error);
        this.ctx.log.error(problem, { error: this.failure });
      }),
    );
  }

  /** When it resolves, nothing here uses the database any more. */
  stop(): Promise<void> {
    for (const end of this.listening) end();
    return this.following;
  }

  /**
   * Before the first request: compares the configured model with the stored sets. `is_new`: this
   * process had another embedder before.
   */
  async start(is_new = false): Promise<void> {
    const embedder = this.ctx.embedder();
    this.failure = null;
    this.progress.begin();
    if (embedder === undefined) return this.end();
    if (!is_new && (await this.hasNothingToDo(embedder))) return this.sets.show();
    await this.ctx.inTransaction(async (tx) => {
      const sets = await store.vectorSets(tx);
      this.sets.serving = sets.find((set) => set.serving === 1) ?? null;
      this.sets.target =
        targetAmong(sets, embedder) ?? (await this.sets.insert(tx, sets, embedder));
      this.scheduler.clear();
      // Before the first vector of the serving set, or when no question can be compared with it any
      // more, some vectors are better than none.
      const is_served = embedder.has?.(this.sets.serving?.model ?? "") ?? true;
      if (this.sets.serving === null || this.sets.serving.dimensions === 0 || !is_served) {
        this.sets.serving = this.sets.target;
        await store.setServingVectorSet(tx, this.sets.target.id);
        await this.ctx.backend.vectorsChanged(tx);
      }
      const is_followed = this.sets.target.followed === 1;
      await this.waiting.follow(tx, this.sets.target);
      this.sets.target = { ...this.sets.target, followed: 1 };
      // The job may wait for a former embedder, or to try it again; that of another process is at
      // work when this one only starts.
      if (is_new || !is_followed || !this.ctx.node.shared) await cancelEmbedding(this.ctx, tx);
      await enqueueEmbedding(this.ctx, tx);
      if (!is_followed) this.sets.announce();
    });
    this.sets.show();
  }

  /** True after most starts: the vectors are of this model, and no document waits for any. */
  private async hasNothingToDo(embedder: Embedder): Promise<boolean> {
    const { db, node } = this.ctx;
    if (node.shared || (await fewestTries(db)) !== null) return false;
    return this.sets.resume(embedder);
  }

  /** The set for vectors that were made elsewhere; null when this server's are of another kind. */
  async setFor({ model, asked_dimensions, dimensions }: VectorKind): Promise<number | null> {
    const set = this.sets.target;
    if (set?.model !== model || set.asked_dimensions !== asked_dimensions) return null;
    if (set.dimensions === 0)
      await this.ctx.inTransaction((tx) => this.changeTarget(tx, set, { dimensions, adopted: 1 }));
    return set.dimensions === 0 || set.dimensions === dimensions ? set.id : null;
  }

  // --- Inside the transactions that change what is published.

  /** An index version is published: it waits for its vectors, except those that came with it. */
  async add(
    tx: IndexDb,
    document_id: string,
    owner_id: string,
    { id, chunks, segment_count, set_id }: IndexVersion,
    folder_ids: readonly string[],
  ): Promise<void> {
    const target = await this.sets.targetIn(tx);
    if (target === null || segment_count === 0) return;
    const passages = Math.ceil(chunks / segment_count);
    const segments = segment_count;
    const document = { index_version: id, document_id, owner_id, passages, segments };
    const has_some = set_id === target.id;
    if (this.waiting.totals.documents === 0) this.progress.begin();
    await this.waiting.begin(tx, document, folder_ids, has_some ? set_id : null);
    await this.enqueueNextRun(tx);
  }

  /** Before documents are replaced or deleted. */
  async remove(tx: Db, document_ids: readonly string[]): Promise<void> {
    if ((await this.sets.targetIn(tx)) !== null) await this.waiting.end(tx, document_ids);
  }

  /** Before a document becomes visible in a folder. */
  async link(tx: Db, document_id: string, folder_id: string): Promise<void> {
    if ((await this.sets.targetIn(tx)) !== null)
      await this.waiting.link(tx, document_id, folder_id);
  }

  /** Before documents are hidden from a folder. */
  async unlink(tx: Db, document_ids: readonly string[], folder_id: string): Promise<void> {
    if ((await this.sets.targetIn(tx)) !== null)
      await this.waiting.unlink(tx, document_ids, folder_id);
  }

  /** See `SearchIndex.lackingVectors`. */
  async lacking(db: Db, document_ids: readonly string[]): Promise<ReadonlySet<string> | null> {
    return this.sets.are_shown ? this.waiting.lacking(db, document_ids) : null;
  }

  // --- The job.

  /** Resumes after a pause. */
  resume(): void {
    this.progress.begin();
    if (this.sets.target !== null)
      this.inTurn("vectors of documents could not be created yet", () =>
        this.ctx.inTransaction((tx) => this.enqueueNextRun(tx)),
      );
  }

  /** One run of the job. */
  async run({ signal }: JobRun): Promise<JobEffect | void> {
    const embedder = this.ctx.embedder();
    const set = this.sets.target;
    if (embedder === undefined || set === null) return;
    await this.waiting.examineAll(set, signal);
    // Nothing is requested (and paid for) that could not be stored.
    this.ctx.files.requireFreeSpace();
    for (let calls = 0; calls < calls_per_run && !this.ctx.paused(); calls++) {
      const call = await this.scheduler.next(embedder.texts_max);
      if (call === null || (call.tries >= attempts_to_wait_for && (await this.isSwitching())))
        return (tx) => this.finish(tx, set);
      if (this.sets.target?.id !== set.id) break;
      await this.embed(embedder, this.sets.target, call, signal);
    }
    // The next run may be in another process, which would start it over.
    while (this.ctx.node.shared && this.sets.target?.id === set.id && !this.ctx.paused()) {
      const call = await this.scheduler.nextBegun(embedder.texts_max);
      if (call === null) break;
      await this.embed(embedder, this.sets.target, call, signal);
    }
    return (tx) => this.enqueueNextRun(tx);
  }

  /**
   * @throws Error when the embedder fails, except for what has failed before while others succeed.
   */
  private async embed(
    embedder: Embedder,
    set: VectorSetRow,
    call: EmbeddingCall,
    signal: AbortSignal,
  ): Promise<void> {
    const { inTransaction } = this.ctx;
    const began_ms = performance.now();
    let vectors: Awaited<ReturnType<typeof embedChecked>>;
    try {
      vectors = await embedCall(embedder, set, call, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.failure = messageOf(error);
      await this.scheduler.failed(call);
      const others_do_well = call.tries > 0 && this.is_well;
      this.is_well = false;
      if (others_do_well) return;
      throw error;
    }
    this.failure = null;
    this.is_well = true;
    this.progress.add(call.texts.length, performance.now() - began_ms);
    const dimensions = vectors.find((of_text) => of_text.length > 0)?.[0]?.length ?? set.dimensions;
    if (set.adopted === 1 && dimensions !== set.dimensions) {
      this.scheduler.clear();
      return inTransaction((tx) => this.replaceAdopted(tx, embedder, set));
    }
    await this.ctx.calibrations.compute(embedder, { ...set, dimensions }, signal);
    // The embedder was replaced meanwhile.
    if (this.sets.target?.id !== set.id) return;
    const complete = this.scheduler.done(call, vectors);
    const is_known = set.dimensions === dimensions && set.adopted === 0;
    if (complete.length > 0 || !is_known)
      await inTransaction((tx) => this.storeVectors(tx, set, complete, dimensions));
  }

  state(): EmbeddingState {
    return embeddingState({
      has_embedder: this.sets.target !== null,
      is_paused: this.ctx.paused(),
      totals: this.waiting.totals,
      is_counted: this.waiting.is_complete,
      failure: this.failure,
      progress: this.progress,
    });
  }

  miscounted(): Promise<number> {
    return this.waiting.miscounted();
  }
  async recount(): Promise<void> {
    const set = this.sets.target;
    if (set === null) return;
    await this.ctx.inTransaction(async (tx) => {
      await this.waiting.follow(tx, { ...set, followed: 0 });
      await this.enqueueNextRun(tx);
    });
    await this.waiting.examineAll(set);
  }

  /** Enqueues the next run, if there is one. */
  private async enqueueNextRun(tx: Db): Promise<void> {
    if (!this.ctx.paused()) await enqueueEmbedding(this.ctx, tx);
  }

  /** Without an embedder nothing waits. */
  private async end(): Promise<void> {
    this.sets.target = null;
    this.sets.serving = null;
    this.scheduler.clear();
    const sets = await store.vectorSets(this.ctx.db);
    if (sets.length > 0) await this.ctx.inTransaction((tx) => this.waiting.follow(tx, null));
    this.sets.show();
  }

  private async storeVectors(
    tx: Db,
    set: VectorSetRow,
    complete: readonly OpenSegment[],
    dimensions: number,
  ): Promise<void> {
    // The embedder was replaced meanwhile.
    if (!(await this.sets.isTarget(tx, set))) return;
    for (const { segment_id, vectors } of complete)
      // It may have been deleted meanwhile.
      if (await this.waiting.remove(tx, segment_id))
        await store.insertVectors(tx, set.id, segment_id, packVectors(vectors, dimensions));
    await this.ctx.backend.wake(tx);
    if (set.dimensions !== dimensions || set.adopted === 1)
      await this.changeTarget(tx, set, { dimensions, adopted: 0 });
  }

  private async changeTarget(
    tx: Db,
    set: VectorSetRow,
    values: Pick<VectorSetRow, "adopted" | "dimensions">,
  ): Promise<void> {
    await store.updateSet(tx, set.id, values);
    this.sets.announce();
    this.ctx.afterCommit(() => {
      if (this.sets.target?.id !== set.id) return;
      this.sets.target = { ...set, ...values };
      if (this.sets.serving?.id === set.id) this.sets.serving = this.sets.target;
    });
  }

  /** The imported vectors have another length than this model's: all are made again. */
  private async replaceAdopted(tx: Db, embedder: Embedder, set: VectorSetRow): Promise<void> {
    if (!(await this.sets.isTarget(tx, set))) return;
    await store.updateSet(tx, set.id, { model: `${set.model} (from elsewhere)` });
    const target = await this.sets.insert(tx, await store.vectorSets(tx), embedder);
    await store.setServingVectorSet(tx, target.id);
    await this.ctx.backend.vectorsChanged(tx);
    await this.waiting.follow(tx, target);
    this.sets.announce();
    this.ctx.afterCommit(() => {
      this.sets.target = target;
      this.sets.serving = target;
    });
    await enqueueEmbedding(this.ctx, tx);
  }

  /** Whether another set is still in use, or has to be deleted. */
  private async isSwitching(): Promise<boolean> {
    if (this.sets.target?.id !== this.sets.serving?.id) return true;
    return (await store.vectorSets(this.ctx.db)).length > 1;
  }

  /**
   * Every document has its vectors: they are used from now on, and those of other models are
   * deleted, some in each run.
   */
  private async finish(tx: Db, set: VectorSetRow): Promise<void> {
    const { afterCommit, truncateWal } = this.ctx;
    if (!(await this.sets.isTarget(tx, set))) return enqueueEmbedding(this.ctx, tx);
    const sets = await store.vectorSets(tx);
    if (sets.some(({ id, looked_to }) => id === set.id && looked_to !== null))
      return this.enqueueNextRun(tx);
    const tries = await fewestTries(tx);
    if (tries !== null && tries < attempts_to_wait_for) return this.enqueueNextRun(tx);
    if (this.sets.serving?.id !== set.id) return this.switchTo(tx, set);
    const others = sets.filter(({ id }) => id !== set.id);
    if (others.length > 0 && (await store.deleteSomeVectors(tx, others[0]!.id, deleted_per_run)))
      afterCommit(truncateWal);
    if (others.length > 0 || tries !== null) await this.enqueueNextRun(tx);
  }

  private async switchTo(tx: Db, set: VectorSetRow): Promise<void> {
    await store.setServingVectorSet(tx, set.id);
    await this.ctx.backend.vectorsChanged(tx);
    this.sets.announce();
    this.ctx.afterCommit(() => {
      if (this.sets.target?.id === set.id) this.sets.serving = this.sets.target;
      this.ctx.log.info("search now uses the vectors of another model", { model: set.model });
    });
    await enqueueEmbedding(this.ctx, tx);
  }
}
