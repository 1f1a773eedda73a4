/**
 * The job that makes a version the current one (bytes → text → index → `synced`, switched in one
 * transaction), and the job that updates the title in the index.
 */
import type { LongText } from "../../../core/lib/text-pieces";
import {
  type Db,
  type ExhaustedCause,
  type JobEffect,
  type JobRun,
  type PayloadOf,
} from "../../../core/sdk";
import { ExtractionFailure, type Extracted, type ExtractionCode } from "../../extraction/contract";
import type { IndexInput, Prepared } from "../../search-index/contract";
import type { NewText } from "../../texts/contract";
import { DocumentFailed, DocumentSynced } from "../../events/contract";
import { dropOtherVersions, moveStatus, notifyFolders, type DocumentContext } from "../context";
import { DocumentSettled } from "../contract";
import * as linkStore from "../links/link-store";
import type { Insertion } from "../creation/new-versions";
import { getDocument, requireDocument } from "../queries";
import type { Document } from "../record";
import * as store from "../store";
import type { DocumentRow, Spans, Stage } from "../store";
import * as textStore from "../texts/text-store";
import type { PendingVersion, VersionText } from "../texts/text-store";

interface VersionToIndex {
  readonly document_id: string;
  readonly version: number;
}

/** The minimum interval between two writes of the progress. */
const report_every_ms = 500;
/** The share of the progress bar for extraction. */
const extraction_share = 0.8;

/** The text of a version, with its properties. */
interface Text
  extends Spans, Pick<Extracted, "warnings" | "page_count" | "media_type">, IndexedText {
  /** Set when it was extracted just now: the version doesn't refer to it yet. */
  readonly extracted?: NewText;
}
type IndexedText = Pick<IndexInput, "text" | "stored">;
interface Indexed {
  readonly work: PendingVersion;
  readonly text: Omit<Text, "text">;
  readonly prepared: Prepared;
  readonly attempt: number;
}

/** The state of a document whose newest version waits to be indexed. */
export const queued = {
  status: "syncing",
  stage: "queued",
  progress: 0,
  attempts: 0,
  error_code: null,
  error_message: null,
} as const;

/**
 * Indexes the newest version again; does nothing while it is being indexed. @throws HttpError 403
 * or 404.
 */
export async function reindex(
  ctx: DocumentContext,
  owner_id: string,
  document_id: string,
): Promise<Document> {
  // Read in the transaction: another process may have indexed it by the time that the commit is
  // confirmed.
  return ctx.inTransaction(async (tx) => {
    await requeue(ctx, tx, await requireDocument(tx, owner_id, document_id));
    return getDocument({ ...ctx, db: tx }, owner_id, document_id);
  });
}

/** The same for any document, whoever owns it; does nothing when it is gone. */
export const reindexFound = (ctx: DocumentContext, document_id: string): Promise<void> =>
  ctx.inTransaction(async (tx) => {
    const document = await store.findDocument(tx, document_id);
    if (document) await requeue(ctx, tx, document);
  });

/**
 * Indexes a version again whose indexing has failed, whoever owns it; does nothing when it is gone
 * or was replaced since.
 */
export async function reindexFailed(
  ctx: DocumentContext,
  tx: Db,
  { document_id, version }: VersionToIndex,
): Promise<void> {
  const document = await store.findDocument(tx, document_id);
  if (document?.version === version && document.status === "sync_failed")
    await requeue(ctx, tx, document);
}

async function requeue(ctx: DocumentContext, tx: Db, document: DocumentRow): Promise<void> {
  if (document.status === "syncing") return;
  const updated_at = ctx.now_ms();
  await store.updateDocument(tx, document.id, { ...queued, updated_at });
  const folder_ids = await linkStore.foldersOf(tx, document.id);
  const moved = { ...document, updated_at };
  await moveStatus(ctx, tx, moved, folder_ids, { from: document.status, to: "syncing" });
  await ctx.enqueueIndexing(tx, document, document.source_kind === "text");
}

/**
 * Runs `IndexDocument`. Every change is conditional on the version: a document that was overwritten
 * or deleted meanwhile is left alone.
 */
export async function indexDocument(
  ctx: DocumentContext,
  { document_id, version }: VersionToIndex,
  job: JobRun,
): Promise<JobEffect<Insertion> | void> {
  // Whether it was replaced or deleted meanwhile is checked when it is published.
  const work =
    ctx.fresh_texts.take(document_id, version) ??
    (await textStore.findPendingVersion(ctx.db, document_id, version));
  if (!work) return;
  ctx.files.requireFreeSpace();
  let extracted: NewText | undefined;
  try {
    const { text: words, ...text } = isReady(work)
      ? readyText(work)
      : await extractFile(ctx, work, job);
    ({ extracted } = text);
    const { stored, pages, headings, times } = text;
    const { owner_id, name: title } = work;
    const prepared = await ctx.index.prepare(
      { owner_id, document_id, version, title, text: words, stored, pages, headings, times },
      job.signal,
    );
    if (prepared.is_empty) throw new ExtractionFailure("empty", "The document has no text.");
    const indexed = { work, text, prepared, attempt: job.attempt };
    return (tx, insertion) =>
      insertion ? publishNew(ctx, tx, indexed, insertion) : publish(ctx, tx, indexed);
  } catch (error) {
    extracted?.discard();
    // A run that was aborted from outside says nothing about the file.
    if (job.signal.aborted || !(error instanceof ExtractionFailure)) throw error;
    const { code, message } = error;
    return async (tx, insertion) => {
      await insertion?.write();
      await fail(ctx, tx, { document_id, version }, { code, message }, job.attempt);
    };
  }
}

