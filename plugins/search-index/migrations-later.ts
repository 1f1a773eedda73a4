/** The functions of later migration steps. */
import { bytes, rowKey, sql, type Db } from "../../core/sdk";
import { isOutdated, type Makers } from "./outdated";

/**
 * Segments in the order of their ids, with the positions of their chunks, found by index version
 * alone: every table and every index has at least one page in each commit of a document.
 */
export async function mergePlaces(tx: Db): Promise<void> {
  await tx.schema
    .createTable("index_segments_now")
    .addColumn("id", rowKey(), (c) => c.primaryKey())
    .addColumn("edition", "bigint", (c) => c.notNull())
    .addColumn("document_id", "text", (c) => c.notNull())
    .addColumn("text_id", "bigint")
    .addColumn("in_first_piece", "integer")
    .addColumn("places", bytes())
    .addColumn("data", bytes(), (c) => c.notNull())
    .execute();
  await sql`
    insert into index_segments_now
      (id, edition, document_id, text_id, in_first_piece, places, data)
    select s.id, s.edition, s.document_id, p.text_id, p.in_first_piece, p.data, s.data
    from index_segments s left join index_places p on p.segment_id = s.id
    order by s.id`.execute(tx);
  for (const table of ["index_segments", "index_places"])
    await tx.schema.dropTable(table).execute();
  await tx.schema.alterTable("index_segments_now").renameTo("index_segments").execute();
  await tx.schema
    .createIndex("index_segments_by_edition")
    .on("index_segments")
    .columns(["edition"])
    .execute();
}

/** Finds what `outdated.ts` looks for: usually nothing, so that its index has hardly any rows. */
export async function indexOutdated(tx: Db, current: Makers): Promise<void> {
  for (const earlier of ["index_documents_by_maker", "index_documents_outdated"])
    await tx.schema.dropIndex(earlier).ifExists().execute();
  await tx.schema
    .createIndex("index_documents_outdated")
    .on("index_documents")
    .columns(["document_id"])
    .where(isOutdated(current))
    .execute();
}
