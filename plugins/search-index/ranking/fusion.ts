/**
 * Fuses two rankings by their scores: passages with words of the query, and passages similar to it.
 * And decides which of the latter are similar enough to be shown at all. Pure.
 *
 * The constants were chosen with questions and passages in twelve languages, also across languages,
 * and rounded; slightly different values change little.
 */
import type { Hit } from "./bm25";
import type { Passage } from "../contract";
import { segment_chunks_max } from "../segments/segment";
import type { MeaningScale } from "../vectors/vector-math";

/** Hits of each ranking that are fused; more of the words' if more are requested. */
export const fusion_hits_max = 100;
/**
 * The share of the words in a score. More than half: people who use a word mostly mean it, and
 * names and numbers have little meaning apart from their letters.
 */
const words_share = 0.65;
/**
 * Words get a smaller share when even the best hit covers less than this of the query, weighted by
 * rarity: they are of another language, or other words were chosen.
 */
const coverage_enough = 0.7;
/**
 * When there are this many passages in a scope, they count as much as the reference passages in
 * estimating unrelated texts: three passages may all be right.
 */
const reference_weight = 32;
/**
 * Meaningless words are more similar to all texts than questions usually are; but so are short
 * questions: this share of the excess does not count.
 */
const excess_share = 0.5;
/**
 * The number of spreads by which the most similar of `n` unrelated passages exceeds them: the more
 * there are, the more are similar by chance. For 3 it is 1.8, for 300 it is 2.5, for 100,000 it is
 * 3.3.
 */
const chance = (n: number): number => 1.6 + 0.15 * Math.log(n);
/**
 * A passage without any of the words must be at least this similar, relative to the best: behind
 * that comes the tail, which is the same for every query.
 */
const tail_share = 0.5;

/**
 * Passages about one subject are alike, and a question about it is similar to all of them: compared
 * with unrelated texts, at least by `share` of their likeness. Up to `likeness_min`, passages on
 * various subjects may be alike; above `likeness_max`, they are alike in form, as the rows of a
 * table are, so that less is expected. Both are relative to the margin of an answer. What is
 * missing is subtracted from every margin.
 */
const subject = { share: 0.6, likeness_min: 0.28, likeness_max: 0.63 } as const;
/**
 * The share of the similarity of all passages by which the best may be less similar without being
 * so by chance: in a scope about the subject of the question, the best stands out less.
 */
const subject_bonus = 0.15;

/** The most similar passage is compared with the one at this place: those before may be like it. */
const lead_place = 10;

/** A hit by words, by meaning or by both. */
export interface FusedHit extends Hit, Pick<Passage, "matched" | "meaning"> {}

/** Hits by cosine, best first, with statistics of the others. */
export interface MeaningRanking {
  readonly hits: readonly Hit[];
  /** The number of passages compared, and their mean cosine. */
  readonly compared: number;
  readonly mean: number;
  /** By segment: 1 when it has no vectors yet; empty: not known. */
  readonly without_vectors: Uint8Array;
  /** How alike the passages are: see `Likeness`; null: unknown. */
  readonly likeness: number | null;
  /** The mean cosine of the passages around the first hit; null: there are none. */
  readonly around: number | null;
  /** Undefined when the meaning of the model's cosines is unknown. */
  readonly scale?: Omit<MeaningScale, "adjusted_query" | "language_directions"> | undefined;
}
/** The ranking by words. */
export interface WordRanking {
  readonly hits: readonly Hit[];
  /** The share of the query in the first hit, weighted by rarity: 0 to 1. */
  readonly coverage: number;
}

/** By words alone: 1 is the score of the first hit. */
export const wordsAlone = (hits: readonly Hit[]): FusedHit[] =>
  hits.map((hit) => ({
    ...hit,
    score: hit.score / hits[0]!.score,
    matched: "words",
    meaning: null,
  }));

/**
 * The best `limit`; of equal ones, those by words first. Every hit by words is kept. One without
 * any of the words must be similar, not just the most similar of unrelated ones, unless the caller
 * wants `unlikely` ones, too.
 */