const isReady = ({ in_files, text_ready }: PendingVersion): boolean =>
  in_files === 0 || text_ready === 1;
/** A document that was sent as text needs no extraction. */
const readyText = (work: PendingVersion): Text => ({
  ...indexedText(work.text),
  ...store.fromStoredSpans(work),
  warnings: [],
  page_count: null,
  media_type: work.media_type,
});
/** The text in the form in which the index takes it. */
const indexedText = ({ content, stored }: VersionText): IndexedText => ({ text: content, stored });

async function extractFile(
  ctx: DocumentContext,
  work: PendingVersion,
  { attempt, signal }: JobRun,
): Promise<Text> {
  const { id, name, version, media_type, sha256, size_bytes } = work;
  const { db, log, now_ms } = ctx;
  const folder_ids = await linkStore.foldersOf(db, id);
  let reported_at = 0;
  const isDue = () => Math.abs(now_ms() - reported_at) >= report_every_ms;
  const report = async (stage: Stage, progress: number): Promise<void> => {
    reported_at = now_ms();
    await store.setProgress(db, id, version, { stage, progress, attempts: attempt });
    notifyFolders(ctx, work, folder_ids);
  };
  await report("extracting", 0);
  const onProgress = (progress: number): void => {
    if (!isDue()) return;
    report("extracting", progress * extraction_share).catch((error: unknown) =>
      log.warn("progress could not be saved", { document_id: id, error: String(error) }),
    );
  };
  const long: NewText[] = [];
  const takeLong = async (text: LongText): Promise<void> => {
    long.push(await ctx.texts.prepareLong(text, signal));
  };
  try {
    const extracted = await ctx.files.withLocalFile(sha256, (path) =>
      ctx.extraction.extract(
        { path, size_bytes, name, declared_type: media_type },
        { signal, onProgress, takeLong },
      ),
    );
    if (isDue()) await report("chunking", extraction_share);
    return await storeExtracted(ctx, extracted, long[0], signal);
  } catch (error) {
    for (const written of long) written.discard();
    throw error;
  }
}

/**
 * Writes a long text ahead of the transaction, if that was not done yet; the version refers to it
 * once it is published.
 */
async function storeExtracted(
  { texts }: DocumentContext,
  { text, ...extracted }: Extracted,
  long: NewText | undefined,
  signal: AbortSignal,
): Promise<Text> {
  const written = long ?? (await texts.prepare(text, signal));
  const { stored } = written;
  signal.addEventListener("abort", () => written.discard(), { once: true });
  return {
    ...extracted,
    text: written.is_written ? null : text,
    stored,
    extracted: written,
  };
}

/**
 * The switch: text, index, status and counters change together, and the previous version is
 * deleted.
 */
async function publish(ctx: DocumentContext, tx: Db, indexed: Indexed): Promise<void> {
  const { work, text, prepared } = indexed;
  const { id, owner_id, version } = work;
  const { media_type } = text;
  const found = foundBy(indexed, ctx.now_ms());
  const synced = await store.setSynced(tx, id, version, found);
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
  await settle(ctx, tx, settled, { folder_ids, updated_at: found.synced_at });
}

/** The same for a document that is inserted together with its index: no row of it exists yet. */
async function publishNew(
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
async function fail(
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

/**
 * Runs `RetitleDocument`: indexes the current text again, without changing its status. It only
 * replaces the index version that existed when the text was read, because the text of a version
 * changes when it is extracted again.
 */
export async function retitleDocument(
  ctx: DocumentContext,
  { document_id }: { readonly document_id: string },
  { signal }: JobRun,
): Promise<JobEffect | void> {
  const { db, index } = ctx;
  // Read before the text: whatever changes the text publishes another index version.
  const replaced = await index.findPublished(db, document_id);
  const before = await textStore.findCurrentText(db, document_id);
  if (!replaced || !before || replaced.title === before.name) return;
  const { owner_id, version, name: title } = before;
  const spans = store.fromStoredSpans(before);
  const prepared = await index.prepare(
    { owner_id, document_id, version, title, ...indexedText(before.text), ...spans },
    signal,
  );
  return async (tx) => {
    const now = await store.findDocument(tx, document_id);
    const published = await index.findPublished(tx, document_id);
    // Renamed again: a job of its own handles that.
    const is_wanted = now?.name === title && published && published.title !== title;
    if (is_wanted && published.index_version === replaced.index_version)
      return index.publish(tx, prepared, await linkStore.foldersOf(tx, document_id));
    ctx.afterCommit(() => index.discard(prepared));
    if (is_wanted) await ctx.enqueueRetitling(tx, { id: document_id, owner_id });
  };
}
