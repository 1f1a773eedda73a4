/** New documents, and new versions of documents that are there: by text and by upload. */
import { conflict, isUnique, type Db, type HttpError, type Received } from "../../core/sdk";
import * as links from "./links";
import { documentName, nameFolded, nameKey, nameOfText } from "./names";
import type { DocumentParts } from "./parts";
import type { Document } from "./record";
import * as store from "./store";
import type { DocumentRow, VersionRow } from "./store";

export interface NewText { readonly folder_id: string; readonly name?: string | null; readonly content: string }
export interface Upload {
  readonly folder_id: string;
  readonly name: string;
  /** What the part says it is, or null. */
  readonly declared_type: string | null;
  /** Replace the newest document of that name. */
  readonly overwrite: boolean;
}

/** A first version, or one that replaces another: what both have in common. */
type NewVersion = Pick<VersionRow, "sha256" | "size_bytes" | "media_type" | "in_files" | "content">;
type NewDocument = Pick<DocumentRow, "owner_id" | "name" | "source_kind"> & { readonly folder_id: string };

export const text_type = "text/plain";
const unknown_type = "application/octet-stream";

export function createAdding({ db, inTransaction, now_ms, newId, scrub, removeFiles, files, folders, quotas, queueIndexing, cancelIndexing }: DocumentParts) {
  async function insert(tx: Db, { folder_id, ...document }: NewDocument, version: NewVersion): Promise<Document> {
    const now = now_ms();
    const row: DocumentRow = {
      id: newId("doc"), ...document, ...described(version), ...inWork, name_folded: nameFolded(document.name), source_uri: null, source_run_id: null,
      version: 1, current_version: 0, created_at: now, updated_at: now, synced_at: null,
    };
    await quotas.charge(tx, row.owner_id, "documents", 1);
    await quotas.charge(tx, row.owner_id, "storage", row.size_bytes);
    await store.insertDocument(tx, row);
    await store.insertVersion(tx, { document_id: row.id, version: 1, ...version, pages: "[]", headings: null });
    await links.insertLink(tx, {
      document_id: row.id, folder_id, name_key: nameKey(row.name), reserves_name: row.source_kind === "upload" ? 1 : 0,
      document_created_at: now, created_at: now, deleted_at: null,
    });
    await folders.count(tx, [{ folder_id, status: "syncing", by: 1 }]);
    await queueIndexing(tx, row);
    return { row, folder_ids: [folder_id] };
  }

  /** The version that answers stays until the new one is indexed; one that was still in work is dropped. */
  async function replace(tx: Db, before: DocumentRow, version: NewVersion): Promise<Document> {
    const values = { ...described(version), ...inWork, source_kind: "upload", source_uri: null, source_run_id: null, version: before.version + 1, updated_at: now_ms() } as const;
    const row: DocumentRow = { ...before, ...values };
    await quotas.charge(tx, row.owner_id, "storage", row.size_bytes - before.size_bytes);
    if (before.status === "syncing") await cancelIndexing(tx, [row.id]);
    removeFiles(await store.dropOtherVersions(tx, row.id, [before.current_version]));
    await store.insertVersion(tx, { document_id: row.id, version: row.version, ...version, pages: "[]", headings: null });
    await store.updateDocument(tx, row.id, values);
    if (before.source_kind !== "upload") await links.reserveName(tx, row.id);
    const folder_ids = await links.foldersOf(tx, row.id);
    await folders.count(tx, folder_ids.flatMap((folder_id) => [{ folder_id, status: before.status, by: -1 }, { folder_id, status: row.status, by: 1 }]));
    await queueIndexing(tx, row);
    return { row, folder_ids };
  }

  async function insertOrReplace(tx: Db, owner_id: string, { folder_id, name, declared_type, overwrite }: Upload, { sha256, size_bytes }: Received) {
    const version: NewVersion = { sha256, size_bytes, media_type: mediaType(declared_type), in_files: 1, content: null };
    await folders.require(tx, owner_id, folder_id);
    const namesake = await links.findNamesake(tx, folder_id, nameKey(name));
    if (namesake && !overwrite) throw nameTaken();
    const document = namesake ? await replace(tx, namesake, version) : await insert(tx, { owner_id, folder_id, name, source_kind: "upload" }, version);
    return { document, replaced: namesake !== undefined };
  }

  return {
    /** @throws HttpError 400 on a bad name, 404 or 403 on the folder, 403 when a quota is reached, 507. */
    addText(owner_id: string, { folder_id, name, content }: NewText): Promise<Document> {
      const document = { owner_id, folder_id, name: name === undefined || name === null ? nameOfText(content) : documentName(name, "/name"), source_kind: "text" } as const;
      const bytes = new TextEncoder().encode(content);
      const version: NewVersion = { sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"), size_bytes: bytes.byteLength, media_type: text_type, in_files: 0, content };
      return inTransaction(async (tx) => {
        await folders.require(tx, owner_id, folder_id);
        files.requireRoom();
        return insert(tx, document, version);
      });
    },

    /** Refuses an upload that `addUpload` would refuse, before its bytes are read. @throws HttpError 403, 404 or 409. */
    async admitUpload(owner_id: string, { folder_id, name, overwrite }: Upload, size_bytes: number): Promise<void> {
      await folders.require(db, owner_id, folder_id);
      const namesake = await links.findNamesake(db, folder_id, nameKey(name));
      if (namesake && !overwrite) throw nameTaken();
      if (!namesake) await quotas.require(db, owner_id, "documents", 1);
      await quotas.require(db, owner_id, "storage", size_bytes - (namesake?.size_bytes ?? 0));
    },

    /** Makes a document of the bytes that arrived, or the next version of its namesake, and releases them. @throws HttpError 403, 404, 409 or 507. */
    async addUpload(owner_id: string, upload: Upload, received: Received): Promise<{ readonly document: Document; readonly replaced: boolean }> {
      try {
        await received.keep();
        const result = await inTransaction((tx) => insertOrReplace(tx, owner_id, upload, received));
        // The version in work may have been a text that nobody will see any more.
        if (result.replaced) scrub();
        return result;
      } catch (error) {
        removeFiles([received.sha256]);
        // Two uploads of one name at the same moment: the index decides, not the look-up.
        throw isUnique(error) ? nameTaken() : error;
      } finally {
        await received.release();
      }
    },
  };
}
export type Adding = ReturnType<typeof createAdding>;

/** How a version begins. */
const inWork = {
  status: "syncing", stage: "queued", progress: 0, attempts: 0, error_code: null, error_message: null, warnings: "[]", page_count: null, language: null,
} as const;

/** What the record says of its newest version. */
const described = ({ sha256, size_bytes, media_type }: NewVersion) => ({ sha256, size_bytes, media_type });

const nameTaken = (): HttpError => conflict("A document with the same file name already exists; pass overwrite=true to replace it.", "name_taken");

/** What the sender says, when it reads like a media type: a hint until the bytes are read. */
const mediaType = (declared: string | null): string =>
  declared !== null && /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/i.test(declared) ? declared.toLowerCase() : unknown_type;
