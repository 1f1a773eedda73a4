/**
 * How well a model relates two languages: with the same questions in both, by how much more similar
 * a question is to its translation than to the other questions. Pure.
 */
import { cosine } from "./vector-products";

/** By pair of languages, each once. */
export type LanguageAlignments = ReadonlyMap<string, number>;

const keyOf = (one: string, other: string): string => [one, other].sort().join(" ");

/**
 * `questions`: those of each language in the same order, of length 1; null for one that the model
 * could not take, whose language is left out then.
 */
export function alignmentsOf(
  languages: readonly string[],
  questions: readonly (readonly (Float32Array | null)[])[],
): LanguageAlignments {
  const known = languages.flatMap((language, at) => {
    const vectors = (questions[at] ?? []).filter((vector) => vector !== null);
    return vectors.length > 1 && vectors.length === questions[at]!.length
      ? [{ language, vectors }]
      : [];
  });
  const margins = new Map<string, number>();
  for (const [at, one] of known.entries())
    for (const other of known.slice(at + 1))
      margins.set(keyOf(one.language, other.language), marginOf(one.vectors, other.vectors));
  const sorted = [...margins.values()].sort((a, b) => a - b);
  const typical = sorted[sorted.length >>> 1] ?? 0;
  return new Map(
    typical > 0 ? Array.from(margins, ([pair, margin]) => [pair, margin / typical]) : [],
  );
}

/** 1 for a typical pair of languages, more for closer ones; null when unknown. */
export const alignmentBetween = (
  alignments: LanguageAlignments,
  one: string | null,
  other: string | null,
): number | null =>
  one === null || other === null ? null : (alignments.get(keyOf(one, other)) ?? null);

/** By how much a text's cosine with its translation exceeds those with the other texts. */
function marginOf(texts: readonly Float32Array[], translations: readonly Float32Array[]): number {
  let own = 0;
  let all = 0;
  for (const [at, text] of texts.entries())
    for (const [i, translation] of translations.entries()) {
      const product = cosine(text, translation);
      all += product;
      if (i === at) own += product;
    }
  const count = texts.length;
  return own / count - (all - own) / (count * (count - 1));
}
