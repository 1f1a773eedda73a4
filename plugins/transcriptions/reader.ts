/**
 * Reads transcripts and probes recordings in a child process: whatever a user or a transcriber has
 * written becomes a well-formed transcript.
 */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../core/lib/error-message";
import { decodeLines } from "../../core/lib/json-lines";
import { TaskFailure, type Context, type Isolate } from "../../core/sdk";
import type { Probed } from "./child/probe";
import type { tasks } from "./child/tasks";
import { TranscriptionFailure, type TranscriptionCode } from "./contract";
import { putTogether, type ReadTranscript, type TranscriptHead } from "./read-transcript";
import type { Segment } from "./transcript";

/** Prefix of temporary files. */
export const temporary_prefix = "transcript-";
/** The largest output of a transcriber, bytes. */
export const written_bytes_max = 32 * 2 ** 20;
const limits = { characters_max: 4 * 2 ** 20, segments_max: 100_000 };
const child_limits = { timeout_ms: 60_000, memory_max_bytes: 800 * 2 ** 20 };
/** Codes of the child's own errors. */
const codes_of_child = new Set<string>([
  "empty",
  "too_large",
  "transcriber_failed",
] satisfies TranscriptionCode[]);

/** Takes parts of the segments as they are read. */
export type OnSegments = (segments: readonly Segment[]) => Promise<void>;

/** What the reader needs besides `Context`. */
export interface TranscriptReaderContext extends Pick<Context, "log" | "newId" | "paths"> {
  readonly isolate: Isolate<typeof tasks>;
}

/** Runs the tasks in child processes. */
export class TranscriptReader {
  constructor(private readonly ctx: TranscriptReaderContext) {}

  /**
   * Reads a file of captions, or a transcriber's output. `duration_s`: of the recording, if known.
   * @throws TranscriptionFailure, and what `onSegments` throws
   */
  read(
    path: string,
    duration_s: number | null,
    signal: AbortSignal,
    onSegments: OnSegments = async () => {},
  ): Promise<ReadTranscript> {
    return this.withTemporary(".json", async (output) => {
      try {
        const input = { path, output, duration_s, ...limits };
        await this.ctx.isolate("read", input, { ...child_limits, signal });
        return await readOutput(output, onSegments);
      } catch (error) {
        signal.throwIfAborted();
        throw toFailure(error);
      }
    });
  }

  /** The same for text that is not in a file yet. @throws TranscriptionFailure */
  readText(
    text: string,
    duration_s: number | null,
    signal: AbortSignal,
    onSegments: OnSegments,
  ): Promise<ReadTranscript> {
    return this.withTemporary(".txt", async (path) => {
      await writeFile(path, text);
      return this.read(path, duration_s, signal, onSegments);
    });
  }

  /**
   * Length and type of a recording. Nulls if the file does not contain them: no run fails because
   * of it.
   */
  async probe(path: string, signal: AbortSignal): Promise<Probed> {
    try {
      return await this.ctx.isolate("probe", { path }, { ...child_limits, signal });
    } catch (error) {
      signal.throwIfAborted();
      this.ctx.log.info("the length of a recording is unknown", {
        error: messageOf(error),
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

/** The transcript in the output file of the child. */
async function readOutput(path: string, onSegments: OnSegments): Promise<ReadTranscript> {
  const file = Bun.file(path);
  const lines = decodeLines<unknown>(file.stream());
  const head = (await lines.next()).value as TranscriptHead;
  const parts = passedOn(lines as AsyncIterable<Segment[]>, onSegments);
  return putTogether(head, parts);
}

async function* passedOn(
  parts: AsyncIterable<Segment[]>,
  onSegments: OnSegments,
): AsyncGenerator<Segment[]> {
  for await (const segments of parts) {
    await onSegments(segments);
    yield segments;
  }
}

/** A failure of the child as a sentence for users, if there is one. */
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
