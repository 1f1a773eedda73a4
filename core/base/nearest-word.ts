/** Finds the known word that was probably meant by an unknown one: "Did you mean …?" */

/**
 * The candidate with the smallest edit distance; undefined when none resembles the word, because a
 * suggestion that shares only a few letters with it misleads.
 */
export function nearestWord(
  unknown_word: string,
  candidates: readonly string[],
): string | undefined {
  const edits_max = Math.ceil(unknown_word.length / 2);
  return candidates
    .map((word) => ({ word, edits: editDistance(unknown_word.toLowerCase(), word.toLowerCase()) }))
    .filter(({ edits }) => edits <= edits_max)
    .sort((a, b) => a.edits - b.edits)[0]?.word;
}

/** `; the nearest is …`, as part of a message about an unknown word; empty when there is none. */
export function nearestHint(
  unknown_word: string,
  candidates: readonly string[],
  show = (word: string): string => word,
): string {
  const nearest = nearestWord(unknown_word, candidates);
  return nearest === undefined ? "" : `; the nearest is ${show(nearest)}`;
}

/** The Levenshtein distance: how many letters to add, remove or replace. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row[b.length]!;
}
