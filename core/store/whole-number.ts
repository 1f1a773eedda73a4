/**
 * Converts numbers of the two database engines; separate for workers, which load no query builder.
 */

/**
 * Converts a bigint, count or sum to a number, whatever type the driver returned. @throws
 * RangeError when it is not a whole number below 2^53.
 */
export function toNumber(value: number | bigint | string | null | undefined): number {
  const number = Number(value ?? 0);
  if (!Number.isSafeInteger(number))
    throw new RangeError(
      `the database holds ${String(value)}, which is not a whole number below 2^53`,
    );
  return number;
}
