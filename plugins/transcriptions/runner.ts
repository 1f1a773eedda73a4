/**
 * The steps of a run, each a job: download the file, then read captions or transcribe the
 * recording, and finally create the document in the transaction that ends the job.
 */
import { messageOf } from "../../core/lib/error-message";
import {
  HttpError,
  PermanentFailure,
  type Context,
  type Db,
  type ExhaustedCause,
  type JobEffect,
  type JobRun,
  Nullable,
  t,
} from "../../core/sdk";
import type { Accounts } from "../accounts/contract";
import type { Admitted, Documents, NewIntake } from "../documents/contract";
import type { Quotas } from "../quotas/contract";
import { WebhookDue } from "../webhooks/contract";
import { TranscriptionFailure, type Recording, type Transcriber } from "./contract";
import { downloadRecording, type DownloadContext } from "./download";
import { captions_bytes_max, kindOfFile, noTranscriber } from "./media-types";
import type { ReadTranscript } from "./read-transcript";
import { written_bytes_max, type OnSegments, type TranscriptReader } from "./reader";
import type { TranscriptionRuns } from "./runs";
import * as store from "./store";
import type { RunRow } from "./store";
import { savedTranscript } from "./stored-transcript";

/** What the steps need besides `Context`. */
export interface RunnerContext
  extends
    Pick<Context, "db" | "emit" | "files" | "inTransaction" | "log" | "now_ms">,
    Pick<DownloadContext, "lookup" | "allows"> {
  readonly accounts: Accounts;
  readonly documents: Documents;
  readonly quotas: Quotas;
  readonly runs: TranscriptionRuns;
  readonly reader: TranscriptReader;
  /** The current transcriber; undefined if there is none. */
  readonly transcriber: () => Transcriber | undefined;
  readonly enqueueNext: (tx: Db, run: RunRow) => Promise<void>;
  /** The language of recordings according to the settings. */
  readonly language: () => string | null;
  /** Time limit for transcribing one recording. */
  readonly timeout_ms: () => number;
}
type Payload = { readonly run_id: string };
interface Transcribing {
  readonly transcriber: Transcriber;
  readonly recording: Omit<Recording, "language">;
  /** The signal of the job. */
  readonly job: AbortSignal;
  readonly onSegments: OnSegments;
}

const fault =
  "The recording could not be transcribed because of a problem on the server. Try again.";
/** Progress is written at most this often. */
const progress_interval_ms = 500;

/** The body of the event `transcription.completed`. */
export const CompletedEvent = t.Object({
  event: t.Literal("transcription.completed"),
  processing_run_id: t.String({ description: "The id of the transcription." }),
  result_history_id: Nullable(t.String()),
  status: t.Literal("completed"),
});
/** The body of the webhook event. */
export const completedEvent = (run_id: string) => ({
  event: "transcription.completed",
  processing_run_id: run_id,
  result_history_id: null,
  status: "completed",
});

/** Runs the steps. */
export class TranscriptionRunner {
  constructor(private readonly ctx: RunnerContext) {}

  /** Downloads the file of a run and enqueues the next step. */
  fetch(payload: Payload, job: JobRun): Promise<JobEffect | void> {
    return this.step(payload, job, async (run) => {
      const { db, enqueueNext } = this.ctx;
      if (run.sha256 === null) await this.fetchFile(run, job.signal);
      const fetched = await store.findRun(db, run.id);
      return async (tx) => {
        if (fetched) await enqueueNext(tx, fetched);
      };
    });
  }

  /** Creates the document of captions. */
  readCaptions(payload: Payload, job: JobRun): Promise<JobEffect | void> {
    return this.step(payload, job, async (run) => {
      const { files, reader } = this.ctx;
      if (run.size_bytes > captions_bytes_max)
        throw new TranscriptionFailure(
          "too_large",
          `Captions must be at most ${captions_bytes_max / 2 ** 20} MiB.`,
        );
      const read = await files.withLocalFile(run.sha256!, (path) =>
        this.save(run.id, job.signal, (onSegments) =>
          reader.read(path, null, job.signal, onSegments),
        ),
      );
      return this.completion(run, read, job.signal);
    });
  }

