/**
 * What the end of indexing changes, in the transaction of its job: the switch to the version that
 * was indexed, or the failure of that version.
 */
import type { Db, ExhaustedCause, PayloadOf } from "../../../core/sdk";
import { DocumentFailed, DocumentSynced } from "../../events/contract";
import type { Extracted, ExtractionCode } from "../../extraction/contract";
import type { IndexInput, Prepared } from "../../search-index/contract";
import type { NewText } from "../../texts/contract";
import { dropOtherVersions, moveStatus, type DocumentContext } from "../context";
import { DocumentSettled } from "../contract";
import type { Insertion } from "../creation/new-versions";
import * as linkStore from "../links/link-store";
import * as store from "../store";
import type { SpansWithJson } from "../store";
import * as textStore from "../texts/text-store";
import type { PendingVersion } from "../texts/text-store";

/** The version that a job indexes. */
export interface VersionToIndex {
  readonly document_id: string;
  readonly version: number;
}

/** The text of a version, with its properties. */
export interface Text
  extends
    SpansWithJson,
    Pick<Extracted, "warnings" | "page_count" | "media_type">,
    Pick<IndexInput, "text" | "stored"> {
  /** Set when it was extracted just now: the version doesn't refer to it yet. */
  readonly extracted?: NewText;
}
/** What the job has made of a version. */
export interface Indexed {
  readonly work: PendingVersion;
  readonly text: Omit<Text, "text">;
  readonly prepared: Prepared;
  readonly attempt: number;
}

/**
 * The switch: text, index, status and counters change together, and the previous version is
 * deleted.
 */
export async function publish(ctx: DocumentContext, tx: Db, indexed: Indexed): Promise<void> {
  const { work, text, prepared } = indexed;
  const { id, owner_id, version } = work;
  const { media_type } = text;
  const result = foundBy(indexed, ctx.now_ms());
  const synced = await store.setSynced(tx, id, version, result);
  if (!synced) {
    ctx.afterCommit(() => {
      text.extracted?.discard();
      ctx.index.discard(prepared);
    });
    return;
  }
  if (text.extracted) {
    await text.extracted.keep(tx);
    const values = { media_type, stored: text.extracted.stored, spans: text };
    await ctx.texts.drop(tx, await textStore.setExtracted(tx, id, version, values));
  }
  // The content may have a type other than the declared one.
  if (media_type !== work.media_type)
    await linkStore.setLinkContent(tx, id, { ...work, media_type });
  const folder_ids = await linkStore.foldersOf(tx, id);
  await ctx.index.publish(tx, prepared, folder_ids);
  if (version > 1) {
    await dropOtherVersions(ctx, tx, id, [version]);
    ctx.afterCommit(ctx.truncateWal);
  }
  if (synced.name !== work.name) await ctx.enqueueRetitling(tx, work);
  const settled = { owner_id, document_id: id, version, status: "synced" } as const;
  await settle(ctx, tx, settled, { folder_ids, updated_at: result.synced_at });
}

/** The same for a document that is inserted together with its index: no row of it exists yet. */
export async function publishNew(
  ctx: DocumentContext,
  tx: Db,
  indexed: Indexed,
  insertion: Insertion,
): Promise<void> {
  const { id, owner_id, version } = indexed.work;
  const { folder_ids } = insertion;
  await insertion.write(store.syncedState(version, foundBy(indexed, ctx.now_ms())));
  await ctx.index.publishFirst(tx, indexed.prepared, folder_ids);
  await emitSettled(ctx, tx, { owner_id, document_id: id, version, status: "synced" }, folder_ids);
}

const foundBy = ({ text, prepared, attempt }: Indexed, synced_at: number) => ({
  attempts: attempt,
  media_type: text.media_type,
  page_count: text.page_count,
  language: prepared.language,
  warnings: JSON.stringify(text.warnings),
  synced_at,
});

/** Marks the version as failed. The current text stays. */
export async function fail(
  ctx: DocumentContext,
  tx: Db,
  { document_id, version }: VersionToIndex,
  error: { readonly code: ExtractionCode; readonly message: string },
  attempt?: number,
): Promise<void> {
  const updated_at = ctx.now_ms();
  const failed = await store.setFailed(tx, document_id, version, {
    error_code: error.code,
    error_message: error.message,
    updated_at,
    ...(attempt === undefined ? {} : { attempts: attempt }),
  });
  if (!failed) return;
  const { owner_id } = failed;
  const folder_ids = await linkStore.foldersOf(tx, document_id);
  const settled = { owner_id, document_id, version, status: "sync_failed", error } as const;
  await settle(ctx, tx, settled, { folder_ids, updated_at });
}

/** Indexing has ended: updates links and counters, and tells others. */
async function settle(
  ctx: DocumentContext,
  tx: Db,
  settled: PayloadOf<typeof DocumentSettled>,
  {
    folder_ids,
    updated_at,
  }: { readonly folder_ids: readonly string[]; readonly updated_at: number },
): Promise<void> {
  const { document_id: id, owner_id, status } = settled;
  const document = { id, owner_id, updated_at };
  await moveStatus(ctx, tx, document, folder_ids, { from: "syncing", to: status });
  await emitSettled(ctx, tx, settled, folder_ids);
}

/** Tells other plugins, and emits the events. */
async function emitSettled(
  ctx: DocumentContext,
  tx: Db,
  settled: PayloadOf<typeof DocumentSettled>,
  folder_ids: readonly string[],
): Promise<void> {
  for (const uses of ctx.uses()) await uses.settled?.(tx, settled);
  await ctx.emit(tx, DocumentSettled, settled);
  const { document_id: id, owner_id, status, version, error } = settled;
  const of = { owner_id, document_id: id, version, folder_ids: [...folder_ids] };
  if (status === "synced") await ctx.emit(tx, DocumentSynced, of);
  else if (error) await ctx.emit(tx, DocumentFailed, { ...of, error });
}

/** The last attempt of `IndexDocument` has failed, timed out or crashed. */
export const indexingExhausted = (
  ctx: DocumentContext,
  tx: Db,
  which: VersionToIndex,
  cause: ExhaustedCause,
): Promise<void> => fail(ctx, tx, which, exhausted[cause]);

const tried_in_vain = {
  code: "extract_failed",
  message: "The file could not be read after several attempts.",
} as const;
const exhausted = {
  timeout: { code: "timeout", message: "Reading the file took too long." },
  dropped: {
    code: "cancelled",
    message: "Reading the file was cancelled by an administrator.",
  },
  crash: tried_in_vain,
  error: tried_in_vain,
} as const satisfies Record<ExhaustedCause, unknown>;
