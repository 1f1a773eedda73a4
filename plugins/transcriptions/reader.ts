/**
 * From a recording on disk to a transcript in order: length, engine, and the reading of what the
 * engine wrote, which is done in a child process.
 */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TaskFailure } from "../../core/sdk";
import { TranscriptionFailure, type TranscriptionCode, type Transcriber } from "./contract";
import type { TranscriptionParts } from "./parts";
import type { Probed } from "./child/tasks";
import type { ReadOutput } from "./child/transcript";

/** Names of files on their way begin so. */
export const temporary_prefix = "transcript-";
/** What an engine may write, bytes. */
export const written_bytes_max = 32 * 2 ** 20;
const limits = { characters_max: 4 * 2 ** 20, segments_max: 100_000 };
const child_limits = { timeout_ms: 60_000, memory_max_bytes: 800 * 2 ** 20 };
const no_speech = new Set<string>([
  "empty",
  "too_large",
  "transcriber_failed",
] satisfies TranscriptionCode[]);

export function createHearing({
  isolate,
  newId,
  temporary,
  timeout_ms,
  language,
  log,
}: TranscriptionParts) {
  const inTemporary = async <R>(ending: string, work: (path: string) => Promise<R>): Promise<R> => {
    const path = join(temporary, `${temporary_prefix}${newId("tmp")}${ending}`);
    try {
      return await work(path);
    } finally {
      await rm(path, { force: true, recursive: true });
    }
  };

  /** Captions, or whatever an engine wrote. @throws TranscriptionFailure */
  const read = (
    path: string,
    duration_s: number | null,
    signal: AbortSignal,
  ): Promise<ReadOutput> =>
    inTemporary(".json", async (output) => {
      try {
        await isolate("read", { path, output, duration_s, ...limits }, { ...child_limits, signal });
        return (await Bun.file(output).json()) as ReadOutput;
      } catch (error) {
        signal.throwIfAborted();
        throw explained(error);
      }
    });

  return {
    read,

    /** Nulls when the file does not tell: no run fails for it. */
    async probe(path: string, signal: AbortSignal): Promise<Probed> {
      try {
        return await isolate("probe", { path }, { ...child_limits, signal });
      } catch (error) {
        signal.throwIfAborted();
        log.info("the length of a recording is not known", {
          error: error instanceof Error ? error.message : String(error),
        });
        return { duration_s: null, has_video: null };
      }
    },

    /** @throws TranscriptionFailure; any other error is worth another attempt. */
    async hear(
      transcriber: Transcriber,
      recording: Omit<Parameters<Transcriber["transcribe"]>[0], "language">,
      job: AbortSignal,
      onProgress: (progress: number) => void,
    ): Promise<ReadOutput> {
      const limit = AbortSignal.timeout(timeout_ms),
        signal = AbortSignal.any([job, limit]);
      try {
        const written = await transcriber.transcribe(
          { ...recording, language },
          { signal, onProgress },
        );
        if (Buffer.byteLength(written) > written_bytes_max)
          throw new TranscriptionFailure(
            "too_large",
            "The transcriber wrote more than a transcript can be.",
          );
        return await inTemporary(".txt", async (path) => {
          await writeFile(path, written);
          return read(path, recording.duration_s, signal);
        });
      } catch (error) {
        job.throwIfAborted();
        throw limit.aborted
          ? new TranscriptionFailure(
              "timeout",
              `Transcribing took longer than ${words(timeout_ms)} and was stopped (transcription.timeout).`,
            )
          : error;
      }
    },
  };
}
export type Hearing = ReturnType<typeof createHearing>;

const words = (ms: number): string =>
  ms >= 120_000 ? `${Math.round(ms / 60_000)} minutes` : `${ms / 1_000} s`;

function explained(error: unknown): unknown {
  if (!(error instanceof TaskFailure)) return error;
  if (error.reason === "threw" && error.code !== undefined && no_speech.has(error.code))
    return new TranscriptionFailure(error.code as TranscriptionCode, error.message);
  if (error.reason === "timeout" || error.reason === "memory")
    return new TranscriptionFailure(
      "too_large",
      "Reading the transcript took too much time or memory and was stopped.",
    );
  return error;
}
