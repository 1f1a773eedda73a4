/**
 * Which documents have vectors and which wait for them, in the transactions that publish, replace
 * or delete them; and which model's vectors they are. No request waits for an embedder.
 */
import { messageOf } from "../../../core/lib/error-message";
import type { Context, Db, JobEffect, JobRun } from "../../../core/sdk";
import type { Embedder, EmbeddingState, VectorKind } from "../contract";
import { EmbeddingJob, type EmbeddingJobContext } from "./embedding-job";
import { EmbeddingProgress } from "./embedding-progress";
import { EmbeddingScheduler } from "./embedding-scheduler";
import { embeddingState } from "./embedding-state";
import { cancelEmbedding, enqueueEmbedding } from "../jobs";
import type { IndexVersion } from "../indexing/preparer";
import type { IndexDb, VectorSetRow } from "../store";
import * as store from "../vectors/vector-store";
import { targetAmong, VectorSets } from "../vectors/vector-sets";
import { WaitingDocuments, type WaitingDocumentsContext } from "./waiting-documents";
import { fewestTries } from "./waiting-store";

export interface DocumentEmbedderContext
  extends EmbeddingJobContext, Pick<Context, "notifier" | "now_ms" | "cancelJobs"> {
  readonly folders: WaitingDocumentsContext["folders"];
}
/** Follows the documents and the embedder of this process; its job does the work. */
export class DocumentEmbedder {
  private readonly sets: VectorSets;
  private following: Promise<void> = Promise.resolve();
  private readonly waiting: WaitingDocuments;
  private readonly scheduler: EmbeddingScheduler;
  /** Subscriptions to other processes, until `stop`. */
  private readonly listening: readonly (() => void)[];
  private readonly progress = new EmbeddingProgress();
  private readonly job: EmbeddingJob;

  constructor(private readonly ctx: DocumentEmbedderContext) {
    this.sets = new VectorSets(ctx);
    this.waiting = new WaitingDocuments(ctx);
    this.scheduler = new EmbeddingScheduler(ctx.db);
    this.job = new EmbeddingJob(ctx, {
      sets: this.sets,
      waiting: this.waiting,
      scheduler: this.scheduler,
      progress: this.progress,
    });
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
        this.progress.failure = messageOf(error);
        this.ctx.log.error(problem, { error: this.progress.failure });
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
    this.progress.failure = null;
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
      await this.ctx.inTransaction((tx) => this.sets.change(tx, set, { dimensions, adopted: 1 }));
    return set.dimensions === 0 || set.dimensions === dimensions ? set.id : null;
  }

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
    await this.job.enqueueNext(tx);
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

  /** Resumes after a pause. */
  resume(): void {
    this.progress.begin();
    if (this.sets.target !== null)
      this.inTurn("vectors of documents could not be created yet", () =>
        this.ctx.inTransaction((tx) => this.job.enqueueNext(tx)),
      );
  }

  /** One run of the job. */
  run(run: JobRun): Promise<JobEffect | void> {
    return this.job.run(run);
  }

  state(): EmbeddingState {
    return embeddingState({
      has_embedder: this.sets.target !== null,
      is_paused: this.ctx.paused(),
      totals: this.waiting.totals,
      is_counted: this.waiting.is_complete,
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
      await this.job.enqueueNext(tx);
    });
    await this.waiting.examineAll(set);
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
}
