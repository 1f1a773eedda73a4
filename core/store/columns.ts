/** Column types and numbers that the two database engines treat differently. */
import { sql, type RawBuilder } from "kysely";

/** The type of a column of raw bytes. */
export const bytes = (): RawBuilder<unknown> => sql`blob`;

/**
 * The type of a whole number below 2^53 that alone is the primary key of its table: rows are kept
 * in its order, without an index beside them.
 */
export const rowKey = (): RawBuilder<unknown> => sql`integer`;

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
