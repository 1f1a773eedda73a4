/** The contract of transcriptions for other plugins; the transcriber is a slot. */
import { OneOf, event, shaped, slot, t } from "../../core/sdk";

/** A recording on disk. */
export interface Recording {
  readonly path: string;
  readonly size_bytes: number;
  /** Detected from the content: `audio/…` or `video/…`. */
  readonly media_type: string;
  /** Null if the file does not say. */
  readonly duration_s: number | null;
  /** The spoken language according to the settings: `en`. */
  readonly language: string | null;
}
/** How a transcriber reports progress, and how it is stopped. */
export interface TranscriptionWatch {
  /**
   * Fires on cancellation, at the time limit and at shutdown: everything that was started must end
   * then.
   */
  readonly signal: AbortSignal;
  /** 0 to 1. */
  readonly onProgress: (progress: number) => void;
}

/** Why a run failed, in the API's `error.code`. */
export type TranscriptionCode =
  | "no_transcriber"
  | "unsupported_type"
  | "too_large"
  | "unreachable"
  | "refused_address"
  | "empty"
  | "timeout"
  | "transcriber_failed"
  | "transcriber_unavailable"
  | "failed";
/**
 * Why there is no transcript, as a sentence for the user. `retryable`: another attempt may succeed.
 */
export class TranscriptionFailure extends Error {
  override readonly name = "TranscriptionFailure";
  constructor(
    readonly code: TranscriptionCode,
    message: string,
    readonly retryable = false,
  ) {
    super(message);
  }
}

/**
 * Speech-to-text. Other plugins add engines by filling the slot; the one with the highest `rank` is
 * used. The configured one has rank 10.
 */
export interface Transcriber {
  readonly name: string;
  readonly rank: number;
  /**
   * The transcript in any of these formats: WebVTT, SRT, JSON in the form of Whisper (`{"segments":
   * [{"start", "end", "text", "speaker"?}], "language"?}`), lines like `[00:01.000 --> 00:02.500]
   * text`, or plain text, which has no times. The format is detected.
   * @throws TranscriptionFailure; after any other error the job is retried.
   */
  transcribe(recording: Recording, watch: TranscriptionWatch): Promise<string>;
}
/** What transcribes recordings; the one of the highest rank is used. */
export const Transcribers = slot<Transcriber>("transcriptions.transcribers", {
  check: shaped<Transcriber>({ name: "text", rank: "number", transcribe: "function" }),
});

/** The state of a run after it has started, progressed or ended. */
export const TranscriptionChanged = event(
  "transcription.changed",
  t.Object({
    owner_id: t.String(),
    transcription_id: t.String(),
    folder_id: t.String(),
    status: OneOf(["pending", "running", "completed", "failed", "cancelled"]),
    /** 0 to 1. */
    progress: t.Number(),
    /** For a failed run. */
    error: t.Union([t.Object({ code: t.String(), message: t.String() }), t.Null()]),
  }),
);
