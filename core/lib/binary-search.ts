/** Binary search in sorted lists. */

/**
 * The number of leading elements for which `holds`; it must hold for none after the first that
 * fails. This is also the index of that one, or the length if there is none.
 */
export function countLeading<T>(
  sorted: ArrayLike<T>,
  holds: (element: T, index: number) => boolean,
): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(sorted[middle]!, middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the first of these ascending numbers that is not below `value`. */
export function lowerBound(ascending: ArrayLike<number>, value: number): number {
  return countLeading(ascending, (number) => number < value);
}
