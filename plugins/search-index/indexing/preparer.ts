/**
 * Chunks and encodes a document for publication. A very large one is staged: written ahead, a
 * segment at a time, where no search finds it.
 */
import type { Context, Db } from "../../../core/sdk";
import type { IndexInput, Prepared, TakenOver } from "../contract";
import type { EncoderProtocol } from "./encoder-worker";
import type { EncodedSegment } from "./encoder";
import { IndexVersionRows, placed, type PlacedSegment } from "../index-versions";
import type { StagedVersions } from "./staged-versions";
import * as store from "../store";
import type { SegmentRows } from "../store";
import { blockOfFloats } from "../vectors/vector-block";
import type { WorkerClient } from "../workers/worker-client";

/** A document of more segments than this is staged. */
const unstaged_segments_max = 4;

/** What the preparation needs besides `Context`. */
export interface PreparerContext extends Pick<Context, "inTransaction"> {
  readonly files: Pick<Context["files"], "requireFreeSpace">;
  readonly encoder: Pick<WorkerClient<EncoderProtocol>, "ask">;
  /** Ids of segments, ascending. */
  readonly nextId: () => number;
  readonly staged: StagedVersions;
}

/** The content of `Prepared.encoded`. */
export interface IndexVersion {
  readonly id: number;
  readonly owner_id: string;
  readonly title: string;
  readonly chunks: number;
  readonly segment_count: number;
  /** JSON: the heading spans marked in the document; null when there are none. */
  readonly headings: string | null;
  /** JSON: when the text is spoken in a recording; null when it is not a recording. */
  readonly times: string | null;
  /** Null when they are staged. */
  readonly segments: readonly SegmentRows[] | null;
  /** The set in which some of them have vectors already. */
  readonly set_id: number | null;
}

/** Resolves when the segments so far are written, if they are staged. */
type TakeSegment = (segment: EncodedSegment | PlacedSegment) => Promise<void>;

/** Prepares documents, and aborts that when they are removed. */
export class DocumentPreparer {
  /**
   * By document. Complete only with a single process: a removal ends preparations in this process,
   * not in another.
   */
  private readonly in_progress = new Map<string, Set<AbortController>>();

  constructor(private readonly ctx: PreparerContext) {}

  /** @throws HttpError 507 when the disk is full, or the reason of the signal. */
  prepare(input: IndexInput, signal?: AbortSignal): Promise<Prepared> {
    const { owner_id, title, text, stored, pages, headings, times = null } = input;
    return this.collect(input, stored?.id ?? text ?? "", signal, (takeSegment, ended) =>
      this.ctx.encoder.ask(
        { title, text, stored, pages, headings, times },
        {
          owner: owner_id,
          signal: ended,
          onPart: (part) => takeSegment(part).catch(() => undefined),
        },
      ),
    );
  }

  /** The same with encoded segments. `set_id`: the set for their vectors. */
  takeOver(input: TakenOver, set_id: number | null, signal?: AbortSignal): Promise<Prepared> {
    return this.collect(input, input.stored.id, signal, async (takeSegment, ended) => {
      for await (const { chunks, data, vectors } of input.segments) {
        ended.throwIfAborted();
        const block = set_id === null ? null : vectorsOf(input.vectors, vectors);
        // A copy is aligned for numbers.
        const segment = new Uint32Array(data.slice().buffer);
        await takeSegment({
          ...placed({ data: segment, chunks }),
          vectors: block && { set_id: set_id!, data: block },
        });
      }
      return null;
    }).then((prepared) => withVectorsOf(prepared, set_id));
  }

