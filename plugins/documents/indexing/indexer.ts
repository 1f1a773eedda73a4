/**
 * The job that indexes a version: bytes become text, and text the index that publication.ts
 * publishes.
 */
import type { LongText } from "../../../core/lib/text-pieces";
import type { JobEffect, JobRun } from "../../../core/sdk";
import { ExtractionFailure, type Extracted } from "../../extraction/contract";
import type { NewText } from "../../texts/contract";
import { notifyFolders, type DocumentContext } from "../context";
import type { Insertion } from "../creation/new-versions";
import * as linkStore from "../links/link-store";
import * as store from "../store";
import type { Stage } from "../store";
import * as textStore from "../texts/text-store";
import type { PendingVersion } from "../texts/text-store";
import { fail, publish, publishNew, type Text, type VersionToIndex } from "./publication";

/** The minimum interval between two writes of the progress. */
const report_every_ms = 500;
/** The share of the progress bar for extraction. */
const extraction_share = 0.8;

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
    const { text: content, ...text } = isReady(work)
      ? readyText(work)
      : await extractFile(ctx, work, job);
    ({ extracted } = text);
    const { stored, pages, headings, times } = text;
    const { owner_id, name: title } = work;
    const prepared = await ctx.index.prepare(
      { owner_id, document_id, version, title, text: content, stored, pages, headings, times },
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
  text: work.text.content,
  stored: work.text.stored,
  ...store.fromStoredSpans(work),
  warnings: [],
  page_count: null,
  media_type: work.media_type,
});

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
    times: await store.toStoredTimes(extracted.times),
    text: written.is_written ? null : text,
    stored,
    extracted: written,
  };
}
