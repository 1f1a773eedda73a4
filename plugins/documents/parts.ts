/** What the rules about documents are made with. */
import type { Change, Db, Files, Log, PayloadOf } from "../../core/sdk";
import type { Folders } from "../folders/contract";
import type { SearchIndex } from "../search-index/contract";
import type { Quotas } from "../quotas/contract";
import type { DocumentSettled } from "./contract";
import type { DocumentRow, DocumentsDb } from "./store";

export interface DocumentParts {
  readonly db: DocumentsDb;
  readonly inTransaction: <R>(work: (tx: Db) => Promise<R>) => Promise<R>;
  readonly afterCommit: (work: () => void) => void;
  readonly now_ms: () => number;
  readonly newId: (prefix: string) => string;
  /** Takes deleted text out of the write-ahead log. */
  readonly truncateWal: () => void;
  /** Deletes these originals where no version uses them any more. Returns at once. */
  readonly removeFiles: (sha256s: readonly string[]) => void;
  readonly files: Files;
  readonly folders: Folders;
  readonly quotas: Quotas;
  readonly index: SearchIndex;
  readonly queueIndexing: (
    tx: Db,
    document: Pick<DocumentRow, "id" | "owner_id" | "version">,
  ) => Promise<void>;
  readonly queueRetitling: (
    tx: Db,
    document: Pick<DocumentRow, "id" | "owner_id">,
  ) => Promise<void>;
  readonly cancelIndexing: (tx: Db, document_ids: readonly string[]) => Promise<void>;
  /** Tells the other plugins, inside the transaction that writes it, that indexing has ended. */
  readonly announceSettled: (tx: Db, settled: PayloadOf<typeof DocumentSettled>) => Promise<void>;
  /** Tells the other plugins, inside the purging transaction, that these documents go. */
  readonly removeUses: (tx: Db, document_ids: readonly string[]) => Promise<void>;
  readonly notify: (change: Change) => void;
  readonly log: Log;
}

/** The document as each of these folders shows it. */
export const changesIn = (
  folder_ids: readonly string[],
  owner_id: string,
  id: string,
  action: Change["action"] = "changed",
): readonly Change[] =>
  (folder_ids.length === 0 ? [null] : folder_ids).map((folder_id) => ({
    owner_id,
    kind: "document",
    id,
    folder_id,
    action,
  }));
