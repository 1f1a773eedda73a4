/** Splits lists for statements and requests of limited size. */

/** The list in order, in batches of at most `size`. */
export function* batchesOf<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size);
}

/** The longest start of the list with a total size of at most `size_max`; at least one element. */
export function firstWithin<T>(
  list: readonly T[],
  size_max: number,
  sizeOf: (element: T) => number,
): readonly T[] {
  let size = 0;
  const end = list.findIndex((element, at) => {
    size += sizeOf(element);
    return size > size_max && at > 0;
  });
  return end < 0 ? list : list.slice(0, end);
}

const batch_rows_max = 16;

/** Batches of 16, 8, 4, 2 and 1 rows: few statements, of few different lengths to keep prepared. */
export async function inBatches<T>(
  rows: readonly T[],
  insert: (batch: readonly T[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0, size = batch_rows_max; at < rows.length; at += size) {
    while (size > rows.length - at) size /= 2;
    await insert(rows.slice(at, at + size));
  }
}