  /** `produce` yields the segments, and returns the language. */
  private async collect(
    input: Pick<TakenOver, "owner_id" | "document_id" | "version" | "title" | "headings" | "times">,
    text: number | string,
    signal: AbortSignal | undefined,
    produce: (takeSegment: TakeSegment, ended: AbortSignal) => Promise<string | null>,
  ): Promise<Prepared> {
    const { owner_id, document_id, version, title, headings, times = null } = input;
    const removal = this.begin(document_id);
    const ended = signal ? AbortSignal.any([signal, removal.signal]) : removal.signal;
    const rows = new IndexVersionRows(document_id, text, this.ctx.nextId);
    const staging = new StagingWriter(document_id, this.ctx, ended);
    try {
      const { language, segments } = await this.collectRows(rows, staging, (takeSegment) =>
        produce(takeSegment, ended),
      );
      const index_version: IndexVersion = {
        id: rows.index_version || this.ctx.nextId(),
        owner_id,
        title,
        chunks: rows.chunks,
        segment_count: rows.segments,
        headings: jsonOrNull(headings),
        times,
        segments: staging.begun ? null : segments,
        set_id: null,
      };
      if (staging.begun)
        signal?.addEventListener("abort", () => this.ctx.staged.discard(index_version.id), {
          once: true,
        });
      const is_empty = rows.chunks === 0;
      return { document_id, version, language, is_empty, encoded: index_version };
    } catch (error) {
      await staging.written().catch(() => undefined);
      if (staging.begun) this.ctx.staged.discard(rows.index_version);
      throw error;
    } finally {
      this.end(document_id, removal);
    }
  }

  /** The document is deleted: ends its preparations. */
  abort(document_id: string): void {
    for (const removal of this.in_progress.get(document_id) ?? [])
      removal.abort(new Error("The document was deleted."));
  }

  /** Segments passed to `staging` are not returned. */
  private async collectRows(
    rows: IndexVersionRows,
    staging: StagingWriter,
    produce: (takeSegment: TakeSegment) => Promise<string | null>,
  ): Promise<{ readonly language: string | null; readonly segments: readonly SegmentRows[] }> {
    let segments: SegmentRows[] = [];
    const addRows = (more: readonly SegmentRows[]): void => {
      segments.push(...more);
      if (rows.segments <= unstaged_segments_max) return;
      staging.write(rows.index_version, segments);
      segments = [];
    };
    const language = await produce((segment) => {
      addRows(rows.add(segment));
      return staging.written();
    });
    addRows(rows.end());
    await staging.written();
    return { language, segments };
  }

  private begin(document_id: string): AbortController {
    const removal = new AbortController();
    const removals = this.in_progress.get(document_id) ?? new Set();
    this.in_progress.set(document_id, removals.add(removal));
    return removal;
  }
  private end(document_id: string, removal: AbortController): void {
    const removals = this.in_progress.get(document_id)!;
    removals.delete(removal);
    if (removals.size === 0) this.in_progress.delete(document_id);
  }
}

/** In the form in which this version stores them. */
const vectorsOf = (kind: TakenOver["vectors"], data: Uint8Array | null): Uint8Array | null =>
  kind && data && kind.layout === undefined ? blockOfFloats(data, kind.dimensions) : data;

const withVectorsOf = (prepared: Prepared, set_id: number | null): Prepared => ({
  ...prepared,
  encoded: { ...(prepared.encoded as IndexVersion), set_id },
});

const jsonOrNull = (spans: readonly object[] | undefined): string | null =>
  spans?.length ? JSON.stringify(spans) : null;

type StagingContext = Pick<PreparerContext, "inTransaction" | "files" | "staged">;

/** Writes segments in one transaction each, in order, while more of them are being encoded. */
class StagingWriter {
  begun = false;
  private writes: Promise<void> = Promise.resolve();
  constructor(
    private readonly document_id: string,
    private readonly ctx: StagingContext,
    private readonly signal: AbortSignal,
  ) {}

  write(index_version: number, segments: readonly SegmentRows[]): void {
    const { document_id } = this;
    if (!this.begun)
      this.enqueue((tx) => this.ctx.staged.begin(tx, { edition: index_version, document_id }));
    this.begun = true;
    for (const segment of segments) {
      this.enqueue(async (tx) => {
        await this.ctx.staged.requireKept(tx, index_version, document_id);
        await store.insertSegment(tx, segment);
      });
    }
  }

  /** Resolves once everything is written. @throws the first error. */
  written(): Promise<void> {
    return this.writes;
  }

  private enqueue(write: (tx: Db) => Promise<unknown>): void {
    this.writes = this.writes.then(() =>
      this.ctx.inTransaction(async (tx) => {
        this.signal.throwIfAborted();
        this.ctx.files.requireFreeSpace();
        await write(tx);
      }),
    );
    // `written` reports an error; until then it is unhandled.
    this.writes.catch(() => undefined);
  }
}
