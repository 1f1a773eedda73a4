/**
 * One ranking out of two, by their scores: what holds the words of the query, and what is near to
 * it in meaning. And what of the second is near enough to be shown at all. Pure.
 *
 * The constants were chosen on questions and passages in twelve languages, also across languages,
 * and rounded; a little more or less of any changes little.
 */
import type { Hit } from "./bm25";
import type { Passage } from "./contract";
import { segment_chunks_max } from "./segment";
import type { MeaningScale } from "./vectors";

/**
 * Hits of each ranking that are fused; of the words', as many as are asked for when that is more.
 */
export const fusion_hits_max = 100;
/**
 * The share of the words in a score. More than half: whoever uses a word mostly means it, and names
 * and numbers have little meaning apart from their letters.
 */
const words_share = 0.65;
/**
 * Words have less of a share where even the best hit covers less than this of the query, by the
 * rarity of its terms: the words are of another language, or other words were chosen.
 */
const coverage_enough = 0.5;
/**
 * What the passages of a scope say of unrelated texts counts as much as the reference passages when
 * there are this many: three passages may all be right.
 */
const reference_weight = 32;
/**
 * Words without sense are nearer to all texts than questions usually are; but so are short
 * questions: this share of it does not count as nearness.
 */
const excess_share = 0.5;
/**
 * By how many spreads the nearest of `n` unrelated passages exceeds them: the more there are, the
 * more come near by chance. Of 3 it is 1.8, of 300 it is 2.5, of 100,000 it is 3.3.
 */
const chance = (n: number): number => 1.6 + 0.15 * Math.log(n);
/**
 * What has none of the words must be at least so near, as a share of the nearest: behind it comes
 * the tail, which is the same for every query.
 */
const tail_share = 0.5;

/** A hit of words, of meaning or of both. */
export interface FusedHit extends Hit, Pick<Passage, "matched" | "meaning"> {}

/** Hits by cosine, best first, and what is known of the others. */
export interface MeaningRanking {
  readonly hits: readonly Hit[];
  /** How many passages were compared, and their mean cosine. */
  readonly compared: number;
  readonly mean: number;
  /** Undefined when it isn't known what the cosines of the model mean. */
  readonly scale?: Omit<MeaningScale, "own"> | undefined;
}
export interface WordRanking {
  readonly hits: readonly Hit[];
  /** What the first holds of the query, by the rarity of its terms: 0 to 1. */
  readonly coverage: number;
}

/** Words alone: 1 is the score of the first. */
export const wordsAlone = (hits: readonly Hit[]): FusedHit[] =>
  hits.map((hit) => ({
    ...hit,
    score: hit.score / hits[0]!.score,
    matched: "words",
    meaning: null,
  }));

/**
 * The best `limit`; among equals, those of the words first. Every hit of the words is kept. One
 * that has none of them must be near in meaning, and not only the nearest of what is far, unless
 * the caller wants what is `unlikely` as well.
 */
export function fuseRankings(
  words: WordRanking,
  meaning: MeaningRanking,
  { limit, unlikely = false }: { readonly limit: number; readonly unlikely?: boolean | undefined },
): FusedHit[] {
  const nearness = new Nearness(meaning, unlikely),
    share = words_share * Math.min(1, words.coverage / coverage_enough),
    all = new Map<number, FusedHit>();
  for (const hit of wordsAlone(words.hits))
    // When it is not among the nearest, it is as good as far.
    all.set(keyOf(hit), { ...hit, score: share * hit.score, meaning: nearness.meaningOf(-1) });
  for (const hit of meaning.hits) {
    const known = all.get(keyOf(hit)),
      is_near = nearness.isNear(hit.score);
    if (known === undefined && !is_near) continue;
    all.set(keyOf(hit), {
      ...hit,
      score: (known?.score ?? 0) + (1 - share) * nearness.shareOf(hit.score),
      matched: known === undefined ? "meaning" : is_near ? "both" : "words",
      meaning: nearness.meaningOf(hit.score),
    });
  }
  return [...all.values()].sort((one, other) => other.score - one.score).slice(0, limit);
}
const keyOf = ({ segment, chunk }: Hit): number => segment * segment_chunks_max + chunk;

/** What the cosines of one query say. */
class Nearness {
  private readonly unrelated: number;
  private readonly largest: number;
  /** What has none of the words must be as near. */
  private readonly least: number;

  constructor(
    private readonly ranking: MeaningRanking,
    unlikely: boolean,
  ) {
    const { hits, compared, mean, scale } = ranking;
    this.largest = hits[0]?.score ?? 0;
    this.unrelated =
      scale === undefined
        ? mean
        : (compared * mean + reference_weight * scale.unrelated) / (compared + reference_weight);
    this.least = this.leastMargin(unlikely);
  }

  /** By how much it exceeds what is unrelated. */
  private marginOf(cosine: number): number {
    return cosine - this.unrelated - excess_share * (this.ranking.scale?.excess ?? 0);
  }
  /** Infinity when even the nearest is as near as chance brings it, unless that is `unlikely`. */
  private leastMargin(unlikely: boolean): number {
    const { compared, scale } = this.ranking,
      most = this.marginOf(this.largest);
    if (scale === undefined) return 0;
    const is_chance = !unlikely && most < scale.spread * chance(compared);
    return is_chance ? Infinity : most * tail_share;
  }

  isNear(cosine: number): boolean {
    return this.marginOf(cosine) >= this.least;
  }
  /** 0 to 1, which the nearest has. */
  shareOf(cosine: number): number {
    const range = this.largest - this.unrelated;
    return range > 0 ? Math.max(0, (cosine - this.unrelated) / range) : 1;
  }
  /** As `Passage.meaning`. */
  meaningOf(cosine: number): number | null {
    const { scale } = this.ranking;
    if (scale === undefined) return null;
    return Math.min(1, Math.max(0, this.marginOf(cosine) / scale.right));
  }
}
