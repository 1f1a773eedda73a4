/**
 * Which documents wait for their vectors, and the counts of them kept by folders: every change is
 * part of the transaction that causes it.
 */
import { topic, type Context, type Db } from "../../../core/sdk";
import type { Folders } from "../../folders/contract";
import { foldersOf, type VectorSetRow } from "../store";
import { followedVectorSet, setFollowedVectorSet, updateSet } from "../vectors/vector-store";
import * as store from "./waiting-store";
import type { FolderCount, WaitingDocument, WaitingTotals } from "./waiting-store";

/** More is waiting; null: everything that waits has to be counted again. */
const WaitingChanged = topic<WaitingTotals | null>("index.waiting_changed");

/** Documents that one transaction examines for missing vectors. */
const examined_at_once = 200;

/** What it needs besides `Context`. */
export interface WaitingDocumentsContext extends Pick<
  Context,
  "afterCommit" | "db" | "inTransaction" | "node" | "notifier"
> {
  readonly folders: Pick<
    Folders,
    "clearVectorsPending" | "findRoots" | "listVectorsPending" | "moveCounters"
  >;
}

/** Counts the documents that wait for vectors, without a query if possible. */
export class WaitingDocuments {
  /**
   * The waiting documents, including those of uncommitted transactions: while there are none, no
   * queries are needed. Changes by other processes arrive a moment later, so with several processes
   * the database is always queried.
   */
  private readonly waiting = { documents: 0, passages: 0 };
  /** All documents were examined for vectors missing in the followed set. */
  is_complete = true;

  constructor(private readonly ctx: WaitingDocumentsContext) {}

  /** Receives changes by other processes, until the returned function is called. */
  listen(onError: (error: unknown) => void): () => void {
    const { notifier } = this.ctx;
    const recount = (): void => void this.recount().catch(onError);
    const ends = [
      notifier.subscribe(WaitingChanged, "all", (change, is_local) => {
        if (is_local) return;
        if (change === null) recount();
        else this.count(change.documents, change.passages);
      }),
      notifier.onMissed(recount),
    ];
    return () => ends.forEach((end) => end());
  }

  /** How much waits at the moment. */
  get totals(): WaitingTotals {
    return { ...this.waiting };
  }

  /**
   * From now on documents wait for what this set lacks; without a set, none does. The first
   * documents are examined at once, all others by `examineAll`.
   */
  async follow(tx: Db, set: Pick<VectorSetRow, "followed" | "id"> | null): Promise<void> {
    if (set?.followed === 1) await store.forgetAttempts(tx);
    else {
      await this.ctx.folders.clearVectorsPending(tx);
      await setFollowedVectorSet(tx, set?.id ?? null);
      await store.deleteAllWaiting(tx);
      if (set !== null) await this.examineSome(tx, set.id);
    }
    const { documents, passages } = await store.countAll(tx);
    this.addHere({
      documents: documents - this.waiting.documents,
      passages: passages - this.waiting.passages,
    });
    const followed = await followedVectorSet(tx);
    this.ctx.afterCommit(() => this.setComplete(followed));
    this.ctx.notifier.publish(WaitingChanged, "", null);
  }

  /**
   * Continues, also after a restart, until all documents were examined for vectors missing in the
   * set.
   */
  async examineAll({ id }: Pick<VectorSetRow, "id">, signal?: AbortSignal): Promise<void> {
    while (await this.ctx.inTransaction((tx) => this.examineSome(tx, id))) {
      signal?.throwIfAborted();
      await Bun.sleep(0);
    }
  }

  /** False when there are no more documents to examine. */
  private async examineSome(tx: Db, set_id: number): Promise<boolean> {
    const set = await followedVectorSet(tx);
    if (set?.id !== set_id || set.looked_to === null) return false;
    const examined = await store.documentsAfter(tx, set.looked_to, examined_at_once);
    const waiting = await store.waitingAmong(tx, examined);
    const others = examined.filter((document_id) => !waiting.has(document_id));
    const lacking = await store.insertLacking(tx, set_id, others);
    const documents = new Set(lacking.map(({ document_id }) => document_id));
    const passages = lacking.reduce((sum, row) => sum + row.passages, 0);
    await this.move(tx, await store.countAmong(tx, [...documents]), 1);
    this.add({ documents: documents.size, passages });
    const looked_to = examined.length < examined_at_once ? null : examined.at(-1)!;
    await updateSet(tx, set_id, { looked_to });
    if (looked_to !== null) return true;
    this.ctx.afterCommit(() => this.setComplete({ looked_to }));
    this.ctx.notifier.publish(WaitingChanged, "", null);
    return false;
  }
  private setComplete(followed: Pick<VectorSetRow, "looked_to"> | undefined): void {
    this.is_complete = (followed?.looked_to ?? null) === null;
  }

