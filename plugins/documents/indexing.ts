/** The job that makes a version answer: bytes → text → index → `synced`, in one switch. */
import {
  PermanentFailure,
  type Db,
  type ExhaustedCause,
  type JobEffect,
  type JobRun,
  type PayloadOf,
} from "../../core/sdk";
import {
  ExtractionFailure,
  type Extracted,
  type Extraction,
  type ExtractionCode,
} from "../extraction/contract";
import type { Prepared } from "../search-index/contract";
import type { DocumentSettled } from "./contract";
import * as links from "./links";
import { changesIn, type DocumentParts } from "./parts";
import { spansOf, storedSpans } from "./spans";
import * as store from "./store";
import type { InWork, Stage } from "./store";

export interface IndexingParts extends DocumentParts {
  readonly extraction: Extraction;
}
export interface VersionToIndex {
  readonly document_id: string;
  readonly version: number;
}

/**
 * A fault of its own fails the document at the third attempt; the server may end oftener under it,
 * which says nothing about the file.
 */
const tries_max = 3;
export const attempts_max = 8;

/** Progress is written at most so often. */
const report_every_ms = 500;
/** Extraction takes this share of the work, as far as anybody can tell. */
const extraction_share = 0.8;

type Text = Pick<
  Extracted,
  "text" | "pages" | "headings" | "times" | "warnings" | "page_count" | "media_type"
>;

export function createIndexing(parts: IndexingParts) {
  const {
    db,
    afterCommit,
    now_ms,
    truncateWal,
    removeFiles,
    files,
    folders,
    index,
    extraction,
    queueRetitling,
    announceSettled,
    notify,
    log,
  } = parts;

  /**
   * Every change from here on is guarded by the version: a document that was overwritten or deleted
   * meanwhile is left alone.
   */
  async function run(
    { document_id, version }: VersionToIndex,
    job: JobRun,
  ): Promise<JobEffect | void> {
    const work = await store.findInWork(db, document_id, version);
    if (!work) return;
    files.requireRoom();
    try {
      const text = isReady(work) ? readyText(work) : await extractFile(work, job);
      if (text.text.trim() === "")
        throw new ExtractionFailure("empty", "The document holds no text.");
      const prepared = await index.prepare(
        {
          document_id,
          version,
          title: work.name,
          text: text.text,
          pages: text.pages,
          headings: text.headings,
          times: text.times,
        },
        job.signal,
      );
      return (tx) => publish(tx, { work, text, prepared, attempt: job.attempt });
    } catch (error) {
      // A run that was stopped from outside says nothing about the file: the job decides whether it
      // is tried again.
      if (job.signal.aborted) throw error;
      if (!(error instanceof ExtractionFailure))
        throw job.attempt < tries_max
          ? error
          : new PermanentFailure(error instanceof Error ? error.message : String(error));
      return (tx) => fail(tx, { document_id, version }, error.code, error.message, job.attempt);
    }
  }

  async function extractFile(
    { id, owner_id, name, version, media_type, sha256, size_bytes }: InWork,
    job: JobRun,
  ): Promise<Text> {
    let reported_at = now_ms();
    const folder_ids = await links.foldersOf(db, id);
    const report = async (stage: Stage, progress: number): Promise<void> => {
      reported_at = now_ms();
      await store.setProgress(db, id, version, { stage, progress, attempts: job.attempt });
      changesIn(folder_ids, owner_id, id).forEach(notify);
    };
    await report("extracting", 0);
    const extracted = await extraction.extract(
      { path: files.path(sha256), size_bytes, name, declared_type: media_type },
      {
        signal: job.signal,
        onProgress: (progress) => {
          if (now_ms() - reported_at < report_every_ms) return;
          report("extracting", progress * extraction_share).catch((error: unknown) =>
            log.warn("progress was not written", { document_id: id, error: String(error) }),
          );
        },
      },
    );
    if (now_ms() - reported_at >= report_every_ms) await report("chunking", extraction_share);
    return extracted;
  }

  interface Indexed {
    readonly work: InWork;
    readonly text: Text;
    readonly prepared: Prepared;
    readonly attempt: number;
  }

  /** The switch: text, search, status and counters change together, and the old version goes. */
  async function publish(tx: Db, { work, text, prepared, attempt }: Indexed): Promise<void> {
    const { id, owner_id, version } = work;
    const settled = await store.setSynced(tx, id, version, {
      attempts: attempt,
      media_type: text.media_type,
      page_count: text.page_count,
      language: prepared.language,
      warnings: JSON.stringify(text.warnings),
      synced_at: now_ms(),
    });
    if (!settled) return;
    if (!isReady(work))
      await store.setExtracted(tx, id, version, {
        content: text.text,
        ...storedSpans(text),
        media_type: text.media_type,
      });
    const folder_ids = await links.foldersOf(tx, id);
    await index.publish(tx, prepared, folder_ids);
    if (version > 1) {
      removeFiles(await store.dropOtherVersions(tx, id, [version]));
      afterCommit(truncateWal);
    }
    if (settled.name !== work.name) await queueRetitling(tx, work);
    await settle(tx, { owner_id, document_id: id, version, status: "synced" }, folder_ids);
  }

  /** Leaves the text that answered before as it is. */
  async function fail(
    tx: Db,
    { document_id, version }: VersionToIndex,
    code: ExtractionCode,
    message: string,
    attempt?: number,
  ): Promise<void> {
    const failed = await store.setFailed(tx, document_id, version, {
      error_code: code,
      error_message: message,
      updated_at: now_ms(),
      ...(attempt === undefined ? {} : { attempts: attempt }),
    });
    if (failed)
      await settle(
        tx,
        {
          owner_id: failed.owner_id,
          document_id,
          version,
          status: "sync_failed",
          error: { code, message },
        },
        await links.foldersOf(tx, document_id),
      );
  }

  async function settle(
    tx: Db,
    settled: PayloadOf<typeof DocumentSettled>,
    folder_ids: readonly string[],
  ): Promise<void> {
    await folders.count(
      tx,
      folder_ids.flatMap((folder_id) => [
        { folder_id, status: "syncing", by: -1 },
        { folder_id, status: settled.status, by: 1 },
      ]),
    );
    await announceSettled(tx, settled);
    changesIn(folder_ids, settled.owner_id, settled.document_id).forEach(notify);
  }

  return {
    run,
    /** The last attempt has failed, or crashed. */
    onExhausted: (
      tx: Db,
      which: VersionToIndex,
      _reason: string,
      cause: ExhaustedCause,
    ): Promise<void> =>
      cause === "timeout"
        ? fail(tx, which, "timeout", "Reading the file took too long.")
        : fail(
            tx,
            which,
            "extract_failed",
            "The file could not be read, although it was tried several times.",
          ),
  };
}

const isReady = ({ in_files, text_ready }: InWork): boolean => in_files === 0 || text_ready === 1;
/** What came as text is its own extraction. */
const readyText = ({ content, media_type, ...work }: InWork): Text => ({
  text: content ?? "",
  ...spansOf(work),
  warnings: [],
  page_count: null,
  media_type,
});
