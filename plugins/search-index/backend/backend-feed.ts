/**
 * Sends a search backend what is published and what is deleted. Segments wait from the transaction
 * that changes them until the backend has taken them, so that nothing is lost while it is away.
 */
import { messageOf } from "../../../core/lib/error-message";
import { newUuid, type Context, type Db, type JobEffect, type JobRun } from "../../../core/sdk";
import { passagesOf } from "./backend-passages";
import * as store from "./backend-store";
import type { BackendSegment, SearchBackend } from "../contract";
import { enqueueUpdate } from "../jobs";
import type { BackendRow, BackendWaitingRow } from "../store";
import { fromStored } from "../segments/stored-segment";
import { findVectors, vectorSets } from "../vectors/vector-store";

/** Segments that one transaction adds to the waiting ones when everything is sent. */
const filled_together = 1_000;
/** Segments read together, and the approximate number of passages sent at once. */
const read_together = 64;
const sent_together = 512;
/** How long one run sends. */
const run_ms = 20_000;
/** How often to check whether the backend still has what it was sent. */
const check_ms = 45_000;

/** What the feed needs besides `Context`. */
export interface BackendFeedContext extends Pick<
  Context,
  "db" | "enqueue" | "inDeletion" | "inTransaction" | "log"
> {
  readonly backend: () => SearchBackend | undefined;
}
/** Fills a new backend, and then keeps it up to date. */
export class BackendFeed {
  /** Whether there is a backend; false before the start. */
  is_followed = false;
  private failure: string | null = null;
  private checked_at_ms = -Infinity;
  /** At the last check it had an unexpected number of passages. */
  private is_suspect = false;

  constructor(private readonly ctx: BackendFeedContext) {}

  /** Before the first request. Without a backend, nothing has to be sent. */
  async start(): Promise<void> {
    const { db, inDeletion, inTransaction } = this.ctx;
    this.is_followed = this.ctx.backend() !== undefined;
    if (this.is_followed) await inTransaction((tx) => this.enqueue(tx));
    else if (await store.hasBackend(db)) await inDeletion(store.deleteBackend);
  }

  /** Enqueues a check whether the backend still has what it was sent. */
  checkSoon(): void {
    const { inTransaction, log } = this.ctx;
    this.checked_at_ms = -Infinity;
    inTransaction((tx) => this.enqueue(tx)).catch((error: unknown) =>
      log.warn("a search backend could not be checked yet", { reason: String(error) }),
    );
  }

  /** Why nothing is sent to the backend at the moment; null when it is, or everything was sent. */
  failing(): string | null {
    return this.failure;
  }
  /** Another process has sent everything. */
  recover(): void {
    this.failure = null;
  }

  // --- Inside the transactions that change what is published.

  /** These documents were published, or are in other folders. */
  async changed(tx: Db, document_ids: readonly string[]): Promise<void> {
    if (!(await store.hasBackend(tx))) return;
    await store.documentsChanged(tx, document_ids);
    await this.wake(tx);
  }
  /** Something may be waiting. */
  async wake(tx: Db): Promise<void> {
    if ((await store.hasBackend(tx)) && (await store.isAnyWaiting(tx))) await this.enqueue(tx);
  }
  /** Another set of vectors is in use, or one of another length. */
  async vectorsChanged(tx: Db): Promise<void> {
    if (await store.hasBackend(tx)) await this.enqueue(tx);
  }
  /** Enqueues the job that sends what waits. */
  enqueue(tx: Db): Promise<void> {
    return enqueueUpdate(this.ctx, tx);
  }

  // --- The job, one run at a time over all processes.

  /** Sends what waits. A failure is reported by `failing`, and tried again later. */
  async run({ signal }: Pick<JobRun, "signal">): Promise<JobEffect | void> {
    const backend = this.ctx.backend();
    if (backend === undefined) return;
    try {
      const contents = await this.begun(backend, signal);
      await this.fill(contents, signal);
      await this.sendWaiting(backend, contents, signal);
      this.failure = null;
    } catch (error) {
      signal.throwIfAborted();
      this.checked_at_ms = -Infinity;
      this.failure = messageOf(error);
      throw error;
    }
    return (tx) => this.wakeIfOutdated(tx);
  }

  /** The first vectors may have arrived since it was begun without any. */
  private async wakeIfOutdated(tx: Db): Promise<void> {
    const row = await store.findBackend(tx);
    if (row && !holdsVectors(row, await servingVectors(tx))) await this.enqueue(tx);
    else await this.wake(tx);
  }

