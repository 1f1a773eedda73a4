/** The order of passages by what they are about, and by how well they answer. Pure. */
import type { FoundPassage } from "./contract";

/**
 * The passages with those first that answer, among the first ones: `answer_scores` belong to these
 * and count as much as their own, both 0 to 1; a passage without one keeps its place. The scores
 * stay where they are, so that they fall.
 */
export function withAnswersFirst(
  passages: readonly FoundPassage[],
  answer_scores: readonly (number | null)[],
): FoundPassage[] {
  const scored = passages.flatMap((passage, place) => {
    const answer_score = answer_scores[place] ?? null;
    if (answer_score === null) return [];
    return [{ passage, place, score: passage.score + answer_score }];
  });
  const ranked = scored.toSorted((a, b) => b.score - a.score);
  const ordered = [...passages];
  for (const [at, { place }] of scored.entries())
    ordered[place] = { ...ranked[at]!.passage, score: passages[place]!.score };
  return ordered;
}
