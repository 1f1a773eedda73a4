/**
 * The job that gives published documents their vectors, a few in each run, and switches to the
 * vectors of another model when all documents have them.
 */
import { messageOf } from "../../../core/lib/error-message";
import type { Context, Db, JobEffect, JobRun } from "../../../core/sdk";
import type { BackendFeed } from "../backend/backend-feed";
import type { Calibrations } from "../vectors/calibrations";
import type { Embedder } from "../contract";
import type { EmbeddingProgress } from "./embedding-progress";
import {
  embedCall,
  type EmbeddingCall,
  type EmbeddingScheduler,
  type OpenSegment,
} from "./embedding-scheduler";
import { enqueueEmbedding } from "../jobs";
import type { VectorSetRow } from "../store";
import * as store from "../vectors/vector-store";
import type { VectorSets } from "../vectors/vector-sets";
import type { WaitingDocuments } from "./waiting-documents";
import { fewestTries } from "./waiting-store";
import { packVectors, type embedChecked } from "../vectors/vector-math";

const calls_per_run = 4;
/** Segments that failed this often no longer delay the switch to a new model. */
const attempts_to_wait_for = 10;
/** Vectors of a replaced set deleted per run. */
const deleted_per_run = 200;

/** What the job needs of its surroundings. */
export interface EmbeddingJobContext extends Pick<
  Context,
  "node" | "db" | "inTransaction" | "afterCommit" | "truncateWal" | "enqueue" | "log"
> {
  readonly files: Pick<Context["files"], "requireFreeSpace">;
  readonly embedder: () => Embedder | undefined;
  readonly backend: Pick<BackendFeed, "vectorsChanged" | "wake">;
  readonly calibrations: Pick<Calibrations, "compute">;
  /** Whether background embedding is paused. */
  readonly paused: () => boolean;
}
/** The state that the job shares with the transactions that publish documents. */
export interface EmbeddingParts {
  readonly sets: VectorSets;
  readonly waiting: WaitingDocuments;
  readonly scheduler: EmbeddingScheduler;
  readonly progress: EmbeddingProgress;
}

/** Runs in the background: no request waits for it. */
export class EmbeddingJob {
  private readonly sets: VectorSets;
  private readonly waiting: WaitingDocuments;
  private readonly scheduler: EmbeddingScheduler;
  private readonly progress: EmbeddingProgress;
  /** Whether the embedder's last call succeeded. */
  private is_well = true;

  constructor(
    private readonly ctx: EmbeddingJobContext,
    { sets, waiting, scheduler, progress }: EmbeddingParts,
  ) {
    this.sets = sets;
    this.waiting = waiting;
    this.scheduler = scheduler;
    this.progress = progress;
  }

  /** Enqueues the next run, if there is one. */
  async enqueueNext(tx: Db): Promise<void> {
    if (!this.ctx.paused()) await enqueueEmbedding(this.ctx, tx);
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
    return (tx) => this.enqueueNext(tx);
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
      this.progress.failure = messageOf(error);
      await this.scheduler.failed(call);
      const others_do_well = call.tries > 0 && this.is_well;
      this.is_well = false;
      if (others_do_well) return;
      throw error;
    }
    this.progress.failure = null;
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
      await this.sets.change(tx, set, { dimensions, adopted: 0 });
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
      return this.enqueueNext(tx);
    const tries = await fewestTries(tx);
    if (tries !== null && tries < attempts_to_wait_for) return this.enqueueNext(tx);
    if (this.sets.serving?.id !== set.id) return this.switchTo(tx, set);
    const others = sets.filter(({ id }) => id !== set.id);
    if (others.length > 0 && (await store.deleteSomeVectors(tx, others[0]!.id, deleted_per_run)))
      afterCommit(truncateWal);
    if (others.length > 0 || tries !== null) await this.enqueueNext(tx);
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
