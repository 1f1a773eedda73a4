/**
 * Chooses which texts are embedded next, and tracks the progress of each segment: a call to the
 * embedder has texts of several owners, who take turns, newest first. A long segment is split over
 * several calls, so that others' short notes don't wait for it.
 */
import type { Db } from "../../../core/sdk";
import type { Embedder } from "../contract";
import type { VectorSetRow } from "../store";
import { chunksOfSegment } from "../chunks/stored-chunks";
import { textsToEmbed } from "./passage-texts";
import { embedChecked } from "../vectors/vector-math";
import { vector_layout } from "../worker-contract";
import * as store from "./waiting-store";
import type { WaitingSegment } from "./waiting-store";

/** The texts of a passage; empty for one that gets no vector. */
export type PassageTexts = readonly string[];
/** The vectors of a passage. */
type Vectors = readonly Float32Array[];
/** A segment in progress. The texts without vectors yet are the last ones. */
export interface OpenSegment extends WaitingSegment {
  readonly texts: readonly PassageTexts[];
  readonly vectors: Vectors[];
}
/** The next texts of a segment. */
interface Part {
  readonly segment: OpenSegment;
  readonly texts: readonly PassageTexts[];
}
/** The texts of one call to the embedder. */
export interface EmbeddingCall {
  readonly parts: readonly Part[];
  readonly texts: readonly PassageTexts[];
  /** Failed attempts of its segment, which is alone then; 0: none has failed. */
  readonly tries: number;
}

/** A call under construction. */
interface Draft {
  /** The number of texts from each segment. */
  readonly counts: Map<OpenSegment, number>;
  /** The maximum number of segments started with it. */
  begun: number;
}

/** Segments in progress at once: their vectors are in memory until they are complete. */
const begun_max = 16;
/** After this many calls, one is for a segment that has failed before. */
const calls_between_retries = 8;

/** Schedules the segments that wait. */
export class EmbeddingScheduler {
  private readonly open = new Map<number, OpenSegment>();
  private last_owner = "";
  private calls_since_retry = 0;
  /** A segment that has failed before, and succeeds so far. */
  private retried: OpenSegment | undefined;
  /** Whether a segment has failed since the attempts were reset. */
  private has_failed = false;

  constructor(private readonly db: Db) {}

  /** At most the next `texts_max` texts of segments in progress; null when these are all done. */
  async nextBegun(texts_max: number): Promise<EmbeddingCall | null> {
    await this.forgetDeleted();
    const counts = new Map<OpenSegment, number>();
    let texts_left = texts_max;
    for (const segment of this.begun()) {
      const count = Math.min(texts_left, segment.texts.length - segment.vectors.length);
      if (count > 0) counts.set(segment, count);
      texts_left -= count;
    }
    if (counts.size === 0) return null;
    return callOf(
      [...counts].map(([segment, count]) => partOf(segment, count)),
      0,
    );
  }

  /** At most the next `texts_max` texts; null when nothing waits. */
  async next(texts_max: number): Promise<EmbeddingCall | null> {
    await this.forgetDeleted();
    const is_retry =
      this.retried !== undefined ||
      (this.has_failed && this.calls_since_retry >= calls_between_retries);
    const call = is_retry ? null : await this.nextOfOwners(texts_max);
    if (call !== null) {
      this.calls_since_retry++;
      return call;
    }
    this.calls_since_retry = 0;
    return (await this.nextRetry(texts_max)) ?? this.nextOfOwners(texts_max);
  }

  /** Takes the result of a call. Returns the segments that are complete. */
  done({ parts }: EmbeddingCall, vectors: readonly Vectors[]): OpenSegment[] {
    let at = 0;
    for (const { segment, texts } of parts) {
      segment.vectors.push(...vectors.slice(at, at + texts.length));
      at += texts.length;
      this.open.set(segment.segment_id, segment);
    }
    const complete = parts
      .map(({ segment }) => segment)
      .filter((segment) => segment.vectors.length === segment.texts.length);
    for (const { segment_id } of complete) this.open.delete(segment_id);
    const first = parts[0]?.segment;
    this.retried =
      first !== undefined && first.tries > 0 && !complete.includes(first) ? first : undefined;
    return complete;
  }

  /** The embedder has failed: its segments are tried again alone, from the beginning. */
  async failed({ parts }: EmbeddingCall): Promise<void> {
    const ids = parts.map(({ segment }) => segment.segment_id);
    for (const id of ids) this.open.delete(id);
    this.has_failed = true;
    this.retried = undefined;
    await store.countAttempt(this.db, ids);
  }

  /** Forgets everything in progress: another set of vectors is being made. */
  clear(): void {
    this.open.clear();
    this.has_failed = false;
    this.retried = undefined;
  }

  /** Forgets what was deleted meanwhile. */
  private async forgetDeleted(): Promise<void> {
    if (this.open.size === 0) return;
    const waiting = await store.stillWaiting(this.db, [...this.open.keys()]);
    for (const id of this.open.keys()) if (!waiting.has(id)) this.open.delete(id);
    if (this.retried && !waiting.has(this.retried.segment_id)) this.retried = undefined;
  }