export function fuseRankings(
  words: WordRanking,
  meaning: MeaningRanking,
  { limit, unlikely = false }: { readonly limit: number; readonly unlikely?: boolean | undefined },
): FusedHit[] {
  const nearness = new Nearness(meaning, unlikely);
  const covered = Math.min(1, words.coverage / coverage_enough);
  const share = words_share * covered;
  const hits_by_key = new Map<number, FusedHit>();
  for (const hit of wordsAlone(words.hits)) {
    // One that is not among the most similar counts as unrelated; one whose vector is still to
    // come, as similar as its words tell: otherwise it would be behind all others until then.
    const is_pending = meaning.without_vectors[hit.segment] === 1;
    const share_of_meaning = is_pending ? (1 - share) * covered : 0;
    hits_by_key.set(keyOf(hit), {
      ...hit,
      score: (share + share_of_meaning) * hit.score,
      meaning: is_pending ? null : nearness.meaningOf(-1),
    });
  }
  for (const hit of meaning.hits) {
    const word_hit = hits_by_key.get(keyOf(hit));
    const is_near = nearness.isNear(hit.score);
    if (word_hit === undefined && !is_near) continue;
    hits_by_key.set(keyOf(hit), {
      ...hit,
      score: (word_hit?.score ?? 0) + (1 - share) * nearness.shareOf(hit.score),
      matched: word_hit === undefined ? "meaning" : is_near ? "both" : "words",
      meaning: nearness.meaningOf(hit.score),
    });
  }
  return [...hits_by_key.values()].sort((one, other) => other.score - one.score).slice(0, limit);
}
/** See `SearchResult.lead`. In a scope of fewer passages, an unrelated one takes the place. */
export function leadOf({ hits, scale }: MeaningRanking): number | null {
  const [first] = hits;
  if (first === undefined || scale === undefined) return null;
  return (first.score - (hits[lead_place - 1]?.score ?? scale.unrelated)) / scale.answer_margin;
}

const keyOf = ({ segment, chunk }: Hit): number => segment * segment_chunks_max + chunk;

/** The meaning of the cosines of one query. */
class Nearness {
  private readonly unrelated: number;
  private readonly largest: number;
  /** What is missing of the subject; subtracted from each margin. */
  private readonly deduction: number;
  /** The minimum for a passage without any of the words. */
  private readonly margin_min: number;

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
    this.deduction = missingSubject(ranking);
    this.margin_min = this.leastMargin(unlikely);
  }

  /** By how much it exceeds unrelated ones. */
  private marginOf(cosine: number): number {
    const excess = excess_share * (this.ranking.scale?.excess ?? 0);
    return cosine - this.unrelated - excess - this.deduction;
  }
  /** Infinity when even the best is no more similar than by chance, unless `unlikely` is set. */
  private leastMargin(unlikely: boolean): number {
    const { compared, scale } = this.ranking;
    const largest_margin = this.marginOf(this.largest);
    if (scale === undefined) return 0;
    const bonus = subject_bonus * Math.max(0, this.unrelated - scale.unrelated);
    const is_chance = !unlikely && largest_margin + bonus < scale.spread * chance(compared);
    return is_chance ? Infinity : Math.min(largest_margin, largest_margin * tail_share);
  }

  isNear(cosine: number): boolean {
    return this.marginOf(cosine) >= this.margin_min;
  }
  /** 0 to 1, relative to the best. */
  shareOf(cosine: number): number {
    const range = this.largest - this.unrelated;
    return range > 0 ? Math.max(0, (cosine - this.unrelated) / range) : 1;
  }
  /** See `Passage.meaning`. */
  meaningOf(cosine: number): number | null {
    const { scale } = this.ranking;
    if (scale === undefined) return null;
    return Math.min(1, Math.max(0, this.marginOf(cosine) / scale.answer_margin));
  }
}

/** By how much less than expected a query is similar to passages that are all about one subject. */
function missingSubject({ compared, mean, likeness, around, scale }: MeaningRanking): number {
  if (likeness === null || scale === undefined) return 0;
  const { share, likeness_min, likeness_max } = subject;
  const excess = (likeness - scale.passage_likeness) / scale.answer_margin;
  const expected =
    share *
    scale.answer_margin *
    Math.min(excess - likeness_min, 2 * likeness_max - likeness_min - excess);
  // One document among many may be about another subject.
  const similarity = Math.max(mean, around ?? mean) - scale.unrelated;
  const known_share = compared / (compared + reference_weight);
  return known_share * Math.max(0, expected - similarity);
}
