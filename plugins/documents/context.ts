/**
 * The context passed to the functions of this plugin, and the ways in which they report that a
 * document has changed.
 */
import type { BegunJob, Change, Context, Db, Hooks, PayloadOf } from "../../core/sdk";
import { DocumentChanged } from "../events/contract";
import type { Extraction } from "../extraction/contract";
import type { Folders } from "../folders/contract";
import type { SearchIndex } from "../search-index/contract";
import type { Quotas } from "../quotas/contract";
import type { Texts } from "../texts/contract";
import type { DocumentIntake, DocumentStatus, DocumentUse } from "./contract";
import type { EarlyIndexing } from "./indexing/early-indexing";
import type { FreshTexts } from "./creation/fresh-texts";
import { setLinkStatus } from "./links/link-store";
import type { DocumentLists } from "./lists/list-store";
import type { Insertion } from "./creation/new-versions";
import * as store from "./store";
import type { DocumentRow } from "./store";

/** What the functions of this plugin need besides `Context`. */
export interface DocumentContext extends Pick<
  Context,
  | "afterCommit"
  | "cancelJobs"
  | "db"
  | "emit"
  | "files"
  | "inDeletion"
  | "inTransaction"
  | "log"
  | "newId"
  | "notify"
  | "now_ms"
  | "certain_now_ms"
  | "reads"
  | "truncateWal"
> {
  readonly config: {
    readonly upload_bytes_max: number;
    /** How long a deleted link can be restored, milliseconds. */
    readonly restore_for: number;
  };
  readonly extraction: Extraction;
  readonly folders: Folders;
  readonly index: SearchIndex;
  readonly quotas: Quotas;
  readonly texts: Texts;
  readonly fresh_texts: FreshTexts;
  readonly early_indexing: EarlyIndexing;
  readonly lists: DocumentLists;
  /** Plugins that keep data about documents. Complete once every plugin is set up. */
  readonly uses: () => readonly DocumentUse[];
  /** The hooks that may refuse a document. */
  readonly before_intake: Hooks<DocumentIntake>;
  /**
   * Enqueues the job that indexes this version: jobs.ts. `is_text`: it certainly needs no
   * extraction.
   */
  readonly enqueueIndexing: (
    tx: Db,
    document: Pick<DocumentRow, "id" | "owner_id" | "version" | "size_bytes">,
    is_text: boolean,
  ) => Promise<void>;
  /**
   * Starts to index a small text before it is stored: jobs.ts. The text is in `fresh_texts`.
   * Undefined when it has to be queued.
   */
  readonly beginIndexing: (
    text: Pick<DocumentRow, "id" | "owner_id" | "version" | "size_bytes">,
  ) => BegunJob<Insertion> | undefined;
  /** Enqueues the job that updates the title in the index: jobs.ts. */
  readonly enqueueRetitling: (
    tx: Db,
    document: Pick<DocumentRow, "id" | "owner_id">,
  ) => Promise<void>;
  /**
   * Deletes these originals if nothing uses them any more, once the surrounding transaction is
   * committed. Returns at once.
   */
  readonly removeFiles: (sha256s: readonly string[]) => void;
  /** The same now, outside a transaction; resolves when they are deleted, and never rejects. */
  readonly deleteFiles: (sha256s: readonly string[]) => Promise<void>;
}

/** Notifies clients that are watching one of these folders that a document has changed. */
export function notifyFolders(
  { notify }: DocumentContext,
  { id, owner_id }: Pick<DocumentRow, "id" | "owner_id">,
  folder_ids: readonly string[],
  action: Change["action"] = "changed",
): void {
  for (const folder_id of folder_ids.length === 0 ? [null] : folder_ids)
    notify({ owner_id, kind: "document", id, folder_id, action });
}

/**
 * A document has another status: updates its links and the counters of its folders, and notifies
 * their watchers.
 */
export async function moveStatus(
  ctx: DocumentContext,
  tx: Db,
  document: Pick<DocumentRow, "id" | "owner_id" | "updated_at">,
  folder_ids: readonly string[],
  { from, to }: { readonly from: DocumentStatus; readonly to: DocumentStatus },
): Promise<void> {
  const { id: document_id, updated_at } = document;
  await setLinkStatus(tx, { document_id, status: to, updated_at });
  await ctx.folders.moveCounters(
    tx,
    folder_ids.flatMap((folder_id) => [
      { folder_id, status: from, by: -1 },
      { folder_id, status: to, by: 1 },
    ]),
  );
  notifyFolders(ctx, document, folder_ids);
}

/** Emits the event for a changed document. `folder_ids`: the folders that contain it. */
export const emitChanged = (
  { emit }: Pick<DocumentContext, "emit">,
  tx: Db,
  { id, owner_id }: Pick<DocumentRow, "id" | "owner_id">,
  change: Pick<PayloadOf<typeof DocumentChanged>, "changed" | "folder_id" | "folder_ids">,
): Promise<void> => emit(tx, DocumentChanged, { owner_id, document_id: id, ...change });

/** Deletes every version but these, with their originals and texts. */
export async function dropOtherVersions(
  { removeFiles, texts }: Pick<DocumentContext, "removeFiles" | "texts">,
  tx: Db,
  document_id: string,
  kept_versions: readonly number[],
): Promise<void> {
  const dropped = await store.dropOtherVersions(tx, document_id, kept_versions);
  removeFiles(dropped.files);
  await texts.drop(tx, dropped.texts);
}
