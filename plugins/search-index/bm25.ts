/** Exact BM25 over the segments in scope. */
import {
  analyzerOf,
  chunkCount,
  lengthOf,
  lengthSum,
  postingAt,
  postingsOf,
  segment_chunks_max,
  type Segment,
} from "./segment";
import type { Query } from "./query";

const k1 = 1.2,
  b = 0.75;
/** Passages that speak for their document. */
const speaking_max = 5;

/**
 * `document` is the mean score of the best passages of its segment: what the document around it has
 * to say.
 */
export interface Hit {
  readonly segment: number;
  readonly chunk: number;
  readonly score: number;
  readonly document: number;
}
export interface Ranking {
  readonly hits: readonly Hit[];
  readonly idfs: readonly number[];
}

/**
 * The best `limit` chunks. `segments` must come in a fixed order: equal scores keep it. Hits name
 * segments by their place in it.
 */
export function rank(segments: readonly Segment[], query: Query, limit: number): Ranking {
  const counts = new Array<number>(query.slots.length).fill(0);
  const found: Found = { segments: [], slots: [], places: [] };
  let chunks = 0,
    lengths = 0;
  for (let s = 0; s < segments.length; s++) {
    const segment = segments[s]!,
      hashes = query.hashes.get(analyzerOf(segment));
    chunks += chunkCount(segment);
    lengths += lengthSum(segment);
    for (let t = 0; hashes !== undefined && t < hashes.length; t++) {
      const place = postingsOf(segment, hashes[t]!);
      if (place === 0) continue;
      counts[t]! += (place & 0xffff) - (place >>> 16);
      found.segments.push(s);
      found.slots.push(t);
      found.places.push(place);
    }
  }
  const idfs = counts.map((count) => Math.log(1 + (chunks - count + 0.5) / (count + 0.5)));
  const weights = query.slots.map((slot, t) => slot.weight * idfs[t]! * (k1 + 1));
  return { hits: best(segments, found, weights, lengths / Math.max(1, chunks), limit), idfs };
}
/** Which segment holds which slot, and where its postings lie; in the order of segments. */
interface Found {
  readonly segments: number[];
  readonly slots: number[];
  readonly places: number[];
}

function best(
  segments: readonly Segment[],
  found: Found,
  weights: readonly number[],
  length_mean: number,
  limit: number,
): Hit[] {
  const top = new Top(limit),
    scores = new Float64Array(segment_chunks_max);
  for (let at = 0; at < found.places.length;) {
    const s = found.segments[at]!,
      segment = segments[s]!,
      chunks = chunkCount(segment);
    for (; found.segments[at] === s; at++) {
      const weight = weights[found.slots[at]!]!,
        end = found.places[at]! & 0xffff;
      for (let place = found.places[at]! >>> 16; place < end; place++) {
        const posting = postingAt(segment, place),
          chunk = posting >>> 8,
          tf = posting & 255;
        scores[chunk]! +=
          (weight * tf) / (tf + k1 * (1 - b + (b * lengthOf(segment, chunk)) / length_mean));
      }
    }
    let document = -1;
    for (let chunk = 0; chunk < chunks; chunk++) {
      if (scores[chunk]! <= top.least) continue;
      if (document < 0) document = meanOfBest(scores, chunks);
      top.add({ segment: s, chunk, score: scores[chunk]!, document });
    }
    scores.fill(0, 0, chunks);
  }
  return top.sorted();
}

/** The mean of the best few; where there are fewer, nothing stands in for them. */
function meanOfBest(scores: Float64Array, count: number): number {
  const best = scores.slice(0, count).sort().subarray(-speaking_max);
  return best.reduce((sum, score) => sum + score, 0) / speaking_max;
}

/** Keeps the best so many; among equals the earlier one. */
export class Top {
  private hits: Hit[] = [];
  /** Only what is above can still enter. */
  least = 0;
  constructor(private readonly limit: number) {}

  add(hit: Hit): void {
    this.hits.push(hit);
    if (this.hits.length >= this.limit * 4 + 16) this.cut();
  }
  private cut(): void {
    this.hits.sort(byScore);
    this.hits.length = Math.min(this.hits.length, this.limit);
    if (this.hits.length === this.limit) this.least = this.hits.at(-1)!.score;
  }
  sorted(): Hit[] {
    this.cut();
    return this.hits;
  }
}
export const byScore = (a: Hit, c: Hit): number =>
  c.score - a.score || a.segment - c.segment || a.chunk - c.chunk;
