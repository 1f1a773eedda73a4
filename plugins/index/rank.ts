/** Exact BM25 over the segments in scope, then a second look at the best ones: how near the words of the question stand to each other. */
import type { Analyzer } from "./analyzer";
import { analyzerOf, chunkCount, lengthOf, lengthSum, postingAt, postingsOf, segment_chunks_max, type Segment } from "./segment";
import type { Query } from "./query";

const k1 = 1.2, b = 0.75;
/** How much the nearness of the words can add to a score, as a share of it. */
const proximity_weight = 0.35;
/** Hits whose text is looked at. */
export const looked_at_max = 50;

export interface Hit { readonly segment: number; readonly chunk: number; readonly score: number }
export interface Ranking { readonly hits: readonly Hit[]; readonly idfs: readonly number[] }

/** The best `limit` chunks. `segments` must come in a fixed order: equal scores keep it. Hits name segments by their place in it. */
export function rank(segments: readonly Segment[], query: Query, limit: number): Ranking {
  const counts = new Array<number>(query.slots.length).fill(0);
  const found: Found = { segments: [], slots: [], places: [] };
  let chunks = 0, lengths = 0;
  for (let s = 0; s < segments.length; s++) {
    const segment = segments[s]!, hashes = query.hashes.get(analyzerOf(segment));
    chunks += chunkCount(segment);
    lengths += lengthSum(segment);
    for (let t = 0; hashes !== undefined && t < hashes.length; t++) {
      const place = postingsOf(segment, hashes[t]!);
      if (place === 0) continue;
      counts[t]! += (place & 0xffff) - (place >>> 16);
      found.segments.push(s); found.slots.push(t); found.places.push(place);
    }
  }
  const idfs = counts.map((count) => Math.log(1 + (chunks - count + 0.5) / (count + 0.5)));
  const weights = query.slots.map((slot, t) => slot.weight * idfs[t]! * (k1 + 1));
  return { hits: best(segments, found, weights, lengths / Math.max(1, chunks), limit), idfs };
}
/** Which segment holds which slot, and where its postings lie; in the order of segments. */
interface Found { readonly segments: number[]; readonly slots: number[]; readonly places: number[] }

function best(segments: readonly Segment[], found: Found, weights: readonly number[], length_mean: number, limit: number): Hit[] {
  const top = new Top(limit), scores = new Float64Array(segment_chunks_max);
  for (let at = 0; at < found.places.length;) {
    const s = found.segments[at]!, segment = segments[s]!, chunks = chunkCount(segment);
    for (; found.segments[at] === s; at++) {
      const weight = weights[found.slots[at]!]!, end = found.places[at]! & 0xffff;
      for (let place = found.places[at]! >>> 16; place < end; place++) {
        const posting = postingAt(segment, place), chunk = posting >>> 8, tf = posting & 255;
        scores[chunk]! += weight * tf / (tf + k1 * (1 - b + b * lengthOf(segment, chunk) / length_mean));
      }
    }
    for (let chunk = 0; chunk < chunks; chunk++) {
      if (scores[chunk]! > top.least) top.add({ segment: s, chunk, score: scores[chunk]! });
      scores[chunk] = 0;
    }
  }
  return top.sorted();
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
  sorted(): Hit[] { this.cut(); return this.hits; }
}
const byScore = (a: Hit, c: Hit): number => c.score - a.score || a.segment - c.segment || a.chunk - c.chunk;

/**
 * The best `limit` of these hits once nearness is added: up to 35 % of the score, by how close neighbouring words of the question come in the text.
 * Looks at `looked_at_max` texts, and at none that could not enter.
 */
export function refine(ranking: Ranking, query: Query, limit: number, analyzers: ReadonlyMap<number, Analyzer>, source: (hit: Hit) => { readonly text: string; readonly analyzer: number }): Hit[] {
  const least = (ranking.hits[limit - 1]?.score ?? 0) / (1 + proximity_weight);
  const refined = ranking.hits.slice(0, Math.max(limit, looked_at_max)).filter((hit) => hit.score >= least).map((hit, at) => {
    if (at >= looked_at_max) return hit;
    const { text, analyzer } = source(hit);
    return { ...hit, score: hit.score * (1 + proximity_weight * proximity(text, query, ranking.idfs, analyzers.get(analyzer)!)) };
  });
  return refined.sort(byScore).slice(0, limit);
}

/** 0 to 1: for each two neighbouring words of the question, the closest they come to each other, weighted by their rarity. */
function proximity(text: string, query: Query, idfs: readonly number[], analyzer: Analyzer): number {
  const slots = query.slots.length;
  if (slots < 2) return 0;
  const hashes = query.hashes.get(analyzer.version) ?? [], place_of = new Map<number, number[]>();
  hashes.forEach((hash, t) => { if (hash >= 0) place_of.set(hash, [...place_of.get(hash) ?? [], t]); });
  const last = new Array<number>(slots).fill(-1_000), nearest = new Array<number>(slots).fill(1_000);
  let at = 0;
  analyzer.walk(text, (hash) => {
    at++;
    const here = place_of.get(hash);
    if (here === undefined) return;
    for (const t of here) {
      last[t] = at;
      if (t > 0 && last[t - 1]! !== at) nearest[t - 1] = Math.min(nearest[t - 1]!, at - last[t - 1]!);
      if (t + 1 < slots && last[t + 1]! !== at) nearest[t] = Math.min(nearest[t]!, at - last[t + 1]!);
    }
  });
  let sum = 0, whole = 0;
  for (let t = 0; t + 1 < slots; t++) {
    const weight = Math.min(idfs[t]!, idfs[t + 1]!);
    whole += weight;
    sum += weight / Math.max(1, nearest[t]!);
  }
  return whole > 0 ? sum / whole : 0;
}
