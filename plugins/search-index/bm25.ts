/** Exact BM25 over the segments in scope. */
import type { Query } from "./query";
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

const k1 = 1.2,
  b = 0.75;
/** The chunks whose mean score is that of their document. */
const document_chunks = 5;

/** A chunk that was found. */
export interface Hit {
  /** Place of its segment among those that were searched. */
  readonly segment: number;
  /** Its place in the segment. */
  readonly chunk: number;
  readonly score: number;
  /** Mean score of the best chunks of its segment: what the document around it has to say. */
  readonly document_score: number;
}
export interface Ranking {
  /** Best first. */
  readonly hits: readonly Hit[];
  /** Inverse document frequency of each term of the query in this scope. */
  readonly idfs: readonly number[];
}

/**
 * The best `limit` chunks. Equal scores keep the order of `segments`.
 */
export function rank(segments: readonly Segment[], query: Query, limit: number): Ranking {
  const frequencies = new Array<number>(query.terms.length).fill(0);
  const matches: Matches = { segments: [], terms: [], postings: [] };
  let chunks = 0,
    length_sum = 0;
  for (let s = 0; s < segments.length; s++) {
    const segment = segments[s]!,
      hashes = query.hashes.get(analyzerOf(segment));
    chunks += chunkCount(segment);
    length_sum += lengthSum(segment);
    for (let t = 0; hashes !== undefined && t < hashes.length; t++) {
      const postings = postingsOf(segment, hashes[t]!);
      if (postings === 0) continue;
      frequencies[t]! += (postings & 0xffff) - (postings >>> 16);
      matches.segments.push(s);
      matches.terms.push(t);
      matches.postings.push(postings);
    }
  }
  const idfs = frequencies.map((count) => Math.log(1 + (chunks - count + 0.5) / (count + 0.5)));
  const weights = query.terms.map((term, t) => term.weight * idfs[t]! * (k1 + 1));
  const length_mean = length_sum / Math.max(1, chunks);
  return { hits: bestHits(segments, matches, weights, length_mean, limit), idfs };
}
/** Which segment holds which term, and the range of its postings; in the order of segments. */
interface Matches {
  readonly segments: number[];
  readonly terms: number[];
  readonly postings: number[];
}

function bestHits(
  segments: readonly Segment[],
  matches: Matches,
  weights: readonly number[],
  length_mean: number,
  limit: number,
): Hit[] {
  const top = new TopHits(limit),
    scores = new Float64Array(segment_chunks_max);
  for (let at = 0; at < matches.postings.length;) {
    const s = matches.segments[at]!,
      segment = segments[s]!,
      chunks = chunkCount(segment);
    for (; matches.segments[at] === s; at++) {
      const weight = weights[matches.terms[at]!]!,
        end = matches.postings[at]! & 0xffff;
      for (let place = matches.postings[at]! >>> 16; place < end; place++) {
        const posting = postingAt(segment, place),
          chunk = posting >>> 8,
          tf = posting & 255;
        scores[chunk]! +=
          (weight * tf) / (tf + k1 * (1 - b + (b * lengthOf(segment, chunk)) / length_mean));
      }
    }
    let document_score = -1;
    for (let chunk = 0; chunk < chunks; chunk++) {
      if (scores[chunk]! <= top.threshold) continue;
      if (document_score < 0) document_score = documentScore(scores, chunks);
      top.add({ segment: s, chunk, score: scores[chunk]!, document_score });
    }
    scores.fill(0, 0, chunks);
  }
  return top.sorted();
}

/** The mean of the best few; where there are fewer, zeros stand in for them. */
function documentScore(scores: Float64Array, count: number): number {
  const best = scores.slice(0, count).sort().subarray(-document_chunks);
  return best.reduce((sum, score) => sum + score, 0) / document_chunks;
}

/** Keeps the best `limit` hits; among equals the earlier one. */
export class TopHits {
  private hits: Hit[] = [];
  /** Only a higher score can still enter. */
  threshold = 0;
  constructor(private readonly limit: number) {}

  add(hit: Hit): void {
    this.hits.push(hit);
    if (this.hits.length >= this.limit * 4 + 16) this.cut();
  }
  sorted(): Hit[] {
    this.cut();
    return this.hits;
  }
  private cut(): void {
    this.hits.sort(byScore);
    this.hits.length = Math.min(this.hits.length, this.limit);
    if (this.hits.length === this.limit) this.threshold = this.hits.at(-1)!.score;
  }
}
export const byScore = (a: Hit, c: Hit): number =>
  c.score - a.score || a.segment - c.segment || a.chunk - c.chunk;
