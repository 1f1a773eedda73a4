/** New documents, and new versions of documents that are there: by text and by upload. */
import { isUnique, type Db, type Received } from "../../core/sdk";
import * as links from "./links";
import { documentName, nameKey, nameOfText } from "./names";
import type { DocumentParts } from "./parts";
import type { Document } from "./record";
import {
  mediaType,
  nameTaken,
  unread,
  type NewVersion,
  type Source,
  type Writing,
} from "./writing";

export interface NewText {
  readonly folder_id: string;
  readonly name?: string | null;
  readonly content: string;
}
export interface Upload {
  readonly folder_id: string;
  readonly name: string;
  /** What the part says it is, or null. */
  readonly declared_type: string | null;
  /** Replace the newest document of that name. */
  readonly overwrite: boolean;
}

export const text_type = "text/plain";
const uploaded: Source = { source_kind: "upload", source_uri: null, source_run_id: null };

export interface AddingParts extends DocumentParts {
  readonly writing: Writing;
}

export function createAdding({
  db,
  inTransaction,
  truncateWal,
  removeFiles,
  files,
  folders,
  quotas,
  writing: { insert, replace },
}: AddingParts) {
  async function insertOrReplace(
    tx: Db,
    owner_id: string,
    { folder_id, name, declared_type, overwrite }: Upload,
    { sha256, size_bytes }: Received,
  ) {
    const version: NewVersion = {
      ...unread,
      sha256,
      size_bytes,
      media_type: mediaType(declared_type),
      in_files: 1,
    };
    await folders.require(tx, owner_id, folder_id);
    const namesake = await links.findNamesake(tx, folder_id, nameKey(name));
    if (namesake && !overwrite) throw nameTaken();
    const document = namesake
      ? await replace(tx, namesake, version, uploaded)
      : await insert(tx, { owner_id, folder_id, name, ...uploaded }, version);
    return { document, replaced: namesake !== undefined };
  }

  return {
    /**
     * @throws HttpError 400 on a bad name, 404 or 403 on the folder, 403 when a quota is reached,
     * 507.
     */
    addText(owner_id: string, { folder_id, name, content }: NewText): Promise<Document> {
      const document = {
        owner_id,
        folder_id,
        name:
          name === undefined || name === null ? nameOfText(content) : documentName(name, "/name"),
        source_kind: "text",
        source_uri: null,
        source_run_id: null,
      } as const;
      const bytes = new TextEncoder().encode(content);
      const version: NewVersion = {
        ...unread,
        sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
        size_bytes: bytes.byteLength,
        media_type: text_type,
        in_files: 0,
        content,
      };
      return inTransaction(async (tx) => {
        await folders.require(tx, owner_id, folder_id);
        files.requireRoom();
        return insert(tx, document, version);
      });
    },

    /**
     * Refuses an upload that `addUpload` would refuse, before its bytes are read. @throws HttpError
     * 403, 404 or 409.
     */
    async admitUpload(
      owner_id: string,
      { folder_id, name, overwrite }: Upload,
      size_bytes: number,
    ): Promise<void> {
      await folders.require(db, owner_id, folder_id);
      const namesake = await links.findNamesake(db, folder_id, nameKey(name));
      if (namesake && !overwrite) throw nameTaken();
      if (!namesake) await quotas.require(db, owner_id, "documents", 1);
      await quotas.require(db, owner_id, "storage", size_bytes - (namesake?.size_bytes ?? 0));
    },

    /**
     * Makes a document of the bytes that arrived, or the next version of its namesake, and releases
     * them. @throws HttpError 403, 404, 409 or 507.
     */
    async addUpload(
      owner_id: string,
      upload: Upload,
      received: Received,
    ): Promise<{ readonly document: Document; readonly replaced: boolean }> {
      try {
        await received.keep();
        const result = await inTransaction((tx) => insertOrReplace(tx, owner_id, upload, received));
        // The version in work may have been a text that nobody will see any more.
        if (result.replaced) truncateWal();
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
