/**
 * Finds the sentences of a source that bear out a claim, by the words they share and how rare those
 * are.
 */
import type { Span } from "../answers-extractive/contract";

export interface Reading {
  readonly analyze: (text: string) => readonly { readonly term: string }[];
  readonly sentences: (text: string) => readonly Span[];
}
/**
 * One or two sentences; UTF-16 indices into the source. `share`: of the claim's words, weighed by
 * rarity, 0 to 1.
 */
export interface Evidence extends Span {
  readonly share: number;
}
export type Claim = ReadonlySet<string>;

/** A claim that shares less with its source is not borne out by it. */
export const share_least = 0.3;
/** A second sentence must add so much, and both must fit. */
const second_least = 0.15,
  quote_chars_max = 600;

export function createSupport(sources: readonly string[], { analyze, sentences }: Reading) {
  const claimOf = (text: string): Claim =>
    new Set(
      analyze(text)
        .map((one) => one.term)
        .filter((term) => !/^[a-z]{1,2}$/.test(term)),
    );
  const read = sources.map((text) =>
    sentences(text).map((span) => ({ ...span, terms: claimOf(text.slice(span.start, span.end)) })),
  );
  const numbers = sources.map(numbersIn);
  const frequency = new Map<string, number>();
  for (const { terms } of read.flat())
    for (const term of terms) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  const total = read.flat().length;
  const rarity = (term: string): number => {
    const n = frequency.get(term) ?? 0;
    return Math.log(1 + (total - n + 0.5) / (n + 0.5));
  };
  const weigh = (claim: Claim, holds: (term: string) => boolean): number => {
    let shared = 0,
      all = 0;
    for (const term of claim) {
      const weight = rarity(term);
      all += weight;
      if (holds(term)) shared += weight;
    }
    return all === 0 ? 0 : shared / all;
  };

  return {
    claimOf,

    /** What of this source bears the claim out best; null when it shares no word with it. */
    evidence(source: number, claim: Claim): Evidence | null {
      const spans = read[source]!,
        shares = spans.map(({ terms }) => weigh(claim, (term) => terms.has(term)));
      const best = shares.reduce((top, share, at) => (share > (shares[top] ?? 0) ? at : top), 0),
        share = shares[best] ?? 0;
      if (share === 0) return null;
      let evidence: Evidence = { start: spans[best]!.start, end: spans[best]!.end, share };
      for (const first of [best - 1, best]) {
        const a = spans[first],
          b = spans[first + 1];
        if (!a || !b || b.end - a.start > quote_chars_max) continue;
        const both = weigh(claim, (term) => a.terms.has(term) || b.terms.has(term));
        if (both >= share + second_least && both > evidence.share)
          evidence = { start: a.start, end: b.end, share: both };
      }
      return evidence;
    },

    /** Whether every number of the claim stands in the source, or in what `else_in` holds. */
    holdsNumbers: (source: number, text: string, else_in: ReadonlySet<string>): boolean =>
      [...numbersIn(text.replace(/^\s*(?:[-*•>]\s*)?(?:\d+[.)]\s+)?/, ""))].every(
        (one) => numbers[source]!.has(one) || else_in.has(one),
      ),
  };
}
export type Support = ReturnType<typeof createSupport>;

/** `1,234.50` and `1 234,50` are one number. */
export const numbersIn = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/\p{Nd}+(?:[.,'’\u00a0\u202f]\p{Nd}+)*/gu)].map(([one]) =>
      one.replace(/\P{Nd}/gu, ""),
    ),
  );
