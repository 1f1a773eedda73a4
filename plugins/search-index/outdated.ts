/** Documents that were indexed by an analyzer or chunker other than the current ones. */
import { countRows, sql } from "../../core/sdk";
import type { DocumentRow, IndexDb } from "./store";

/** The versions that documents were indexed with. */
export type Makers = Pick<DocumentRow, "analyzer" | "chunker">;

/** With literals: the condition of the index on these documents, if the versions are current. */
export const isOutdated = ({ analyzer, chunker }: Makers) =>
  sql<boolean>`not (analyzer = ${sql.lit(analyzer)} and chunker = ${sql.lit(chunker)})`;

const outdated = (db: IndexDb, current: Makers) =>
  db.selectFrom("index_documents").where(isOutdated(current));

/** At most `limit`. */
export const outdatedDocuments = (
  db: IndexDb,
  current: Makers,
  limit: number,
): Promise<DocumentRow[]> => outdated(db, current).selectAll().limit(limit).execute();

/** Counts no further than `limit`. */
export const countOutdated = (db: IndexDb, current: Makers, limit: number): Promise<number> =>
  countRows(db.selectFrom(outdated(db, current).select("document_id").limit(limit).as("some")));
