/** Numbers as the two database engines give them; for workers too, which load no query builder. */

/**
 * A bigint, count or sum as a number, whatever the driver made of it. @throws RangeError when it is
 * not a whole number below 2^53.
 */
export function toNumber(value: number | bigint | string | null | undefined): number {
  const number = Number(value ?? 0);
  if (!Number.isSafeInteger(number))
    throw new RangeError(
      `the database holds ${String(value)}, which is not a whole number below 2^53`,
    );
  return number;
}
