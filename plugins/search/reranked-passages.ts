/** The order of passages after a reranker has read the first of them. */
import type { Passage, SearchRequest } from "../search-index/contract";
import type { Reranker } from "./contract";

interface Shown {
  readonly passage: Passage;
}

/** The first passages by their relevance, then the others; scores fall with them, 0 to 1. */
export async function reranked<S extends Shown>(
  reranker: Reranker,
  { query, context }: SearchRequest,
  shown: readonly S[],
  signal: AbortSignal | undefined,
): Promise<readonly S[]> {
  const first = shown.slice(0, reranker.passages_max);
  if (first.length < 2) return shown;
  const full_query = context === undefined ? query : `${context}\n${query}`;
  const texts = first.map(({ passage }) => textOf(passage));
  const relevances = await reranker.rerank(full_query, texts, { signal });
  if (relevances === null) return shown;
  const ranked = first
    .map((candidate, at) => ({ candidate, score: relevances[at] ?? 0 }))
    .toSorted((a, b) => b.score - a.score);
  const least = ranked.at(-1)!.score;
  return [
    ...ranked.map(({ candidate, score }) => withScore(candidate, score)),
    ...shown
      .slice(first.length)
      .map((candidate) => withScore(candidate, Math.min(candidate.passage.score, least))),
  ];
}

const withScore = <S extends Shown>(candidate: S, score: number): S => ({
  ...candidate,
  passage: { ...candidate.passage, score },
});

/** With what it stands under, which the passage itself may not say. */
const textOf = ({ title, heading, text }: Passage): string =>
  [title, heading, text].filter((part) => part !== null && part !== "").join("\n");
