/** Every SQL statement about documents that are exported to another server. */
import { sql, toNumber } from "../../../core/sdk";
import type { DocumentPlace } from "../contract";
import type { DocumentsDb } from "../store";
import {
  currentVersion,
  firstPieceOf,
  span_columns,
  textOf,
  text_columns,
} from "../texts/text-store";

/** The documents of a folder after a position, in the order of the export. */
export const listPlaces = async (
  db: DocumentsDb,
  folder_id: string,
  after: DocumentPlace | null,
  limit: number,
): Promise<DocumentPlace[]> =>
  (
    await db
      .selectFrom("documents_links as l")
      .select(["l.document_id", "l.document_created_at"])
      .where("l.folder_id", "=", folder_id)
      .where("l.is_deleted", "=", 0)
      .$if(after !== null, (query) =>
        query.where(
          sql<boolean>`(l.document_created_at, l.document_id) >
            (${after!.document_created_at}, ${after!.document_id})`,
        ),
      )
      .orderBy("l.document_created_at")
      .orderBy("l.document_id")
      .limit(limit)
      .execute()
  ).map((row) => ({ ...row, document_created_at: toNumber(row.document_created_at) }));

/** The document with its current version, or with its newest one before there is a current one. */
export async function findCurrent(db: DocumentsDb, id: string) {
  const version = await currentVersion(db, id)
    .select([
      "d.id",
      "d.name",
      "d.source_kind",
      "d.source_uri",
      "d.current_version",
      "d.status",
      "d.error_code",
      "d.error_message",
      "d.warnings",
      "d.page_count",
      "d.language",
      "d.created_at",
      "d.updated_at",
      "d.synced_at",
      "v.version",
      "v.sha256",
      "v.size_bytes",
      "v.media_type",
      "v.in_files",
      "v.text_ready",
      ...span_columns,
      "v.content",
      ...text_columns,
      firstPieceOf,
    ])
    .executeTakeFirst();
  return version && { ...version, text: textOf(version) };
}

/** The fields of the events for new documents. */
export const findAnnounced = (db: DocumentsDb, document_ids: readonly string[]) =>
  document_ids.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom("documents")
        .select([
          "id",
          "owner_id",
          "name",
          "source_kind",
          "status",
          "version",
          "error_code",
          "error_message",
        ])
        .where("id", "in", document_ids)
        .orderBy("id")
        .execute();