  /** What it contains, or will contain from now on. */
  private async begun(backend: SearchBackend, signal: AbortSignal): Promise<BackendRow> {
    const { db, inTransaction, log } = this.ctx;
    const expected = { name: backend.name, ...(await servingVectors(db)) };
    let row = await store.findBackend(db);
    const is_same = row?.name === expected.name && holdsVectors(row, expected);
    if (row === undefined || !is_same || (await this.isLost(backend, row, signal))) {
      row = {
        id: 1,
        ...expected,
        contents: newUuid().replaceAll("-", ""),
        begun: 0,
        filled_to: -1,
      };
      const { id: _id, ...values } = row;
      await inTransaction((tx) => store.replaceBackend(tx, values));
      log.info("a search backend is being filled from the start", { backend: backend.name });
    }
    const { contents, dimensions } = row;
    if (row.begun === 0) {
      await backend.begin({ contents, dimensions }, signal);
      await inTransaction((tx) => store.updateBackend(tx, contents, { begun: 1 }));
    }
    return row;
  }

  /** Whether the backend has lost what it was sent. */
  private async isLost(
    backend: SearchBackend,
    { begun, contents, filled_to }: BackendRow,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { db, log } = this.ctx;
    const now_ms = performance.now();
    if (begun === 0 || now_ms < this.checked_at_ms + check_ms) return false;
    const isWaiting = async () => filled_to !== null || (await store.isAnyWaiting(db));
    const was_waiting = await isWaiting();
    const state = await backend.state(signal);
    this.checked_at_ms = now_ms;
    if (state?.contents !== contents) {
      log.warn("a search backend has none of the documents that it was sent", {
        backend: backend.name,
      });
      return true;
    }
    const passages = await store.countPassages(db);
    const is_other = !was_waiting && passages !== state.passages && !(await isWaiting());
    const is_lost = is_other && this.is_suspect;
    // A document that is deleted in parts counts until the last one.
    this.is_suspect = is_other && !is_lost;
    if (is_lost)
      log.warn("a search backend has other passages than it was sent", {
        backend: backend.name,
        passages: state.passages,
        expected: passages,
      });
    return is_lost;
  }

  /** Adds what was published before there was a backend. */
  private async fill({ contents, filled_to }: BackendRow, signal: AbortSignal): Promise<void> {
    for (let after = filled_to; after !== null;) {
      signal.throwIfAborted();
      const from: number = after;
      after = await this.ctx.inTransaction(async (tx) => {
        const next = await store.addNextWaiting(tx, from, filled_together);
        return (await store.updateBackend(tx, contents, { filled_to: next })) ? next : null;
      });
    }
  }

  /** Sends waiting segments, until none is left or the time of a run is over. */
  private async sendWaiting(
    backend: SearchBackend,
    row: BackendRow,
    signal: AbortSignal,
  ): Promise<void> {
    const { db, inDeletion } = this.ctx;
    for (const end_ms = performance.now() + run_ms; performance.now() < end_ms;) {
      signal.throwIfAborted();
      const waiting = await store.waitingSegments(db, read_together);
      if (waiting.length === 0) return;
      await this.send(backend, row, waiting, signal);
      await inDeletion(async (tx) => {
        const current = await store.findBackend(tx);
        if (current?.contents === row.contents) await store.deleteWaiting(tx, waiting);
      });
    }
  }

  private async send(
    backend: SearchBackend,
    { contents, set_id, dimensions }: BackendRow,
    waiting: readonly BackendWaitingRow[],
    signal: AbortSignal,
  ): Promise<void> {
    const { db } = this.ctx;
    const ids = waiting.map(({ segment_id }) => Number(segment_id));
    const published = await store.publishedAmong(db, ids);
    const folders = await store.foldersOfSegments(db, ids);
    const published_ids = new Set(published.map(({ id }) => Number(id)));
    const deleted_ids = ids.filter((id) => !published_ids.has(id));
    if (deleted_ids.length > 0) await backend.remove(contents, deleted_ids, signal);
    let batch: BackendSegment[] = [];
    let passages = 0;
    const put = async (): Promise<void> => {
      if (batch.length > 0) await backend.put(contents, batch, signal);
      batch = [];
      passages = 0;
    };
    for (const { id, data, owner_id } of published) {
      const segment_id = Number(id);
      const vectors =
        dimensions === 0 ? null : await findVectors(db, { id: set_id, dimensions }, segment_id);
      const of_segment = passagesOf(fromStored(new Uint8Array(data)), vectors, dimensions);
      batch.push({
        segment_id,
        owner_id,
        folder_ids: folders.get(segment_id) ?? [],
        passages: of_segment,
      });
      passages += of_segment.length;
      if (passages >= sent_together) await put();
    }
    await put();
  }
}

type Vectors = Pick<BackendRow, "dimensions" | "set_id">;
async function servingVectors(db: Db): Promise<Vectors> {
  const set = (await vectorSets(db)).find(({ serving }) => serving === 1);
  return { set_id: set?.id ?? 0, dimensions: set?.dimensions ?? 0 };
}
const holdsVectors = (row: Vectors, { set_id, dimensions }: Vectors): boolean =>
  row.set_id === set_id && row.dimensions === dimensions;
