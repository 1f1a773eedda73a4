/** Column types and numbers that the two database engines treat differently. */
import { sql, type RawBuilder } from "kysely";

export { toNumber } from "./whole-number";

/** The type of a column of raw bytes. */
export const bytes = (): RawBuilder<unknown> => sql`blob`;

/**
 * The type of a whole number below 2^53 that alone is the primary key of its table: rows are kept
 * in its order, without an index beside them.
 */
export const rowKey = (): RawBuilder<unknown> => sql`integer`;
