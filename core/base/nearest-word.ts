/** Finds the known word that an unknown one was probably meant to be: "Did you mean …?" */

/** The known word with the fewest edits, or undefined when there is none. */
export function nearestWord(wrong: string, known: readonly string[]): string | undefined {
  return known
    .map((word) => ({ word, edits: editDistance(wrong.toLowerCase(), word.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)[0]?.word;
}

/** Letters that are to be added, taken away or changed to make one of the other. */
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
