/**
 * Reads transcripts and recordings in a child process: whatever a person or a transcriber wrote
 * comes out as a transcript in order, and a recording tells its length.
 */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TaskFailure, type Context, type Isolate } from "../../core/sdk";
import type { Probed } from "./child/probe";
import type { tasks } from "./child/tasks";
import type { ReadOutput } from "./child/transcript";
import { TranscriptionFailure, type TranscriptionCode } from "./contract";

/** Names of temporary files begin so. */
export const temporary_prefix = "transcript-";
/** What a transcriber may write, bytes. */
export const written_bytes_max = 32 * 2 ** 20;
const limits = { characters_max: 4 * 2 ** 20, segments_max: 100_000 };
const child_limits = { timeout_ms: 60_000, memory_max_bytes: 800 * 2 ** 20 };
/** Codes that the child's own errors carry. */
const codes_of_child = new Set<string>([
  "empty",
  "too_large",
  "transcriber_failed",
] satisfies TranscriptionCode[]);

export interface TranscriptReaderParts extends Pick<Context, "log" | "newId" | "paths"> {
  readonly isolate: Isolate<typeof tasks>;
}

export class TranscriptReader {
  constructor(private readonly ctx: TranscriptReaderParts) {}

  /**
   * Reads a file of captions, or of whatever a transcriber wrote. `duration_s`: of the recording,
   * where it is known. @throws TranscriptionFailure
   */
  read(path: string, duration_s: number | null, signal: AbortSignal): Promise<ReadOutput> {
    return this.withTemporary(".json", async (output) => {
      try {
        const input = { path, output, duration_s, ...limits };
        await this.ctx.isolate("read", input, { ...child_limits, signal });
        return (await Bun.file(output).json()) as ReadOutput;
      } catch (error) {
        signal.throwIfAborted();
        throw toFailure(error);
      }
    });
  }

  /** The same for text that is not in a file yet. @throws TranscriptionFailure */
  readText(text: string, duration_s: number | null, signal: AbortSignal): Promise<ReadOutput> {
    return this.withTemporary(".txt", async (path) => {
      await writeFile(path, text);
      return this.read(path, duration_s, signal);
    });
  }

  /** Length and kind of a recording. Nulls when the file does not tell: no run fails for it. */
  async probe(path: string, signal: AbortSignal): Promise<Probed> {
    try {
      return await this.ctx.isolate("probe", { path }, { ...child_limits, signal });
    } catch (error) {
      signal.throwIfAborted();
      this.ctx.log.info("the length of a recording is not known", {
        error: error instanceof Error ? error.message : String(error),
      });
      return { duration_s: null, has_video: null };
    }
  }

  private async withTemporary<R>(extension: string, use: (path: string) => Promise<R>): Promise<R> {
    const { newId, paths } = this.ctx;
    const path = join(paths.temporary, `${temporary_prefix}${newId("tmp")}${extension}`);
    try {
      return await use(path);
    } finally {
      await rm(path, { force: true, recursive: true });
    }
  }
}

/** A failure of the child as a sentence for people, where there is one. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof TaskFailure)) return error;
  if (error.reason === "threw" && error.code !== undefined && codes_of_child.has(error.code))
    return new TranscriptionFailure(error.code as TranscriptionCode, error.message);
  if (error.reason === "timeout" || error.reason === "memory")
    return new TranscriptionFailure(
      "too_large",
      "Reading the transcript took too much time or memory and was stopped.",
    );
  return error;
}
