/** Lists in pieces, for statements and requests that take only so much. */

/** The list in order, at most `size` of it at a time. */
export function* batchesOf<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size);
}
