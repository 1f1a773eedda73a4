/** Column types and numbers that the two database engines handle differently. */
import { sql, type RawBuilder } from "kysely";

export { toNumber } from "./whole-number";

/** The type of a column of raw bytes. */
export const bytes = (): RawBuilder<unknown> => sql`blob`;

/**
 * The type of a single-column primary key that is a whole number below 2^53: rows are stored in its
 * order, without a separate index.
 */
export const rowKey = (): RawBuilder<unknown> => sql`integer`;
