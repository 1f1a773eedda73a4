/**
 * Chunks and encodes a document; a very large one is written ahead of its publication, a segment at
 * a time, out of everybody's sight.
 */
import type { Db, Log } from "../../core/sdk";
import type { IndexInput, Prepared } from "./contract";
import { EditionRows, type EditionSegment } from "./index-versions";
import type { EncodedSegment, EncodeInput } from "./encoder";
import * as store from "./store";
import type { IndexTables } from "./store";
import type { WorkerClient } from "./worker-client";

/** A document of more segments than this is staged. */
const segments_at_once_max = 4;

export interface PreparingParts {
  readonly inTransaction: <R>(work: (tx: Db<IndexTables>) => Promise<R>) => Promise<R>;
  readonly afterCommit: (work: () => void) => void;
  readonly truncateWal: () => void;
  /** @throws HttpError 507 when the room that is left is for deletions. */
  readonly requireFreeSpace: () => void;
  readonly encoder: Pick<WorkerClient<EncodeInput, EncodedSegment, string | null>, "ask">;
  readonly nextId: () => number;
  readonly log: Log;
}

/** What `Prepared.parts` holds. */
export interface Edition {
  readonly edition: number;
  readonly title: string;
  readonly chunks: number;
  /** JSON: the heading spans that the document marks; null when it marks none. */
  readonly headings: string | null;
  /** JSON: where in a recording the text is spoken; null when it is no recording. */
  readonly times: string | null;
  /** Null when they are staged. */
  readonly segments: readonly EditionSegment[] | null;
}

export function createPreparing(parts: PreparingParts) {
  const { inTransaction, requireFreeSpace, encoder, nextId } = parts;
  /** Work in progress by document: a removal stops it. */
  const running = new Map<string, Set<AbortController>>();

  async function prepare(input: IndexInput, signal?: AbortSignal): Promise<Prepared> {
    const { document_id, version, title, text, pages, headings, times } = input;
    const removal = new AbortController(),
      stop = signal ? AbortSignal.any([signal, removal.signal]) : removal.signal;
    const rows = new EditionRows(document_id, text, nextId),
      stage = new Stage(document_id, inTransaction, () => {
        stop.throwIfAborted();
        requireFreeSpace();
      });
    running.set(document_id, (running.get(document_id) ?? new Set()).add(removal));
    try {
      let segments: EditionSegment[] = [];
      const take = (more: EditionSegment[]): void => {
        segments.push(...more);
        if (rows.segments <= segments_at_once_max) return;
        stage.write(rows.edition, segments);
        segments = [];
      };
      const language = await encoder.ask(
        { title, text, pages, headings, times },
        { signal: stop, onPart: (segment) => take(rows.add(segment)) },
      );
      take(rows.end());
      await stage.written();
      const edition: Edition = {
        edition: rows.edition || nextId(),
        title,
        chunks: rows.chunks,
        headings: stored(headings),
        times: stored(times),
        segments: stage.begun ? null : segments,
      };
      if (stage.begun)
        signal?.addEventListener("abort", () => void discard(edition.edition), { once: true });
      return { document_id, version, language, parts: edition };
    } catch (error) {
      await stage.written().catch(() => undefined);
      if (stage.begun) await discard(rows.edition);
      throw error;
    } finally {
      running.get(document_id)!.delete(removal);
      if (running.get(document_id)!.size === 0) running.delete(document_id);
    }
  }

  /** Takes a staged edition away, unless it was published meanwhile. */
  async function discard(edition: number): Promise<void> {
    try {
      await inTransaction(async (tx) => {
        if (!(await store.deleteStaged(tx, edition))) return;
        await store.deleteEditions(tx, [edition]);
        parts.afterCommit(parts.truncateWal);
      });
    } catch (error) {
      parts.log.warn("what was staged stays until the next start", {
        edition,
        error: String(error),
      });
    }
  }

  return {
    prepare,
    /** The document is deleted: what is in work for it ends. */
    stop(document_id: string): void {
      for (const one of running.get(document_id) ?? [])
        one.abort(new Error("The document was deleted."));
    },
  };
}

const stored = (spans: readonly object[] | undefined): string | null =>
  spans?.length ? JSON.stringify(spans) : null;

/** Writes segments one transaction each, in order, while more of them are being made. */
class Stage {
  begun = false;
  private writing: Promise<void> = Promise.resolve();
  constructor(
    private readonly document_id: string,
    private readonly inTransaction: PreparingParts["inTransaction"],
    private readonly mayGoOn: () => void,
  ) {}

  write(edition: number, segments: readonly EditionSegment[]): void {
    const { document_id } = this;
    if (!this.begun)
      this.next(async (tx) => {
        await store.deleteEditions(tx, await store.stagedEditions(tx, [document_id]));
        await store.insertStaged(tx, { edition, document_id });
      });
    this.begun = true;
    for (const segment of segments)
      this.next((tx) => store.insertSegment(tx, segment.row, segment.chunks));
  }

  /** Once everything is written. @throws the first fault. */
  written(): Promise<void> {
    return this.writing;
  }

  private next(work: (tx: Db<IndexTables>) => Promise<unknown>): void {
    this.writing = this.writing.then(() =>
      this.inTransaction(async (tx) => {
        this.mayGoOn();
        await work(tx);
      }),
    );
    // Whoever waits for `written` hears of a fault; until then it is nobody's.
    this.writing.catch(() => undefined);
  }
}
