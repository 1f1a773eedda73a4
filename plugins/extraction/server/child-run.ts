/**
 * Runs a reader in a child process, within the limits of a file, and reads the text that it wrote.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { TaskFailure } from "../../../core/sdk";
import type { ReaderInput } from "../child/output";
import type { ExtractionContext } from "../context";
import {
  extraction_codes,
  ExtractionFailure,
  type ExtractionCode,
  type ExtractionOptions,
  type ExtractionSource,
} from "../contract";
import { handOver } from "./written-text";

/** The limits of one run of a child process. */
export interface RunOptions {
  readonly timeout_ms: number;
  readonly memory_max_bytes: number;
  readonly signal: AbortSignal;
}

/**
 * The reader's result, together with the text that it wrote; the text is empty if it is long and
 * was passed on in parts. @throws ExtractionFailure
 */
export function readInChild<Result>(
  ctx: ExtractionContext,
  { path }: ExtractionSource,
  { signal, takeLong }: ExtractionOptions,
  run: (input: ReaderInput, options: RunOptions) => Promise<Result>,
): Promise<Result & { readonly text: string }> {
  const { timeout_ms, memory_max_bytes, characters_max, pages_max } = ctx.limits();
  return withOutputs(ctx, async (newOutput) => {
    const output = newOutput();
    try {
      const input = { path, output, characters_max, pages_max };
      const result = await run(input, { timeout_ms, memory_max_bytes, signal });
      const written = [{ path: output, bytes: Bun.file(output).size }];
      return { ...result, text: await handOver(written, { takeLong }) };
    } catch (error) {
      signal.throwIfAborted();
      throw toExtractionFailure(error);
    }
  });
}

/** Prefix of the files that carry a text from a child to the server. */
export const output_prefix = "extracted-";

/** Calls `use` with paths of files that do not exist yet, and removes them afterwards. */
export async function withOutputs<T>(
  { paths, newId }: Pick<ExtractionContext, "paths" | "newId">,
  use: (newOutput: () => string) => Promise<T>,
): Promise<T> {
  const outputs: string[] = [];
  try {
    return await use(() => {
      const output = join(paths.temporary, `${output_prefix}${newId("ext")}`);
      outputs.push(output);
      return output;
    });
  } finally {
    for (const output of outputs) await rm(output, { force: true });
  }
}

const codes: readonly string[] = extraction_codes;

/**
 * The failure as a sentence for the user. Temporary errors are returned unchanged. `missed_ms` is
 * the exceeded time limit, if known.
 */
export function toExtractionFailure(error: unknown, missed_ms: number | null = null): unknown {
  if (!(error instanceof TaskFailure)) return error;
  if (missed_ms !== null || error.reason === "timeout") {
    return new ExtractionFailure(
      "timeout",
      missed_ms === null
        ? "Reading the file took too long and was stopped."
        : `Reading the file took longer than ${missed_ms / 1000} s and was stopped.`,
    );
  }
  if (error.reason === "memory")
    return new ExtractionFailure(
      "out_of_memory",
      "Reading the file needed too much memory and was stopped.",
    );
  if (error.reason === "threw" && error.code !== undefined && codes.includes(error.code))
    return new ExtractionFailure(error.code as ExtractionCode, error.message);
  return error;
}
