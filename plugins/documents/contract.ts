/** What other plugins may know about documents. */
import { event, service, slot, t, type Db } from "../../core/sdk";

export interface DocumentName {
  readonly id: string;
  readonly name: string;
  /** The version that answers now; 0 before the first one is synced. */
  readonly current_version: number;
}
export interface Documents {
  /** The document. @throws HttpError 404 when it does not exist, 403 when it is another user's. */
  require(db: Db, owner_id: string, document_id: string): Promise<DocumentName>;
  /** The same for many; `pointer` names the field the ids came from. @throws HttpError 404 or 403. */
  requireAll(db: Db, owner_id: string, document_ids: readonly string[], pointer: string): Promise<void>;
  /** Names and versions by id; ids that are gone are absent. */
  names(db: Db, document_ids: readonly string[]): Promise<Map<string, DocumentName>>;
  /** Whether the text between `start` and `end` (code points) of the version that answers now is still exactly `quote`. False when the document is gone. */
  holds(db: Db, passage: { readonly document_id: string; readonly start: number; readonly end: number; readonly quote: string }): Promise<boolean>;
  /** Those of the quotes that the version that answers now has anywhere in its text; none when the document is gone. */
  saying(db: Db, document_id: string, quotes: readonly string[]): Promise<Set<string>>;
  /** Ids of documents with a live link to one of the folders, among `document_ids`. */
  linked(db: Db, document_ids: readonly string[], folder_ids: readonly string[]): Promise<Set<string>>;
}
export const Documents = service<Documents>("documents");

/** Told, inside the purging transaction, that these documents go for good. */
export const DocumentUses = slot<{ remove(tx: Db, document_ids: readonly string[]): Promise<void> }>("documents.uses");

/** Indexing has ended, well or badly. */
export const DocumentSettled = event("document.settled", t.Object({
  owner_id: t.String(), document_id: t.String(), version: t.Integer(), status: t.Union([t.Literal("synced"), t.Literal("sync_failed")]),
}));
