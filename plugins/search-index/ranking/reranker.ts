/** Reranks the best hits by how the words of the query occur in the text itself. */
import { literalShare } from "../analysis/literals";
import type { Analyzer } from "../analysis/analyzer";
import { byScore, type Hit, type RankedHit, type Ranking } from "./bm25";
import type { Query } from "../analysis/query";
import type { Pauses } from "../workers/worker-protocol";

/**
 * The maximum addition of each feature to a score, relative to it. Chosen with questions in several
 * languages, and rounded.
 */
const weights = {
  /** Neighbouring words of the query have the same distance in the text. */
  proximity: 0.35,
  /** Words occur in the same form as in the query. */
  form: 0.3,
  /** One sentence contains much of the query, and little else. */
  sentence: 0.3,
  /** Instead of a missing word there is one that contains it, or begins like it. */
  partial: 0.4,
  /** What the query spells like code is spelled the same. */
  literal: 0.5,
} as const;
/** The addition of the document, relative to its score. */
const document_weight = 0.5;
/** The most of all features. A word has a form, or it is missing and may match in part. */
const boostMax = ({ literals }: Query): number =>
  weights.proximity +
  weights.sentence +
  Math.max(weights.form, weights.partial) +
  (literals.length > 0 ? weights.literal : 0);
/** The number of hits whose text may be read. */
export const rerank_hits_max = 50;

/** How the reranker gets the texts. */
export interface RerankOptions {
  readonly analyzers: ReadonlyMap<number, Analyzer>;
  /** Called once, only for hits that can still enter. Null for a deleted text. */
  readonly textsOf: (hits: readonly Hit[]) => Promise<readonly (string | null)[]>;
  readonly pauses: Pauses;
}

/** The best `limit` of these hits, using the texts of the first `rerank_hits_max`. */
export async function rerank(
  { hits, idfs }: Ranking,
  query: Query,
  limit: number,
  { analyzers, textsOf, pauses }: RerankOptions,
): Promise<Hit[]> {
  const considered = hits.slice(0, rerank_hits_max);
  const boost_max = boostMax(query);
  const score_min = considered.map(baseScore).sort((a, c) => c - a)[limit - 1] ?? 0;
  const candidates = considered.filter(
    (hit) => baseScore(hit) + hit.score * boost_max >= score_min,
  );
  const texts = await textsOf(candidates);
  const features = new TextFeatures(query, idfs, analyzers);
  const reranked: RankedHit[] = [];
  for (const [at, hit] of candidates.entries()) {
    const text = texts[at];
    if (text === null || text === undefined) continue;
    const boost = features.boost(text, hit.analyzer);
    reranked.push({ ...hit, score: baseScore(hit) + hit.score * boost });
    if (pauses.due) await pauses.pause();
  }
  return [...reranked, ...hits.slice(rerank_hits_max, limit)].sort(byScore).slice(0, limit);
}
const baseScore = (hit: Hit): number => hit.score + document_weight * hit.document_score;

/** Computes how much a text adds to its score. */
class TextFeatures {
  /** The weight of each query term. */
  private readonly worth: readonly number[];
  private readonly worth_sum: number;
  /** By analyzer version: hash to the index of its term in the query. */
  private readonly term_of = new Map<number, ReadonlyMap<number, number>>();

  constructor(
    private readonly query: Query,
    private readonly idfs: readonly number[],
    private readonly analyzers: ReadonlyMap<number, Analyzer>,
  ) {
    this.worth = query.terms.map((term, t) => term.weight * idfs[t]!);
    this.worth_sum = this.worth.reduce((sum, one) => sum + one, 0);
    for (const [version, hashes] of query.hashes)
      this.term_of.set(version, new Map(hashes.map(({ hash, at }) => [hash, at] as const)));
  }

  /** Relative to the score, 0 to `boostMax`. `analyzer` is the version that indexed the text. */
  boost(text: string, analyzer: number): number {
    if (this.worth_sum === 0) return 0;
    const { terms } = this.query;
    const positions: number[][] = terms.map(() => []);
    const same_form = new Uint8Array(terms.length);
    const sentences = new SentenceWorth(text, this.worth);
    const term_of = this.term_of.get(analyzer)!;
    let position = 0;
    this.analyzers.get(analyzer)!.tokenize(text, (hash, start, end) => {
      position++;
      const t = term_of.get(hash);
      if (t === undefined) return;
      positions[t]!.push(position);
      sentences.add(t, start);
      if (same_form[t] === 0 && isWritten(terms[t]!.forms, text, start, end)) same_form[t] = 1;
    });
    const { form, partial } = this.formWorth(text, positions, same_form);
    return (
      weights.proximity * proximity(positions, this.query, this.idfs) +
      weights.literal * literalShare(this.query.literals, text) +
      (weights.form * form + weights.sentence * sentences.best() + weights.partial * partial) /
        this.worth_sum
    );
  }

