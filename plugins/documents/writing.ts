/**
 * How a document is written with its first version, and how a version takes the place of another:
 * what uploads, texts and runs have in common.
 */
import { conflict, type Db, type HttpError } from "../../core/sdk";
import * as links from "./links";
import { nameFolded, nameKey } from "./names";
import { changesIn, type DocumentParts } from "./parts";
import type { Document } from "./record";
import * as store from "./store";
import type { DocumentRow, VersionRow } from "./store";

export type NewVersion = Omit<VersionRow, "document_id" | "version">;
/** What the record says of where its newest version comes from. */
export type Source = Pick<DocumentRow, "source_kind" | "source_uri" | "source_run_id">;
export type NewDocument = Pick<DocumentRow, "owner_id" | "name"> &
  Source & { readonly folder_id: string };

/** What nobody has read yet. */
export const unread = {
  pages: "[]",
  headings: null,
  times: null,
  text_ready: 0,
  content: null,
} as const;
export const unknown_type = "application/octet-stream";

export function createWriting({
  now_ms,
  newId,
  removeFiles,
  folders,
  quotas,
  queueIndexing,
  cancelIndexing,
  notify,
}: DocumentParts) {
  async function insert(
    tx: Db,
    { folder_id, ...document }: NewDocument,
    version: NewVersion,
  ): Promise<Document> {
    const now = now_ms();
    const row: DocumentRow = {
      id: newId("doc"),
      ...document,
      ...described(version),
      ...inWork,
      name_folded: nameFolded(document.name),
      version: 1,
      current_version: 0,
      created_at: now,
      updated_at: now,
      synced_at: null,
    };
    await quotas.charge(tx, row.owner_id, "documents", 1);
    await quotas.charge(tx, row.owner_id, "storage", row.size_bytes);
    await store.insertDocument(tx, row);
    await store.insertVersion(tx, { document_id: row.id, version: 1, ...version });
    await links.insertLink(tx, {
      document_id: row.id,
      folder_id,
      name_key: nameKey(row.name),
      reserves_name: row.source_kind === "upload" ? 1 : 0,
      document_created_at: now,
      created_at: now,
      deleted_at: null,
    });
    await folders.count(tx, [{ folder_id, status: "syncing", by: 1 }]);
    await queueIndexing(tx, row);
    changesIn([folder_id], row.owner_id, row.id, "created").forEach(notify);
    return { row, folder_ids: [folder_id] };
  }

  /**
   * The version that answers stays until the new one is indexed; one that was still in work is
   * dropped.
   */
  async function replace(
    tx: Db,
    before: DocumentRow,
    version: NewVersion,
    source: Source,
  ): Promise<Document> {
    const values = {
      ...described(version),
      ...inWork,
      ...source,
      version: before.version + 1,
      updated_at: now_ms(),
    } as const;
    const row: DocumentRow = { ...before, ...values };
    await quotas.charge(tx, row.owner_id, "storage", row.size_bytes - before.size_bytes);
    if (before.status === "syncing") await cancelIndexing(tx, [row.id]);
    removeFiles(await store.dropOtherVersions(tx, row.id, [before.current_version]));
    await store.insertVersion(tx, { document_id: row.id, version: row.version, ...version });
    await store.updateDocument(tx, row.id, values);
    if (row.source_kind === "upload" && before.source_kind !== "upload")
      await links.reserveName(tx, row.id);
    const folder_ids = await links.foldersOf(tx, row.id);
    await folders.count(
      tx,
      folder_ids.flatMap((folder_id) => [
        { folder_id, status: before.status, by: -1 },
        { folder_id, status: row.status, by: 1 },
      ]),
    );
    await queueIndexing(tx, row);
    changesIn(folder_ids, row.owner_id, row.id).forEach(notify);
    return { row, folder_ids };
  }

  return { insert, replace };
}
export type Writing = ReturnType<typeof createWriting>;

/** How a version begins. */
const inWork = {
  status: "syncing",
  stage: "queued",
  progress: 0,
  attempts: 0,
  error_code: null,
  error_message: null,
  warnings: "[]",
  page_count: null,
  language: null,
} as const;

/** What the record says of its newest version. */
const described = ({ sha256, size_bytes, media_type }: NewVersion) => ({
  sha256,
  size_bytes,
  media_type,
});

export const nameTaken = (): HttpError =>
  conflict(
    "A document with the same file name already exists; pass overwrite=true to replace it.",
    "name_taken",
  );

/** What the sender says, when it reads like a media type: a hint until the bytes are read. */
export const mediaType = (declared: string | null): string =>
  declared !== null &&
  /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/i.test(declared)
    ? declared.toLowerCase()
    : unknown_type;
