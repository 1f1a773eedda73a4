/**
 * Puts an answer's markers and citations in order: what is saved names only citations that are
 * there, counted from 1 in order of first use.
 */
import type { Citation } from "../search/contract";

export interface Cited {
  readonly answer: string;
  readonly citations: readonly Citation[];
}

const marker = /\[(\d+)\]/g;
/** Markers that stand together, and the spaces before them. */
const markers = /([ \t]*)((?:\[\d+\][ \t]*)*\[\d+\])/g;

/**
 * Drops the citations that `held` leaves out and every marker that names none, then numbers the
 * rest by first use;
 * citations without a marker follow in their order. What is kept was compared with the stored text,
 * and says so.
 */
export function settled(
  { answer, citations }: Cited,
  held: (citation: Citation) => boolean,
): { answer: string; citations: Citation[] } {
  const kept = new Map<number, Citation>();
  for (const citation of citations)
    if (!kept.has(citation.id) && held(citation)) kept.set(citation.id, citation);
  const numbers = new Map<number, number>();
  const used = [...answer.matchAll(marker)].map((match) => Number(match[1]));
  for (const id of [...used, ...kept.keys()])
    if (kept.has(id) && !numbers.has(id)) numbers.set(id, numbers.size + 1);
  return {
    answer: answer
      .replace(markers, (_whole, spaces: string, group: string) => {
        const renumbered = [...group.matchAll(marker)].flatMap(
          (match) => numbers.get(Number(match[1])) ?? [],
        );
        return renumbered.length === 0
          ? ""
          : spaces + renumbered.map((number) => `[${number}]`).join("");
      })
      .trim(),
    citations: [...numbers].map(([id, number]) => ({
      ...kept.get(id)!,
      id: number,
      verified: true,
      stale: false,
    })),
  };
}

/** The same result after these documents went for good: their citations stay, without the text. */
export const blanked = <R extends { readonly citations: readonly Citation[] }>(
  result: R,
  document_ids: ReadonlySet<string>,
): R => ({
  ...result,
  citations: result.citations.map((citation) =>
    document_ids.has(citation.document_id) ? { ...citation, quote: "", stale: true } : citation,
  ),
});