  /** The weight of terms that occur in the form of the query, and of partial matches. */
  private formWorth(
    text: string,
    positions: readonly (readonly number[])[],
    same_form: Uint8Array,
  ): { readonly form: number; readonly partial: number } {
    let form = 0;
    let partial = 0;
    let lower = "";
    this.query.terms.forEach((term, t) => {
      if (same_form[t] === 1) form += this.worth[t]!;
      else if (positions[t]!.length === 0) {
        lower ||= text.toLowerCase();
        partial +=
          this.worth[t]! * Math.max(0, ...term.forms.map((word) => partialMatch(lower, word)));
      }
    });
    return { form, partial };
  }
}

function isWritten(forms: readonly string[], text: string, start: number, end: number): boolean {
  for (const form of forms) {
    if (form.length !== end - start) continue;
    // Most words are in lower case, and so compared without a copy.
    if (text.startsWith(form, start) || text.slice(start, end).toLowerCase() === form) return true;
  }
  return false;
}

/**
 * 0 to 1: for any two neighbouring words of the query, how closely their distance occurs in the
 * text, weighted by rarity.
 */
function proximity(
  positions: readonly (readonly number[])[],
  { terms }: Query,
  idfs: readonly number[],
): number {
  let sum = 0;
  let total_rarity = 0;
  for (let t = 0; t + 1 < terms.length; t++) {
    const rarity = Math.min(idfs[t]!, idfs[t + 1]!);
    const distance = terms[t + 1]!.position - terms[t]!.position;
    total_rarity += rarity;
    sum += rarity / (1 + leastDeviation(positions[t]!, positions[t + 1]!, distance));
  }
  return total_rarity > 0 ? sum / total_rarity : 0;
}
/**
 * The smallest difference between `distance` and that of any two of these positions; both lists
 * ascend.
 */
function leastDeviation(
  first: readonly number[],
  second: readonly number[],
  distance: number,
): number {
  let deviation_min = Infinity;
  for (let i = 0, j = 0; i < first.length && j < second.length;) {
    const over = second[j]! - first[i]! - distance;
    deviation_min = Math.min(deviation_min, Math.abs(over));
    if (over < 0) j++;
    else i++;
  }
  return deviation_min;
}

/** A longer sentence counts for less: it says more than what is asked. UTF-16 units. */
const sentence_chars = 60;

/**
 * Finds the sentence of a text with the greatest weight, which may be wrapped. Terms are added in
 * text order.
 */
class SentenceWorth {
  private readonly ends = /[.!?…؟۔।။](?=["'”’»)\]]*\s)|[。！？｡]|\n(?=[ \t]*(?:\n|[-‘•*|▶‣]))/g;
  /** By term: the last sentence that contained it. */
  private readonly last_sentence: Int32Array;
  private sentence = 0;
  private sentence_start = 0;
  private sentence_end = 0;
  private sum = 0;
  private best_worth = 0;
  constructor(
    private readonly text: string,
    private readonly worth: readonly number[],
  ) {
    this.last_sentence = new Int32Array(worth.length);
  }

  add(t: number, at: number): void {
    if (at >= this.sentence_end) {
      this.best_worth = this.best();
      this.sum = 0;
      this.sentence++;
      while (at >= this.sentence_end) {
        this.sentence_start = this.sentence_end;
        this.sentence_end =
          this.ends.exec(this.text) === null ? this.text.length : this.ends.lastIndex;
      }
    }
    if (this.last_sentence[t] === this.sentence) return;
    this.last_sentence[t] = this.sentence;
    this.sum += this.worth[t]!;
  }
  best(): number {
    const length = Math.max(sentence_chars, this.sentence_end - this.sentence_start);
    return Math.max(this.best_worth, (this.sum * 2 * sentence_chars) / (sentence_chars + length));
  }
}

const prefix_letters_min = 4;
const inner_letters_min = 5;
const inner_similarity = 0.7;
const similarity_min = 0.6;
const letter = /[\p{L}\p{N}\p{M}]/u;
/**
 * 0 to 1: the similarity of some word of the text to this one: it contains it, or begins with the
 * same letters. Both in lower case.
 */
function partialMatch(text: string, word: string): number {
  if (word.length < prefix_letters_min) return 0;
  let best = word.length >= inner_letters_min && text.includes(word) ? inner_similarity : 0;
  const prefix = word.slice(0, prefix_letters_min);
  for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + 1)) {
    if (at > 0 && letter.test(text[at - 1]!)) continue;
    let shared_letters = prefix.length;
    let end = at + prefix.length;
    while (shared_letters < word.length && text[end] === word[shared_letters]) {
      shared_letters++;
      end++;
    }
    while (end < text.length && letter.test(text[end]!)) end++;
    best = Math.max(best, (2 * shared_letters) / (end - at + word.length));
  }
  return best >= similarity_min ? best : 0;
}