  /**
   * Creates the document of a recording. The transcript is saved before the run ends, so that a
   * crash after hours of work does not cost a second transcription.
   */
  transcribe(payload: Payload, job: JobRun): Promise<JobEffect | void> {
    return this.step(payload, job, async (run) => {
      const { db, files } = this.ctx;
      const saved = await savedTranscript(db, run.id);
      if (saved !== undefined) return this.completion(run, saved, job.signal);
      const transcriber = this.ctx.transcriber();
      if (!transcriber) throw noTranscriber();
      const { read, media_type } = await files.withLocalFile(run.sha256!, async (path) => {
        const recording = await this.probe(run, path, job.signal);
        const read = await this.save(run.id, job.signal, (onSegments) =>
          this.transcribeFile(run.id, { transcriber, recording, job: job.signal, onSegments }),
        );
        return { read, media_type: recording.media_type };
      });
      return this.completion({ ...run, media_type }, read, job.signal);
    });
  }

  /** Saves a transcript while it is read, in parts: others come in between. */
  private async save(
    run_id: string,
    signal: AbortSignal,
    read: (onSegments: OnSegments) => Promise<ReadTranscript>,
  ): Promise<ReadTranscript> {
    const write = (what: (tx: Db) => Promise<void>): Promise<void> =>
      this.ctx.inTransaction(async (tx) => {
        signal.throwIfAborted();
        // Otherwise it has ended meanwhile.
        if (await store.setProgress(tx, run_id, 1)) await what(tx);
      });
    let parts = 0;
    const transcript = await read(async (segments) => {
      const part = parts++;
      await write(async (tx) => {
        // What an attempt that was interrupted has saved.
        if (part === 0) await store.deleteSegments(tx, run_id);
        await store.insertSegments(tx, run_id, part, segments);
      });
    });
    await write((tx) => store.insertResult(tx, run_id, transcript));
    return transcript;
  }

