/** Column types that the two database engines spell differently. */
import { sql, type RawBuilder } from "kysely";

/** The type of a column of raw bytes. */
export const bytes = (): RawBuilder<unknown> => sql`blob`;
