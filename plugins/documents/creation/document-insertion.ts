/**
 * Inserts a new document with its first version: before it is indexed, or together with its index.
 */
import type { Db } from "../../../core/sdk";
import { DocumentCreated } from "../../events/contract";
import { notifyFolders, type DocumentContext } from "../context";
import * as linkStore from "../links/link-store";
import type { Insertion, NewVersion } from "./new-versions";
import * as store from "../store";
import type { DocumentRow } from "../store";

/** Everything that the insertion of a document writes. */
export interface NewDocument {
  /** The row of a document that is not indexed yet. */
  readonly row: DocumentRow;
  readonly version: NewVersion;
  readonly folder_id: string;
}

/** Inserts the document, once: `is_written` tells whether that has happened. */
export class DocumentInsertion implements Insertion {
  is_written = false;

  /** `tx`: the transaction for the insertion. */
  constructor(
    private readonly ctx: DocumentContext,
    private readonly tx: Db,
    private readonly document: NewDocument,
  ) {}

  get folder_ids(): readonly [string] {
    return [this.document.folder_id];
  }

  /** Call it once. `state`: columns that differ from `row` from the start. */
  async write(state: Partial<DocumentRow> = {}): Promise<void> {
    const { ctx, tx } = this;
    const { version, folder_id } = this.document;
    const row = { ...this.document.row, ...state };
    const { id, owner_id, name, size_bytes, created_at, source_kind: kind, status } = row;
    this.is_written = true;
    await store.insertDocument(tx, row);
    await store.insertVersion(tx, { document_id: id, version: row.version, ...version });
    const reserves_name = kind === "upload" ? 1 : 0;
    await linkStore.insertLink(tx, row, { folder_id, reserves_name, created_at });
    await ctx.folders.moveCounters(tx, [
      { folder_id, status, by: 1 },
      { folder_id, counter: "held_documents", by: 1 },
      { folder_id, counter: "held_bytes", by: size_bytes },
    ]);
    await ctx.emit(tx, DocumentCreated, { owner_id, document_id: id, name, folder_id, kind });
    notifyFolders(ctx, row, [folder_id], "created");
  }
}
