/** Exact BM25 over the segments in scope, whether stored singly or in packs. */
import type { PackPart } from "../segments/pack";
import { pack_chunks_max, partOf } from "../segments/pack";
import type { Query } from "../analysis/query";
import type { ScopedPack } from "./scope";
import {
  analyzerOf,
  chunkCount,
  lengthOf,
  lengthSum,
  listing_length,
  postingAt,
  postingsOf,
  segment_chunks_max,
  type Segment,
} from "../segments/segment";
import type { Pauses } from "../workers/worker-protocol";

const k1 = 1.2;
const b = 0.75;
/**
 * A document's score is the mean of the best chunks within this distance of a chunk, including
 * itself. In a manual of a thousand chunks, distant ones say nothing about it.
 */
const document_chunks = 5;
const document_reach = 4;
/** Lengths up to this one have their weight computed once. */
const common_length_max = 2_047;

/** A matching chunk. */
export interface Hit {
  /** The index of its segment among those searched. */
  readonly segment: number;
  /** Its index in the segment. */
  readonly chunk: number;
  readonly score: number;
  /** The mean score of the best chunks around it: how much the document says at this place. */
  readonly document_score: number;
}
/** A chunk with its score. */
export interface RankedHit extends Hit {
  /** The version of the analyzer that indexed it. */
  readonly analyzer: number;
}
/** The best chunks, and the weights of the terms. */
export interface Ranking {
  /** Best first. */
  readonly hits: readonly RankedHit[];
  /** The inverse document frequency of each query term in this scope. */
  readonly idfs: readonly number[];
}

/** Statistics of all passages in scope, when only some of their segments are read. */
export interface ScopeStatistics {
  readonly passages: number;
  /** The number of passages with each query term. */
  readonly frequencies: readonly number[];
}

/** Segments that are scored together: those of a pack, or a single one. */
interface Unit {
  readonly analyzer: number;
  /** The index of each segment among those searched. */
  readonly places: ArrayLike<number>;
  /** The first chunk of each segment, plus the end. */
  readonly first_chunks: ArrayLike<number>;
  /** The segment of each chunk. */
  readonly segment_of: ArrayLike<number>;
  /** The length of each chunk, as stored in its segment. */
  readonly lengthAt: (chunk: number) => number;
  /** Its matches: the end of its runs. */
  readonly runs_end: number;
}
const only_segment = new Uint8Array(segment_chunks_max);

/**
 * Takes the segments one after another, keeps what matches the query, and ranks at the end, because
 * only then it is known how rare a term is.
 */
export class Ranker {
  /** The number of chunks in each segment. */
  readonly chunk_counts: Uint16Array;
  private readonly frequencies: number[];
  private chunks = 0;
  private length_sum = 0;
  private readonly units: Unit[] = [];
  /** For each run of matches: its term, and where its matches end. */
  private runs = new Uint32Array(1_024);
  private runs_used = 0;
  /** Where the matches of the current run begin. */
  private run_start = 0;
  /** `chunk << 8 | tf * 2` of each match, and the length of that chunk. */
  private postings = new Uint32Array(4_096);
  private lengths = new Uint16Array(4_096);
  private used = 0;
  private readonly buffer = new Uint32Array(pack_chunks_max);
  /** By chunk: where its match in the current run is, plus one. */
  private readonly match_of = new Uint32Array(pack_chunks_max);

  /** `segments`: how many are searched; with `statistics`, only some of them are added. */
  constructor(
    private readonly query: Query,
    segments: number,
    private readonly statistics?: ScopeStatistics,
  ) {
    this.frequencies = new Array<number>(query.terms.length).fill(0);
    this.chunk_counts = new Uint16Array(segments);
  }

  /** Segments must come in order, except for those in packs. */
  addSegment(place: number, segment: Segment): void {
    const hashes = this.query.hashes.get(analyzerOf(segment)) ?? [];
    const runs_before = this.runs_used;
    this.count(place, chunkCount(segment), lengthSum(segment));
    let run_term = 0;
    for (const { at: term, hash, is_inflected } of hashes) {
      const range = postingsOf(segment, hash);
      if (range === 0) continue;
      if (term !== run_term) this.endRun(run_term);
      run_term = term;
      const first = range >>> 16;
      const end = range & 0xffff;
      this.reserve(end - first);
      for (let at = first; at < end; at++) {
        const posting = postingAt(segment, at);
        this.push(posting, is_inflected, lengthOf(segment, posting >>> 8));
      }
    }
    this.endRun(run_term);
    if (this.runs_used > runs_before)
      this.units.push({
        analyzer: analyzerOf(segment),
        places: [place],
        first_chunks: [0, chunkCount(segment)],
        segment_of: only_segment,
        lengthAt: (chunk) => lengthOf(segment, chunk),
        runs_end: this.runs_used,
      });
  }