  /** Folders whose count of waiting documents is wrong. */
  async miscounted(): Promise<number> {
    const { db, folders } = this.ctx;
    const counted = await folders.listVectorsPending(db);
    const waiting = await store.countEverywhere(db);
    // Folders that are being purged count nothing.
    const existing_roots = await folders.findRoots(
      db,
      waiting.map(({ folder_id }) => folder_id),
    );
    const actual = new Map(waiting.map(({ folder_id, documents }) => [folder_id, documents]));
    const wrong = new Set(
      counted.filter(({ id, documents }) => actual.get(id) !== documents).map(({ id }) => id),
    );
    const counted_ids = new Set(counted.map(({ id }) => id));
    for (const folder_id of existing_roots.keys())
      if (!counted_ids.has(folder_id)) wrong.add(folder_id);
    return wrong.size;
  }

  /**
   * The index version of a document that does not wait is published in these folders: it waits,
   * except for segments that have vectors in `set_id` already.
   */
  async begin(
    tx: Db,
    document: WaitingDocument,
    folder_ids: readonly string[],
    set_id: number | null,
  ): Promise<void> {
    const { document_id, passages } = document;
    await store.insertWaiting(tx, document);
    let segments = document.segments;
    if (set_id !== null) {
      segments -= await store.deleteNotWaiting(tx, document.index_version, set_id);
      if (!(await store.isWaiting(tx, document_id))) return;
    }
    this.add({ documents: 1, passages: passages * segments });
    await this.moveAll(tx, folder_ids, 1);
  }

  /** Before these documents are replaced or deleted. */
  async end(tx: Db, document_ids: readonly string[]): Promise<void> {
    const waiting = [...(await this.among(tx, document_ids))];
    if (waiting.length === 0) return;
    await this.move(tx, await store.countAmong(tx, waiting), -1);
    this.subtract({ documents: waiting.length, passages: await store.deleteWaiting(tx, waiting) });
  }

  /** Before the document becomes visible in another folder. */
  async link(tx: Db, document_id: string, folder_id: string): Promise<void> {
    if ((await this.among(tx, [document_id])).size === 0) return;
    if ((await store.countInFolder(tx, [document_id], folder_id)) === 0)
      await this.moveAll(tx, [folder_id], 1);
  }

  /** Before the documents are hidden from a folder. */
  async unlink(tx: Db, document_ids: readonly string[], folder_id: string): Promise<void> {
    const waiting = [...(await this.among(tx, document_ids))];
    if (waiting.length === 0) return;
    const documents = await store.countInFolder(tx, waiting, folder_id);
    await this.move(tx, [{ folder_id, documents }], -1);
  }

  /** The segment gets its vectors; false when it no longer waits. */
  async remove(tx: Db, segment_id: number): Promise<boolean> {
    const removed = await store.takeWaiting(tx, segment_id);
    if (removed === undefined) return false;
    const is_last = !(await store.isWaiting(tx, removed.document_id));
    if (is_last) await this.moveAll(tx, await foldersOf(tx, segment_id), -1);
    this.subtract({ documents: Number(is_last), passages: removed.passages });
    return true;
  }

  /** The documents among these that lack vectors, whether they wait already or will. */
  async lacking(db: Db, document_ids: readonly string[]): Promise<ReadonlySet<string>> {
    const waiting = await this.among(db, document_ids);
    if (this.is_complete) return waiting;
    return new Set([...waiting, ...(await store.notExamined(db, document_ids))]);
  }

  /** The documents among these that wait. */
  async among(db: Db, document_ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.ctx.node.shared || this.waiting.documents > 0
      ? store.waitingAmong(db, document_ids)
      : new Set();
  }

  /** At once, for readers right after the commit. */
  private add(more: WaitingTotals): void {
    this.addHere(more);
    this.ctx.notifier.publish(WaitingChanged, "", more);
  }
  private addHere({ documents, passages }: WaitingTotals): void {
    this.count(documents, passages);
    this.ctx.afterCommit(
      () => undefined,
      () => this.count(-documents, -passages),
    );
  }
  private subtract({ documents, passages }: WaitingTotals): void {
    const less = { documents: -documents, passages: -passages };
    this.ctx.afterCommit(() => this.count(less.documents, less.passages));
    this.ctx.notifier.publish(WaitingChanged, "", less);
  }
  private async recount(): Promise<void> {
    const { documents, passages } = await store.countAll(this.ctx.db);
    this.count(documents - this.waiting.documents, passages - this.waiting.passages);
    this.setComplete(await followedVectorSet(this.ctx.db));
  }
  private count(documents: number, passages: number): void {
    this.waiting.documents += documents;
    this.waiting.passages += passages;
  }

  private moveAll(tx: Db, folder_ids: readonly string[], by: 1 | -1): Promise<void> {
    const counts = folder_ids.map((folder_id) => ({ folder_id, documents: 1 }));
    return this.move(tx, counts, by);
  }
  private move(tx: Db, counts: readonly FolderCount[], sign: 1 | -1): Promise<void> {
    return this.ctx.folders.moveCounters(
      tx,
      counts.map(({ folder_id, documents }) => ({
        folder_id,
        counter: "vectors_pending",
        by: sign * documents,
      })),
    );
  }
}
