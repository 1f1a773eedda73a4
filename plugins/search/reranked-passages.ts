/** The order of passages after a reranker has read the first of them. */
import type { Passage, SearchRequest } from "../search-index/contract";
import type { Reranker } from "./contract";

interface Candidate {
  readonly passage: Passage;
}

/** The first passages by their relevance, then the others; scores fall with them, 0 to 1. */
export async function reranked<S extends Candidate>(
  reranker: Reranker,
  { query, context }: SearchRequest,
  candidates: readonly S[],
  signal: AbortSignal | undefined,
): Promise<readonly S[]> {
  const first = candidates.slice(0, reranker.passages_max);
  if (first.length < 2) return candidates;
  const full_query = context === undefined ? query : `${context}\n${query}`;
  const texts = first.map(({ passage }) => textOf(passage));
  const relevances = await reranker.rerank(full_query, texts, { signal });
  if (relevances === null) return candidates;
  const ranked = first
    .map((candidate, at) => ({ candidate, score: relevances[at] ?? 0 }))
    .toSorted((a, b) => b.score - a.score);
  const lowest_score = ranked.at(-1)!.score;
  return [
    ...ranked.map(({ candidate, score }) => withScore(candidate, score)),
    ...candidates
      .slice(first.length)
      .map((candidate) => withScore(candidate, Math.min(candidate.passage.score, lowest_score))),
  ];
}

const withScore = <S extends Candidate>(candidate: S, score: number): S => ({
  ...candidate,
  passage: { ...candidate.passage, score },
});

/** With its title and heading, whose words the passage itself may lack. */
const textOf = ({ title, heading, text }: Passage): string =>
  [title, heading, text].filter((part) => part !== null && part !== "").join("\n");
