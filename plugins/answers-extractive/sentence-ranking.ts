/**
 * Ranks the sentences of passages by how well they answer a question, and chooses one or two: by
 * words, their rarity and their place.
 */
import type { Retrieval } from "../search/contract";
import { answerPattern } from "./answer-types";

/** A passage. */
export interface Source {
  readonly text: string;
  /** Name of its document. */
  readonly title: string;
  readonly heading: string | null;
  readonly score: number;
}
export interface Weighted {
  readonly term: string;
  readonly idf: number;
}
export interface Word {
  readonly term: string;
  readonly start: number;
  readonly end: number;
}
/** How texts are taken apart. */
export interface TextAnalysis {
  readonly analyze: (text: string) => readonly Word[];
  readonly sentences: Retrieval["sentences"];
}

/** A sentence of a source; UTF-16 indices into its text. */
export interface Sentence {
  readonly source: number;
  readonly start: number;
  readonly end: number;
  readonly score: number;
  /** 0 to about 1: how much of the question it and its surroundings cover. */
  readonly confidence: number;
}

/** Weights of the features of a sentence: fitted on questions in several languages, rounded. */
const weights = {
  /** The words of the question, by rarity, then by number. */
  coverage: 6,
  count: 3,
  /** Words of the question that only the sentence before it, the one after it, or the title has. */
  before: 4,
  after: 3,
  title: 2,
  /** The score of its passage. */
  passage: 5,
  /** It holds what the question asks for: a number, a date, a name … */
  answer_type: 2,
  /** It has words that the question does not. */
  novelty: 1,
} as const;
/** More novel words count no more. */
const novel_words_max = 10;

/** Every sentence of the sources, which are best first: the likeliest answer first. */
export function rankSentences(
  question: string,
  terms: readonly Weighted[],
  sources: readonly Source[],
  analysis: TextAnalysis,
): Sentence[] {
  const { analyze } = analysis;
  const idf = new Map(terms.map((term) => [term.term, term.idf]));
  const total = terms.reduce((sum, term) => sum + term.idf, 0);
  if (total === 0) return [];
  /** How much of the question these terms are. */
  const share = (found: Iterable<string>): number => {
    let sum = 0;
    for (const term of found) sum += idf.get(term)!;
    return sum / total;
  };
  const asked = (words: readonly Word[]): Set<string> =>
    new Set(words.map((word) => word.term).filter((term) => idf.has(term)));
  const pattern = answerPattern(question);

  const scored = sources.flatMap((source, at) => {
    const above = asked([...analyze(source.title), ...analyze(source.heading ?? "")]);
    const sentences = withWords(source.text, analysis).map((sentence) => ({
      ...sentence,
      asked: asked(sentence.words),
    }));
    return sentences.map(({ start, end, words, asked: own }, i): Sentence => {
      const before = minus(sentences[i - 1]?.asked, own);
      const after = minus(sentences[i + 1]?.asked, own);
      const near = new Set([...before, ...after]);
      const title = minus(above, new Set([...own, ...near]));
      const coverage = share(own);
      const novel_words = words.filter((word) => !idf.has(word.term)).length;
      return {
        source: at,
        start,
        end,
        confidence: coverage + 0.5 * (share(near) + share(title)),
        score:
          weights.coverage * coverage +
          (weights.count * own.size) / terms.length +
          weights.before * share(before) +
          weights.after * share(after) +
          weights.title * share(title) +
          (weights.passage * source.score) / sources[0]!.score +
          weights.answer_type * Number(pattern?.test(source.text.slice(start, end)) ?? false) +
          weights.novelty * Math.min(1, novel_words / novel_words_max),
      };
    });
  });
  return scored.sort((a, b) => b.score - a.score || a.source - b.source || a.start - b.start);
}

const minus = (terms: ReadonlySet<string> | undefined, others: ReadonlySet<string>): string[] =>
  [...(terms ?? [])].filter((term) => !others.has(term));

/** The sentences of a text, each with its words. */
function withWords(
  text: string,
  { analyze, sentences }: TextAnalysis,
): { readonly start: number; readonly end: number; readonly words: readonly Word[] }[] {
  const words = analyze(text);
  let at = 0;
  return sentences(text).map(({ start, end }) => {
    while (at < words.length && words[at]!.start < start) at++;
    const from = at;
    while (at < words.length && words[at]!.start < end) at++;
    return { start, end, words: words.slice(from, at) };
  });
}

const answer_chars_max = 300;
const candidates_max = 20;
/** A second sentence must be at least this likely, relative to the first. */
const second_likelihood_min = 0.01;
/** Below this the passages are about something else. */
const confidence_min = 0.25;

/**
 * One or two of the ranked sentences, the likeliest that fit into 300 characters; none when nothing
 * answers. A longer one stands alone.
 */
export function chooseSentences(
  ranked: readonly Sentence[],
  sources: readonly Source[],
): Sentence[] {
  if (!ranked.some((sentence) => sentence.confidence >= confidence_min)) return [];
  const candidates = ranked.slice(0, candidates_max);
  const texts = candidates.map(({ source, start, end }) => sources[source]!.text.slice(start, end));
  const likelihoods = candidates.map(({ score }) => Math.exp(score - candidates[0]!.score));
  let best = 0;
  let chosen: Sentence[] = [];
  const consider = (likelihood: number, sentences: Sentence[]): void => {
    if (likelihood > best) {
      best = likelihood;
      chosen = sentences;
    }
  };
  for (const [i, first] of candidates.entries()) {
    const likelihood = likelihoods[i]!;
    consider(likelihood * Math.min(1, answer_chars_max / texts[i]!.length), [first]);
    for (const [j, second] of candidates.entries()) {
      if (
        j > i &&
        likelihoods[j]! >= likelihood * second_likelihood_min &&
        texts[i]!.length + texts[j]!.length < answer_chars_max &&
        texts[i] !== texts[j]
      )
        consider(likelihood + likelihoods[j]!, [first, second]);
    }
  }
  // Two sentences of one passage read in its order.
  return chosen.length === 2 && chosen[0]!.source === chosen[1]!.source
    ? chosen.sort((a, b) => a.start - b.start)
    : chosen;
}