  /** The parts needed for the terms of the query. */
  partsFor({ pack }: ScopedPack): number[] {
    const hashes = this.query.hashes.get(pack.head.analyzer) ?? [];
    return [...new Set(hashes.map(({ hash }) => partOf(hash)))];
  }

  /** `parts`: those returned by `partsFor`, by number. */
  addPack({ pack, places, is_whole }: ScopedPack, parts: ReadonlyMap<number, PackPart>): void {
    const { head } = pack;
    const { segment_of, lengths } = head;
    const hashes = this.query.hashes.get(head.analyzer) ?? [];
    const runs_before = this.runs_used;
    for (let segment = 0; segment < places.length; segment++) {
      if (places[segment]! < 0) continue;
      const chunks = head.first_chunks[segment + 1]! - head.first_chunks[segment]!;
      this.count(places[segment]!, chunks, head.length_sums[segment]!);
    }
    let run_term = 0;
    for (const { at: term, hash, is_inflected } of hashes) {
      const count = parts.get(partOf(hash))!.read(hash, this.buffer);
      if (term !== run_term) this.endRun(run_term);
      run_term = term;
      this.reserve(count);
      for (let at = 0; at < count; at++) {
        const posting = this.buffer[at]!;
        const chunk = posting >>> 8;
        if (is_whole || places[segment_of[chunk]!]! >= 0)
          this.push(posting, is_inflected, lengths[chunk]!);
      }
    }
    this.endRun(run_term);
    const { analyzer, first_chunks } = head;
    if (this.runs_used > runs_before)
      this.units.push({
        analyzer,
        places,
        first_chunks,
        segment_of,
        lengthAt: (chunk) => lengths[chunk]!,
        runs_end: this.runs_used,
      });
  }

  /** The best `limit` chunks. Equal scores are in the order of their segments. */
  async ranking(limit: number, pauses: Pauses): Promise<Ranking> {
    const { chunks } = this;
    const { passages, frequencies } = this.statistics ?? {
      passages: chunks,
      frequencies: this.frequencies,
    };
    const idfs = frequencies.map((frequency) => {
      // A backend counts a chunk that has two forms of a term twice.
      const count = Math.min(frequency, passages);
      return Math.log(1 + (passages - count + 0.5) / (count + 0.5));
    });
    const weights = this.query.terms.map((term, t) => term.weight * idfs[t]! * (k1 + 1));
    // Listings have no length: where there is nothing else, all are equally long.
    const length_mean = this.length_sum === 0 ? listing_length : this.length_sum / chunks;
    const top = new TopHits<RankedHit>(limit);
    const scores = new Float64Array(pack_chunks_max);
    const saturations = new Saturations(length_mean);
    let run = 0;
    let at = 0;
    for (const unit of this.units) {
      for (; run < unit.runs_end; run++) {
        const weight = weights[this.runs[run * 2]!]!;
        const end = this.runs[run * 2 + 1]!;
        for (; at < end; at++) {
          const posting = this.postings[at]!;
          const tf = (posting & 255) / 2;
          scores[posting >>> 8]! += (weight * tf) / (tf + saturations.of(this.lengths[at]!));
        }
      }
      addHits(unit, scores, top);
      if (pauses.due) await pauses.pause();
    }
    return { hits: top.sorted(), idfs };
  }

  /** Which query terms a hit contains, as indices. */
  termsIn({ segment, chunk }: Hit): number[] {
    const terms = new Set<number>();
    let run = 0;
    for (const { places, first_chunks, runs_end } of this.units) {
      const place = Array.prototype.indexOf.call(places, segment);
      if (place < 0) {
        run = runs_end;
        continue;
      }
      for (; run < runs_end; run++) {
        const matches = this.postings.subarray(
          run === 0 ? 0 : this.runs[run * 2 - 1]!,
          this.runs[run * 2 + 1]!,
        );
        if (matches.some((posting) => posting >>> 8 === first_chunks[place]! + chunk))
          terms.add(this.runs[run * 2]!);
      }
      break;
    }
    return [...terms];
  }

  /** Frees its memory, which may be many megabytes, without waiting for a garbage collection. */
  [Symbol.dispose](): void {
    for (const numbers of [this.runs, this.postings, this.lengths]) free(numbers);
  }