  private async nextOfOwners(texts_max: number): Promise<EmbeddingCall | null> {
    const queues = await this.queuesInTurn(texts_max);
    const draft: Draft = { counts: new Map(), begun: this.open.size };
    let texts_left = texts_max;
    // An owner with less than a share leaves the rest to others.
    for (let before = -1; texts_left > 0 && before !== texts_left;) {
      before = texts_left;
      for (const [at, queue] of queues.entries())
        texts_left -= await this.takeFrom(
          queue,
          Math.ceil(texts_left / (queues.length - at)),
          draft,
        );
    }
    const { counts } = draft;
    if (counts.size === 0 && queues.length > 0)
      // No other one is started before one of these has ended.
      for (const segment of this.begun().slice(0, texts_max)) counts.set(segment, 1);
    if (counts.size === 0) return null;
    return callOf(
      [...counts].map(([segment, count]) => partOf(segment, count)),
      0,
    );
  }

  /** Waiting segments of the owners whose turn it is, as many as one call can take. */
  private async queuesInTurn(segments_max: number): Promise<WaitingSegment[][]> {
    const first = await store.nextOwner(this.db, this.last_owner);
    const queues: WaitingSegment[][] = [];
    for (let owner = first; owner !== undefined && queues.length < segments_max;) {
      queues.push(await this.queueOf(owner, segments_max));
      this.last_owner = owner;
      owner = await store.nextOwner(this.db, owner);
      if (owner === first) break;
    }
    return queues;
  }

  private begun(): OpenSegment[] {
    return [...this.open.values()].filter(({ tries }) => tries === 0);
  }

  /** Segments in progress come first: their vectors are in memory. */
  private async queueOf(owner_id: string, segments_max: number): Promise<WaitingSegment[]> {
    const begun = this.begun().filter((segment) => segment.owner_id === owner_id);
    const waiting = await store.newestOf(this.db, owner_id, segments_max + begun.length);
    return [...begun, ...waiting.filter((row) => !this.open.has(row.segment_id))];
  }

  /** Takes at most this many texts from the beginning of the queue. Returns how many. */
  private async takeFrom(
    queue: WaitingSegment[],
    texts_max: number,
    draft: Draft,
  ): Promise<number> {
    const { counts } = draft;
    let taken = 0;
    while (queue.length > 0 && taken < texts_max) {
      const [row] = queue as [WaitingSegment];
      const is_begun = "vectors" in row;
      const is_long = row.passages > texts_max - taken;
      if (is_long && !is_begun) {
        if (draft.begun >= begun_max) {
          queue.shift();
          continue;
        }
        draft.begun++;
      }
      const segment = await this.openOf(row);
      const before = counts.get(segment) ?? 0;
      const open_texts = segment.texts.length - segment.vectors.length - before;
      const count = Math.min(open_texts, texts_max - taken);
      counts.set(segment, before + count);
      taken += count;
      if (count === open_texts) queue.shift();
      else queue[0] = segment;
    }
    return taken;
  }

  private async nextRetry(texts_max: number): Promise<EmbeddingCall | null> {
    const row = this.retried ?? (await store.failedBefore(this.db, 1))[0];
    if (row === undefined) {
      this.has_failed = false;
      return null;
    }
    const segment = await this.openOf(row);
    // The embedder may be slow, or fail on one of them.
    const part = partOf(segment, Math.max(1, texts_max >> Math.min(row.tries, 16)));
    return callOf([part], row.tries);
  }

  private async openOf(row: WaitingSegment): Promise<OpenSegment> {
    if ("vectors" in row) return row as OpenSegment;
    const chunks = await chunksOfSegment(this.db, row.segment_id);
    return {
      ...row,
      vectors: [],
      texts: chunks.map((chunk) => textsToEmbed(row.title, chunk)),
    };
  }
}

const partOf = (segment: OpenSegment, texts_max: number): Part => ({
  segment,
  texts: segment.texts.slice(segment.vectors.length, segment.vectors.length + texts_max),
});
const callOf = (parts: readonly Part[], tries: number): EmbeddingCall => ({
  parts,
  texts: parts.flatMap(({ texts }) => texts),
  tries,
});

/** The vectors of its passages, in order; an empty list for one without any. */
export async function embedCall(
  embedder: Embedder,
  { model, asked_dimensions, adopted, dimensions }: VectorSetRow,
  { texts }: EmbeddingCall,
  signal: AbortSignal,
): Promise<readonly (readonly Float32Array[])[]> {
  const all_texts = texts.flat();
  const options = {
    kind: "document",
    model,
    dimensions: asked_dimensions || null,
    signal,
  } as const;
  const vectors: Vectors[] = [];
  let length = adopted === 1 ? 0 : dimensions;
  for (let at = 0; at < all_texts.length; at += embedder.texts_max) {
    const batch = all_texts.slice(at, at + embedder.texts_max);
    vectors.push(...(await embedChecked(embedder, batch, options, length)));
    length ||= vectors.find((vectors) => vectors.length > 0)?.[0]?.length ?? 0;
  }
  let at = 0;
  return texts.map((of_passage) =>
    vectors
      .slice(at, (at += of_passage.length))
      .flat()
      .slice(0, vector_layout.of_text_max),
  );
}
