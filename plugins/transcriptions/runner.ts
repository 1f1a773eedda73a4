/**
 * The jobs of a run: fetch the file, read captions or hear the recording, and end with a document
 * in the same transaction.
 */
import {
  HttpError,
  job,
  PermanentFailure,
  t,
  type Db,
  type ExhaustedCause,
  type JobEffect,
  type JobRun,
} from "../../core/sdk";
import { TranscriptionFailure } from "./contract";
import type { Ending } from "./runs";
import { fetchRecording } from "./download";
import type { Hearing } from "./reader";
import { captions_bytes_max, kindOf, sight_bytes } from "./media-types";
import type { TranscriptionParts } from "./parts";
import type { ReadOutput } from "./child/transcript";
import * as store from "./store";
import type { RunRow } from "./store";

const OfRun = t.Object({ run_id: t.String() });
export const FetchRecording = job("transcriptions.fetch", OfRun);
export const ReadCaptions = job("transcriptions.read", OfRun);
export const HearRecording = job("transcriptions.hear", OfRun);
type Payload = { readonly run_id: string };

export const no_transcriber =
  "No transcriber is set up on this server, so only captions (.vtt, .srt) can be transcribed. " +
  "For audio and video, the administrator sets transcription.provider " +
  "(DOSSIER_TRANSCRIPTION_PROVIDER) to openai or command.";
export const unsupported =
  "This is neither a recording nor captions. What can be transcribed: audio and video of the " +
  "usual kinds, WebVTT and SRT.";
const fault =
  "The recording could not be transcribed because of a fault in the server. Please try again.";

/**
 * Work that fails is tried so often. A crash of the server says nothing about the recording, so it
 * may happen more often: `attempts_max`.
 */
const tries_max = 3;
export const attempts_max = 10;
/** Progress is written at most so often. */
const report_every_ms = 500;

