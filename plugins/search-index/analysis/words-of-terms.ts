/**
 * Words that are longer than the terms of the analyzer: of Chinese, Japanese, Korean and Thai,
 * which have no spaces between them, and of Vietnamese, which has them between syllables.
 */
import type { GlossaryColumn, Lines } from "./glossary";

interface Segmentation {
  /** Texts that may consist of words. */
  readonly runs: RegExp;
  /** What words are made of: characters, or syllables between spaces. */
  readonly joint: "" | " ";
  readonly units_max: number;
  /** A shorter word is mostly part of another. */
  readonly units_min: number;
  /** The units of a term of the analyzer, if the word has so many. */
  readonly units_of_term: number;
}
const spaceless = { joint: "", units_max: 12, units_min: 1, units_of_term: 2 } as const;
const segmentations: Readonly<Record<string, Segmentation>> = {
  zh: { ...spaceless, runs: /\p{Script=Han}+/gu },
  ja: { ...spaceless, runs: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu },
  ko: { ...spaceless, runs: /\p{Script=Hangul}+/gu, units_min: 2 },
  th: { ...spaceless, runs: /\p{Script=Thai}+/gu, units_max: 20, units_min: 3, units_of_term: 3 },
  vi: {
    runs: /\p{L}+(?:\s+\p{L}+)*/gu,
    joint: " ",
    units_max: 4,
    units_min: 1,
    units_of_term: 1,
  },
};

/** Whether words of this language may consist of several terms. */
export const areWordsLongerThanTerms = (language: string): boolean =>
  Object.hasOwn(segmentations, language);

/** The glossary's words in a query, the longest at each place, by their first term. */
export function wordsByFirstTerm(
  query: string,
  language: string,
  column: GlossaryColumn,
): Map<string, Lines> {
  const segmentation = segmentations[language]!;
  const { joint, units_max, units_of_term } = segmentation;
  const by_first_term = new Map<string, Lines>();
  for (const [run] of query.normalize("NFC").toLowerCase().matchAll(segmentation.runs)) {
    const parts = joint === "" ? [...run] : run.split(/\s+/);
    for (let at = 0; at < parts.length;) {
      const word = longestWord(parts.slice(at, at + units_max), segmentation, column);
      const term_units = Math.min(units_of_term, word?.units ?? 0);
      if (word !== null)
        by_first_term.set(parts.slice(at, at + term_units).join(joint), word.lines);
      at += word?.units ?? 1;
    }
  }
  return by_first_term;
}

function longestWord(
  parts: readonly string[],
  { joint, units_min }: Segmentation,
  column: GlossaryColumn,
): { readonly units: number; readonly lines: Lines } | null {
  for (let units = parts.length; units >= units_min; units--) {
    const lines = column.exact(parts.slice(0, units).join(joint));
    if (lines !== undefined) return { units, lines };
  }
  return null;
}

const kana = /^[\p{Script=Hiragana}\p{Script=Katakana}ー]{3,}$/u;
const longer_word =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]{3,}$/u;
const longer_thai_word = /^\p{Script=Thai}{4,}$/u;
/**
 * What a translation is looked up as, null when it can't be. Of a longer word without spaces the
 * second pair, which is rarely a word of its own, in Thai the end, because many words begin alike;
 * no words of many syllables, whose terms are not rare.
 */
export function lookedUpAs(word: string): string | null {
  if (word.includes(" ") || kana.test(word)) return null;
  if (longer_thai_word.test(word)) return word.slice(-3);
  return longer_word.test(word) ? [...word].slice(1, 3).join("") : word;
}
