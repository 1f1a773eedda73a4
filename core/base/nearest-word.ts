/** Finds the known word that was probably meant by an unknown one: "Did you mean …?" */

/** The candidate with the smallest edit distance; undefined when there is none. */
export function nearestWord(
  unknown_word: string,
  candidates: readonly string[],
): string | undefined {
  return candidates
    .map((word) => ({ word, edits: editDistance(unknown_word.toLowerCase(), word.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)[0]?.word;
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