  /**
   * The last attempt has failed or crashed. The queue's own reasons are short phrases; those from
   * here are sentences already.
   */
  fail(tx: Db, { run_id }: Payload, reason: string, cause: ExhaustedCause): Promise<void> {
    return this.ctx.runs.fail(
      tx,
      run_id,
      cause === "timeout" ? "timeout" : "failed",
      /[.!?)]$/.test(reason) ? reason : `The recording could not be transcribed: ${reason}.`,
    );
  }

  /** Ends the unfinished runs of a deactivated user. */
  async endAllOf({ user_id }: { readonly user_id: string }): Promise<JobEffect | void> {
    const { accounts, runs } = this.ctx;
    // A user deleted meanwhile is not active either.
    const active = await accounts.findUser(user_id).then(
      (user) => user.active,
      (error: unknown) => {
        if (error instanceof HttpError) return false;
        throw error;
      },
    );
    if (!active) return (tx) => runs.cancelAll(tx, user_id);
  }

  /**
   * Common to all steps: a fault of the recording ends the run, and a temporary error is retried.
   */
  private async step(
    { run_id }: Payload,
    job: JobRun,
    work: (run: RunRow) => Promise<JobEffect>,
  ): Promise<JobEffect | void> {
    const { accounts, db, log, now_ms, runs } = this.ctx;
    const run = await store.startRun(db, run_id, now_ms());
    if (!run) return;
    if (!(await accounts.findUser(run.owner_id)).active)
      return async (tx) => {
        await runs.cancel(tx, run_id);
      };
    await runs.publish(db, run);
    try {
      return await work(run);
    } catch (error) {
      if (job.signal.aborted) throw error;
      if (error instanceof TranscriptionFailure && (!error.retryable || job.last))
        return (tx) => runs.fail(tx, run_id, error.code, error.message);
      if (isRefusal(error)) return (tx) => runs.fail(tx, run_id, error.code, error.detail);
      if (error instanceof TranscriptionFailure || error instanceof HttpError) throw error;
      log.warn("a transcription failed", {
        run_id,
        error: messageOf(error),
      });
      throw new Error(fault);
    }
  }

  /**
   * The file is stored in the run before the job ends, so that an attempt after a crash continues
   * from there.
   */
  private async fetchFile(run: RunRow, signal: AbortSignal): Promise<void> {
    const { id, owner_id, url } = run;
    const { documents, inTransaction, quotas, transcriber } = this.ctx;
    const bytes_max = documents.upload_bytes_max();
    const received = await downloadRecording(url!, { ...this.ctx, bytes_max, signal });
    const { sha256, size_bytes } = received;
    try {
      const kind = await kindOfFile(received.path, transcriber());
      await this.admit(run, kind.media_type, received, signal);
      await received.keep();
      await inTransaction(async (tx) => {
        if (await store.setFile(tx, id, { ...kind, sha256, size_bytes }))
          await quotas.charge(tx, owner_id, "storage", size_bytes);
      });
    } finally {
      // Released unless the run uses it now.
      documents.removeFiles([sha256]);
      await received.release();
    }
  }

  /** Detects type and length of the recording, and stores them in the run. */
  private async probe(
    { id, size_bytes, ...run }: RunRow,
    path: string,
    signal: AbortSignal,
  ): Promise<Omit<Recording, "language">> {
    const { duration_s, has_video } = await this.ctx.reader.probe(path, signal);
    const media_type =
      has_video === false
        ? run.media_type!.replace(/^video\/(mp4|webm|ogg)$/, "audio/$1")
        : run.media_type!;
    await store.setDuration(this.ctx.db, id, { duration_s, media_type });
    return { path, size_bytes, media_type, duration_s };
  }

  /** @throws TranscriptionFailure; after any other error the job is retried. */
  private async transcribeFile(
    run_id: string,
    { transcriber, recording, job, onSegments }: Transcribing,
  ): Promise<ReadTranscript> {
    const { reader } = this.ctx;
    const language = this.ctx.language();
    const timeout_ms = this.ctx.timeout_ms();
    const limit = AbortSignal.timeout(timeout_ms);
    const signal = AbortSignal.any([job, limit]);
    try {
      const written = await transcriber.transcribe(
        { ...recording, language },
        { signal, onProgress: this.progressWriter(run_id) },
      );
      if (Buffer.byteLength(written) > written_bytes_max)
        throw new TranscriptionFailure("too_large", "The transcript is too long.");
      return await reader.readText(written, recording.duration_s, signal, onSegments);
    } catch (error) {
      job.throwIfAborted();
      throw limit.aborted
        ? new TranscriptionFailure(
            "timeout",
            `Transcribing took longer than ${formatDuration(timeout_ms)} and was stopped ` +
              "(transcription.timeout).",
          )
        : error;
    }
  }

  private progressWriter(run_id: string): (progress: number) => void {
    const { db, log, now_ms, runs } = this.ctx;
    let written_at = 0;
    let highest = 0;
    return (progress) => {
      if (!(progress > highest) || Math.abs(now_ms() - written_at) < progress_interval_ms) return;
      highest = Math.min(progress, 1);
      written_at = now_ms();
      store
        .setProgress(db, run_id, highest)
        .then((run) => run && runs.publish(db, run))
        .catch((error: unknown) =>
          log.warn("progress could not be saved", { run_id, error: String(error) }),
        );
    };
  }

  /** Runs the hooks that may refuse the recording or its transcript. */
  private admit(
    { id: run_id, owner_id, folder_id, name, url: uri }: RunRow,
    media_type: string,
    from: NewIntake["from"],
    signal: AbortSignal,
  ): Promise<Admitted> {
    const origin = { kind: "transcription", uri, run_id } as const;
    const intake = { owner_id, folder_id, name: name ?? "", media_type, origin, from };
    return this.ctx.documents.admit(intake, signal);
  }

  private async completion(
    run: RunRow,
    read: ReadTranscript,
    signal: AbortSignal,
  ): Promise<JobEffect> {
    const admitted = await this.admit(run, "text/plain", read.text, signal);
    return (tx) => this.complete(tx, run, read, admitted);
  }

  /** Document, result, status and event in one transaction: all or nothing. */
  private async complete(
    tx: Db,
    run: RunRow,
    { text, times, language, duration_s }: ReadTranscript,
    admitted: Admitted,
  ): Promise<void> {
    const { documents, emit, now_ms, runs } = this.ctx;
    const before = await store.endRun(tx, run.id, {
      status: "completed",
      finished_at: now_ms(),
      progress: 1,
      language,
      duration_s,
    });
    if (!before) return;
    await runs.releaseFile(tx, before);
    const { document_id } = await documents
      .ingest(tx, run.owner_id, {
        folder_id: run.folder_id,
        name: run.name ?? "",
        origin: { kind: "transcription", uri: run.url, run_id: run.id },
        file: { sha256: run.sha256!, size_bytes: run.size_bytes },
        declared_type: run.media_type,
        text: { content: text, media_type: run.media_type!, times },
        admitted,
      })
      .catch((error: unknown) => {
        throw isRefusal(error) ? new PermanentFailure(error.detail) : error;
      });
    await store.setDocument(tx, run.id, document_id);
    const body = completedEvent(run.id);
    await emit(tx, WebhookDue, { owner_id: run.owner_id, event_type: body.event, body });
    await runs.publish(tx, { ...run, status: "completed", progress: 1 });
  }
}

/** An exceeded quota or a deleted folder: retries would not help. */
const isRefusal = (error: unknown): error is HttpError =>
  error instanceof HttpError && error.status < 500;

const formatDuration = (ms: number): string =>
  ms >= 120_000 ? `${Math.round(ms / 60_000)} minutes` : `${ms / 1_000} s`;