  private count(place: number, chunks: number, length_sum: number): void {
    this.chunk_counts[place] = chunks;
    this.chunks += chunks;
    this.length_sum += length_sum;
  }
  private reserve(count: number): void {
    if (this.used + count <= this.postings.length) return;
    const size = Math.max(this.used + count, this.postings.length * 2);
    this.postings = extended(this.postings, new Uint32Array(size));
    this.lengths = extended(this.lengths, new Uint16Array(size));
  }
  /**
   * A chunk that has several forms of a term matches once. Other forms count half as much as one
   * occurrence of the word itself, however many there are, because it must not lose to them.
   */
  private push(posting: number, is_inflected: boolean | undefined, length: number): void {
    const chunk = posting >>> 8;
    const last_match = this.match_of[chunk]!;
    const before =
      last_match > this.run_start &&
      last_match <= this.used &&
      this.postings[last_match - 1]! >>> 8 === chunk
        ? this.postings[last_match - 1]! & 255
        : 0;
    const counted = is_inflected ? before | 1 : Math.min(254, before + (posting & 255) * 2);
    const at = before > 0 ? last_match - 1 : this.used++;
    this.postings[at] = (chunk << 8) | counted;
    this.lengths[at] = length;
    this.match_of[chunk] = at + 1;
  }
  /** Does nothing when the run has no matches. */
  private endRun(term: number): void {
    const { used, run_start } = this;
    if (used === run_start) return;
    this.run_start = used;
    this.frequencies[term]! += used - run_start;
    if (this.runs_used * 2 === this.runs.length)
      this.runs = extended(this.runs, new Uint32Array(this.runs.length * 2));
    this.runs[this.runs_used * 2] = term;
    this.runs[this.runs_used++ * 2 + 1] = this.used;
  }
}

function extended<A extends Uint32Array | Uint16Array>(from: A, to: A): A {
  to.set(from);
  free(from);
  return to;
}
const free = ({ buffer }: Uint32Array | Uint16Array): void => {
  (buffer as ArrayBuffer).transfer(0);
};

/** The effect of a chunk's length on its score. */
class Saturations {
  private readonly common: Float64Array;
  constructor(private readonly length_mean: number) {
    this.common = new Float64Array(common_length_max + 1);
    for (let length = 0; length <= common_length_max; length++)
      this.common[length] = this.compute(length);
  }
  of(length: number): number {
    return length <= common_length_max ? this.common[length]! : this.compute(length);
  }
  private compute(length: number): number {
    return k1 * (1 - b + (b * length) / this.length_mean);
  }
}

/** Adds the scores of a unit, and resets them to zero. */
function addHits(
  { analyzer, places, first_chunks, segment_of, lengthAt }: Unit,
  scores: Float64Array,
  top: TopHits<RankedHit>,
): void {
  const chunks = first_chunks[places.length]!;
  for (let at = 0; at < chunks; at++) {
    const score = scores[at]!;
    if (score === 0 || score < top.threshold) continue;
    const segment = segment_of[at]!;
    const chunk = at - first_chunks[segment]!;
    if (!top.admits(score, places[segment]!, chunk)) continue;
    const first = Math.max(first_chunks[segment]!, at - document_reach);
    const end = Math.min(first_chunks[segment + 1]!, at + document_reach + 1);
    top.add({
      segment: places[segment]!,
      chunk,
      score,
      // A table of contents gains nothing from what it lists.
      document_score: lengthAt(at) === listing_length ? 0 : documentScore(scores, first, end),
      analyzer,
    });
  }
  scores.fill(0, 0, chunks);
}

/** The mean of the best few, padded with zeros. */
function documentScore(scores: Float64Array, first: number, end: number): number {
  // Ascending.
  const best = new Float64Array(document_chunks);
  for (let at = first; at < end; at++) {
    const score = scores[at]!;
    if (score <= best[0]!) continue;
    let place = 0;
    for (; place + 1 < document_chunks && best[place + 1]! < score; place++)
      best[place] = best[place + 1]!;
    best[place] = score;
  }
  return best.reduce((sum, score) => sum + score, 0) / document_chunks;
}

/** Keeps the best `limit` hits; of equal ones the earlier. */
export class TopHits<H extends Hit> {
  private hits: H[] = [];
  /** Only a higher score can still enter, or an equal one that is earlier. */
  threshold = 0;
  private last: H | undefined;
  constructor(private readonly limit: number) {}

  /** Whether a hit may still be among the best. */
  admits(score: number, segment: number, chunk: number): boolean {
    const { last } = this;
    if (score !== this.threshold || last === undefined) return score > this.threshold;
    return segment < last.segment || (segment === last.segment && chunk < last.chunk);
  }
  /** Adds a hit; only the best ones are kept. */
  add(hit: H): void {
    this.hits.push(hit);
    if (this.hits.length >= this.limit * 4 + 16) this.cut();
  }
  /** The best hits, best first. */
  sorted(): H[] {
    this.cut();
    return this.hits;
  }
  private cut(): void {
    this.hits.sort(byScore);
    this.hits.length = Math.min(this.hits.length, this.limit);
    if (this.hits.length < this.limit) return;
    this.last = this.hits.at(-1);
    this.threshold = this.last?.score ?? Infinity;
  }
}
/** Best first; among equals in the order of segments and chunks. */
export const byScore = (a: Hit, c: Hit): number =>
  c.score - a.score || a.segment - c.segment || a.chunk - c.chunk;
