/**
 * Picks the sentences that answer a question from the passages that were found: no model, only
 * words, their rarity and their place.
 */
import type { Retrieval } from "../search/contract";
import { wantedBy } from "./question";

/** A passage, best first. `title` and `heading` say what it stands under. */
export interface Source {
  readonly text: string;
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
  /** 0 to about 1: how much of the question it and its surroundings speak of. */
  readonly confidence: number;
}

/** Fitted once on questions in several languages, and rounded: what makes a sentence the answer. */
const weight = {
  /** The words of the question, by rarity, then by number. */
  coverage: 6,
  count: 3,
  /** Words that it lacks and the sentence before it, the one after it, or the title has. */
  before: 4,
  after: 3,
  title: 2,
  /** How well its passage was found. */
  passage: 5,
  /** It holds what the question asks for: a number, a date, a name … */
  wanted: 2,
  /** It says something that the question does not. */
  fresh: 1,
} as const;
const fresh_words_enough = 10;

/** Every sentence of the sources, the likeliest answer first. */
export function rankSentences(
  question: string,
  terms: readonly Weighted[],
  sources: readonly Source[],
  analysis: TextAnalysis,
): Sentence[] {
  const { analyze } = analysis;
  const idf = new Map(terms.map((one) => [one.term, one.idf])),
    total = terms.reduce((sum, one) => sum + one.idf, 0);
  if (total === 0) return [];
  const share = (found: Iterable<string>): number => {
    let sum = 0;
    for (const term of found) sum += idf.get(term)!;
    return sum / total;
  };
  const asked = (words: readonly Word[]): Set<string> =>
    new Set(words.map((one) => one.term).filter((term) => idf.has(term)));
  const wanted = wantedBy(question);

  const scored = sources.flatMap((source, at) => {
    const above = asked([...analyze(source.title), ...analyze(source.heading ?? "")]);
    const sentences = withWords(source.text, analysis).map((one) => ({
      ...one,
      asked: asked(one.words),
    }));
    return sentences.map(({ start, end, words, asked: own }, i): Sentence => {
      const before = minus(sentences[i - 1]?.asked, own),
        after = minus(sentences[i + 1]?.asked, own),
        near = new Set([...before, ...after]);
      const title = minus(above, new Set([...own, ...near])),
        coverage = share(own);
      const fresh = Math.min(
        1,
        words.filter((one) => !idf.has(one.term)).length / fresh_words_enough,
      );
      return {
        source: at,
        start,
        end,
        confidence: coverage + 0.5 * (share(near) + share(title)),
        score:
          weight.coverage * coverage +
          (weight.count * own.size) / terms.length +
          weight.before * share(before) +
          weight.after * share(after) +
          weight.title * share(title) +
          (weight.passage * source.score) / sources[0]!.score +
          weight.wanted * Number(wanted?.test(source.text.slice(start, end)) ?? false) +
          weight.fresh * fresh,
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

const answer_chars_max = 300,
  considered_max = 20;
/** A second sentence that is less likely than this, beside the first, is not worth reading. */
const second_least = 0.01;
/** Below this the passages speak of something else. */
const confidence_least = 0.25;

/**
 * One or two of the ranked sentences, the likeliest that fit into 300 characters; none when nothing
 * answers. A longer one stands alone.
 */
export function chooseSentences(
  ranked: readonly Sentence[],
  sources: readonly Source[],
): Sentence[] {
  if (!ranked.some((one) => one.confidence >= confidence_least)) return [];
  const some = ranked.slice(0, considered_max),
    text = (one: Sentence) => sources[one.source]!.text.slice(one.start, one.end);
  const likely = some.map((one) => Math.exp(one.score - some[0]!.score)),
    chars = some.map((one) => one.end - one.start);
  let best = 0,
    chosen: Sentence[] = [];
  const consider = (likelihood: number, sentences: Sentence[]): void => {
    if (likelihood > best) {
      best = likelihood;
      chosen = sentences;
    }
  };
  for (let i = 0; i < some.length; i++) {
    consider(likely[i]! * Math.min(1, answer_chars_max / chars[i]!), [some[i]!]);
    for (let j = i + 1; j < some.length; j++) {
      if (
        likely[j]! >= likely[i]! * second_least &&
        chars[i]! + chars[j]! < answer_chars_max &&
        text(some[i]!) !== text(some[j]!)
      )
        consider(likely[i]! + likely[j]!, [some[i]!, some[j]!]);
    }
  }
  // Two sentences of one passage read in its order.
  return chosen.length === 2 && chosen[0]!.source === chosen[1]!.source
    ? chosen.sort((a, b) => a.start - b.start)
    : chosen;
}
