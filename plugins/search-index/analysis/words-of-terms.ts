/**
 * Words that are longer than the terms of the analyzer: of Chinese and Japanese, which have no
 * spaces, and of Vietnamese, which has them between syllables.
 */
import type { GlossaryColumn, Lines } from "./glossary";

interface Segmentation {
  /** Texts that may consist of words. */
  readonly runs: RegExp;
  /** What words are made of: characters, or syllables between spaces. */
  readonly joint: "" | " ";
  readonly units_max: number;
  /** The units of a term of the analyzer, if the word has so many. */
  readonly units_of_term: number;
}
const segmentations: Readonly<Record<string, Segmentation>> = {
  zh: { runs: /\p{Script=Han}+/gu, joint: "", units_max: 6, units_of_term: 2 },
  ja: {
    runs: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu,
    joint: "",
    units_max: 12,
    units_of_term: 2,
  },
  vi: { runs: /\p{L}+(?:\s+\p{L}+)*/gu, joint: " ", units_max: 4, units_of_term: 1 },
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
  const { runs, joint, units_max, units_of_term } = segmentations[language]!;
  const by_first_term = new Map<string, Lines>();
  for (const [run] of query.normalize("NFC").toLowerCase().matchAll(runs)) {
    const parts = joint === "" ? [...run] : run.split(/\s+/);
    for (let at = 0; at < parts.length;) {
      const word = longestWord(parts.slice(at, at + units_max), joint, column);
      if (word !== null)
        by_first_term.set(
          parts.slice(at, at + Math.min(units_of_term, word.units)).join(joint),
          word.lines,
        );
      at += word?.units ?? 1;
    }
  }
  return by_first_term;
}

function longestWord(
  parts: readonly string[],
  joint: string,
  column: GlossaryColumn,
): { readonly units: number; readonly lines: Lines } | null {
  for (let units = parts.length; units > 0; units--) {
    const lines = column.exact(parts.slice(0, units).join(joint));
    if (lines !== undefined) return { units, lines };
  }
  return null;
}

/**
 * What a translation is looked up as, null when it can't be: of a word of more than two characters
 * of Chinese or Japanese the second pair, which is rarely a word of its own.
 */
export function lookedUpAs(word: string): string | null {
  if (word.includes(" ") || /^[\p{Script=Hiragana}\p{Script=Katakana}ー]{3,}$/u.test(word))
    return null;
  return longer_word.test(word) ? [...word].slice(1, 3).join("") : word;
}
const longer_word = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]{3,}$/u;