export function createRunning(parts: TranscriptionParts, hearing: Hearing, ending: Ending) {
  const { db, inTransaction, now_ms, files, quotas, documents, queue, announce, changed, log } =
    parts;

  /**
   * A step of a run. What is wrong with the recording ends the run; what may pass is tried again.
   */
  const step =
    (work: (run: RunRow, job: JobRun) => Promise<JobEffect | void>) =>
    async ({ run_id }: Payload, job: JobRun): Promise<JobEffect | void> => {
      const run = await store.startRun(db, run_id, now_ms());
      if (!run) return;
      if (!(await parts.isActive(run.owner_id)))
        return async (tx) => void (await ending.cancel(tx, run_id));
      changed(run, "changed");
      try {
        return await work(run, job);
      } catch (error) {
        if (job.signal.aborted) throw error;
        const last = job.attempt >= tries_max;
        if (error instanceof TranscriptionFailure && (!error.again || last))
          return (tx) => ending.fail(tx, run_id, error.code, error.message);
        if (isRefusal(error)) return (tx) => ending.fail(tx, run_id, error.code, error.detail);
        if (error instanceof TranscriptionFailure || error instanceof HttpError) throw error;
        log.warn("a transcription failed", {
          run_id,
          error: error instanceof Error ? error.message : String(error),
        });
        throw last ? new PermanentFailure(fault) : new Error(fault);
      }
    };

  /**
   * The file is kept, and the run says so, before the job ends: an attempt after a crash goes on
   * from there.
   */
  async function fetchStep(run: RunRow, job: JobRun): Promise<JobEffect> {
    if (run.sha256 === null) await fetchInto(run, job);
    const fetched = await store.findRun(db, run.id);
    return async (tx) => {
      if (fetched) await queue(tx, fetched);
    };
  }
  async function fetchInto({ id, owner_id, url }: RunRow, { signal }: JobRun): Promise<void> {
    const received = await fetchRecording(url!, {
      ...parts,
      bytes_max: documents.upload_bytes_max,
      signal,
    });
    const { sha256, size_bytes } = received;
    try {
      const kind = kindOf(await Bun.file(received.path).slice(0, sight_bytes).bytes());
      if (!kind) throw new TranscriptionFailure("unsupported_type", unsupported);
      if (kind.kind === "recording" && !parts.transcriber())
        throw new TranscriptionFailure("no_transcriber", no_transcriber);
      await received.keep();
      await inTransaction(async (tx) => {
        if (await store.setFile(tx, id, { ...kind, sha256, size_bytes }))
          await quotas.charge(tx, owner_id, "storage", size_bytes);
      });
    } finally {
      // Unless the run has it now.
      documents.removeFiles([sha256]);
      await received.release();
    }
  }

  async function readStep(run: RunRow, { signal }: JobRun): Promise<JobEffect> {
    if (run.size_bytes > captions_bytes_max)
      throw new TranscriptionFailure(
        "too_large",
        `Captions may have at most ${captions_bytes_max / 2 ** 20} MiB.`,
      );
    const read = await hearing.read(files.path(run.sha256!), null, signal);
    return (tx) => complete(tx, run, read);
  }

  /**
   * What was heard is kept before the run ends: a crash after hours of work costs no second
   * hearing.
   */
  async function hearStep(run: RunRow, job: JobRun): Promise<JobEffect> {
    const kept = await store.findResult(db, run.id);
    if (kept !== undefined) return (tx) => complete(tx, run, JSON.parse(kept) as ReadOutput);
    const transcriber = parts.transcriber();
    if (!transcriber) throw new TranscriptionFailure("no_transcriber", no_transcriber);
    const path = files.path(run.sha256!);
    const { duration_s, has_video } = await hearing.probe(path, job.signal);
    const media_type =
      has_video === false
        ? run.media_type!.replace(/^video\/(mp4|webm|ogg)$/, "audio/$1")
        : run.media_type!;
    await store.setDuration(db, run.id, { duration_s, media_type });
    const read = await hearing.hear(
      transcriber,
      { path, size_bytes: run.size_bytes, media_type, duration_s },
      job.signal,
      reporting(run.id),
    );
    await inTransaction(async (tx) => {
      if (await store.setProgress(tx, run.id, 1))
        await store.insertResult(tx, run.id, JSON.stringify(read));
    });
    return (tx) => complete(tx, { ...run, media_type }, read);
  }

  function reporting(run_id: string): (progress: number) => void {
    let reported_at = 0,
      highest = 0;
    return (progress) => {
      if (!(progress > highest) || now_ms() - reported_at < report_every_ms) return;
      highest = Math.min(progress, 1);
      reported_at = now_ms();
      store
        .setProgress(db, run_id, highest)
        .then((run) => run && changed(run, "changed"))
        .catch((error: unknown) =>
          log.warn("progress was not written", { run_id, error: String(error) }),
        );
    };
  }

  /** Document, result, status and event in one transaction: all of it, or nothing. */
  async function complete(
    tx: Db,
    run: RunRow,
    { text, times, ...transcript }: ReadOutput,
  ): Promise<void> {
    const { segments: _segments, language, duration_s } = transcript;
    const before = await store.endRun(tx, run.id, {
      status: "completed",
      finished_at: now_ms(),
      progress: 1,
      language,
      duration_s,
    });
    if (!before) return;
    await ending.letGo(tx, before);
    const { document_id } = await documents
      .intake(tx, run.owner_id, {
        folder_id: run.folder_id,
        name: run.name ?? "",
        origin: { kind: "transcription", uri: run.url, run_id: run.id },
        file: { sha256: run.sha256!, size_bytes: run.size_bytes },
        declared_type: run.media_type,
        text: { content: text, media_type: run.media_type!, times },
      })
      .catch((error: unknown) => {
        throw isRefusal(error) ? new PermanentFailure(error.detail) : error;
      });
    await store.setDocument(tx, run.id, document_id);
    await store.insertResult(tx, run.id, JSON.stringify(transcript));
    await announce(tx, run);
    changed(run, "changed");
  }

  return {
    fetch: step(fetchStep),
    read: step(readStep),
    hear: step(hearStep),
    /**
     * The last attempt has failed, or crashed. The queue gives its own reasons in a few words;
     * everything from here is a sentence already.
     */
    onExhausted: (
      tx: Db,
      { run_id }: Payload,
      reason: string,
      cause: ExhaustedCause,
    ): Promise<void> =>
      ending.fail(
        tx,
        run_id,
        cause === "timeout" ? "timeout" : "failed",
        /[.!?)]$/.test(reason) ? reason : `The recording could not be transcribed: ${reason}.`,
      ),
  };
}

/** A quota that is reached, a folder that is gone: no attempt changes that. */
const isRefusal = (error: unknown): error is HttpError =>
  error instanceof HttpError && error.status < 500;
