/**
 * Unpublished index versions: those that are being written, and those that wait to be deleted, in
 * parts and in the background.
 */
import { Cleaner } from "../../../core/lib/cleaner";
import { inParts } from "../../../core/lib/chunked-work";
import type { Context, Db } from "../../../core/sdk";
import { deleteIndexVersions, deleteSomeSegments, hideIndexVersion } from "../deletion-store";
import * as store from "./staged-store";
import type { DocumentRow, StagedRow } from "../store";

/** An index version with more chunks is deleted in parts. */
const small_chunks_max = 512;

/** What it needs from `Context`. */
export type StagedVersionsContext = Pick<
  Context,
  "afterCommit" | "db" | "inDeletion" | "log" | "node" | "truncateWal"
>;

/** Keeps what may still be published, and deletes the rest in the background. */
export class StagedVersions {
  /** Those that this process may still publish. */
  private readonly publishable = new Set<number>();
  private readonly cleaner = new Cleaner({
    clean: (signal) => this.clean(signal),
    onError: (error) =>
      this.ctx.log.warn("an old part of the index could not be deleted yet", {
        error: String(error),
      }),
  });

  constructor(private readonly ctx: StagedVersionsContext) {}

  /**
   * Before the first request: deletes what was staged and never published, except for what another
   * process is staging.
   */
  start(): void {
    this.publishable.clear();
    this.cleaner.start();
  }
  /** Deletes what other processes have left behind as well. */
  clearUp(): void {
    this.cleaner.start();
  }
  /** Stops deleting. */
  stop(): Promise<void> {
    return this.cleaner.stop();
  }

  /** Before its first segment is written; deletes what was staged of the document before. */
  async begin(
    tx: Db,
    { edition, document_id }: Pick<StagedRow, "document_id" | "edition">,
  ): Promise<void> {
    await this.release(tx, document_id);
    await store.insertStaged(tx, { edition, document_id, node: this.ctx.node.id });
    this.publishable.add(edition);
  }

  /**
   * Before a further segment is written, which nobody would delete otherwise: another process may
   * have deleted the document, or taken this one for gone. @throws Error when it was discarded.
   */
  async requireKept(tx: Db, edition: number, document_id: string): Promise<void> {
    if (!(await store.isStaged(tx, edition, this.ctx.node.id))) throw discarded(document_id);
  }

  /** It is published, and no longer staged. @throws Error when it was discarded. */
  async end(tx: Db, edition: number, document_id: string): Promise<void> {
    if (
      !this.publishable.has(edition) ||
      !(await store.deleteStaged(tx, edition, this.ctx.node.id))
    )
      throw discarded(document_id);
    this.ctx.afterCommit(() => this.publishable.delete(edition));
  }

  /** It will not be published. */
  discard(edition: number): void {
    if (this.publishable.delete(edition)) this.cleaner.start();
  }

  /**
   * Another index version replaces this one, and what is staged of the document: it is invisible
   * from now on.
   */
  async replace(
    tx: Db,
    { document_id, edition, chunks }: Pick<DocumentRow, "document_id" | "edition" | "chunks">,
  ): Promise<void> {
    if (chunks <= small_chunks_max) await deleteIndexVersions(tx, [edition]);
    else {
      await hideIndexVersion(tx, edition);
      await store.insertStaged(tx, { edition, document_id, node: "" });
      this.ctx.afterCommit(this.cleaner.start);
    }
  }

  /** Nothing staged of the document will be published. */
  async release(tx: Db, document_id: string): Promise<void> {
    const editions = await store.stagedIndexVersions(tx, document_id);
    if (editions.length === 0) return;
    await store.clearNode(tx, { document_id });
    this.ctx.afterCommit(() => {
      for (const edition of editions) this.publishable.delete(edition);
      this.cleaner.start();
    });
  }

  private async clean(signal: AbortSignal): Promise<void> {
    const { db, inDeletion, node, truncateWal } = this.ctx;
    const alive = await node.alive();
    const staged = await store.allStaged(db);
    const unused = staged.filter((row) =>
      row.node === node.id ? !this.publishable.has(row.edition) : !alive.has(row.node),
    );
    for (const { edition, node: of } of unused) {
      // A process that was only silent must not publish what is partly deleted.
      if (of !== "") await inDeletion((tx) => store.clearNode(tx, { edition }));
      await inParts(
        () =>
          inDeletion(async (tx) => {
            if (!(await deleteSomeSegments(tx, [edition]))) return true;
            await store.deleteStaged(tx, edition, "");
            return false;
          }),
        signal,
      );
    }
    if (unused.length > 0) truncateWal();
  }
}

const discarded = (document_id: string): Error =>
  new Error(`What was prepared of ${document_id} is gone; prepare it again.`);
