/** How much each word of a question counts. Pure. */
/** A term with its weight: the rarer, the greater. */
export interface Weighted {
  readonly term: string;
  readonly idf: number;
}
/** A word of a text by its term. UTF-16 indices. */
export interface Word {
  readonly term: string;
  readonly start: number;
  readonly end: number;
}

/** A single digit is in any text. */
const any_number = /\p{Nd}.*\p{Nd}/u;
/**
 * The rarity of the question's terms, and functions: the share of the question that some of these
 * terms make up, that of its numbers, and the terms of the question among some words.
 */
export function weighQuestion(terms: readonly Weighted[]) {
  const idf = new Map(terms.map((term) => [term.term, term.idf]));
  const total = terms.reduce((sum, term) => sum + term.idf, 0);
  const share = (subset: Iterable<string>): number => {
    let sum = 0;
    for (const term of subset) sum += idf.get(term)!;
    return total === 0 ? 0 : sum / total;
  };
  const numbers = terms.map(({ term }) => term).filter((term) => any_number.test(term));
  const numberShare = (subset: ReadonlySet<string>): number =>
    numbers.filter((number) => subset.has(number)).length / Math.max(1, numbers.length);
  const questionTerms = (words: readonly Word[]): Set<string> =>
    new Set(words.map((word) => word.term).filter((term) => idf.has(term)));
  return { idf, share, numberShare, questionTerms };
}
