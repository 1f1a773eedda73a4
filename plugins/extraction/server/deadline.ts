/**
 * What every reader in a child has in common: a file for the text, a deadline that may move, and
 * reasons in words for people.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { TaskFailure } from "../../../core/sdk";
import {
  extraction_codes,
  ExtractionFailure,
  type ExtractionCode,
  type ExtractionWatch,
} from "../contract";

/** Texts on their way from a child are files with names that begin so. */
export const output_prefix = "extracted-";

export interface ReadingParts {
  /** Where texts lie on their way from a child to here. */
  readonly temporary: string;
  readonly newId: (prefix: string) => string;
}
/** Runs `read` with the path of a file that does not exist yet and is removed afterwards. */
export async function withOutput<T>(
  { temporary, newId }: ReadingParts,
  read: (output: string) => Promise<T>,
): Promise<T> {
  const output = join(temporary, `${output_prefix}${newId("ext")}`);
  try {
    return await read(output);
  } finally {
    await rm(output, { force: true });
  }
}

export interface Deadline {
  /** Fires when the watch is aborted, or when the time is over. */
  readonly signal: AbortSignal;
  /** Starts the clock anew: this many milliseconds from now. */
  readonly set: (timeout_ms: number) => void;
  /**
   * Stops the clock for something that has a time of its own: this many milliseconds from now,
   * until `resume`.
   */
  readonly hold: (timeout_ms: number) => void;
  readonly resume: () => void;
  readonly clear: () => void;
  /** The time that was over, milliseconds; null while it is not. */
  readonly missed_ms: () => number | null;
}
export function createDeadline(watch: ExtractionWatch): Deadline {
  const over = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let missed_ms: number | null = null;
  /** The time in words for people, and until when it runs on a clock that only goes forward. */
  let [allowed_ms, ends_ms] = [0, 0];
  let held_since_ms: number | null = null;
  const start = (in_ms: number, said_ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      missed_ms = said_ms;
      over.abort();
    }, in_ms);
  };
  return {
    signal: AbortSignal.any([watch.signal, over.signal]),
    set: (timeout_ms) => {
      allowed_ms = timeout_ms;
      ends_ms = performance.now() + timeout_ms;
      start(timeout_ms, timeout_ms);
    },
    hold: (timeout_ms) => {
      held_since_ms ??= performance.now();
      start(timeout_ms, timeout_ms);
    },
    resume: () => {
      if (held_since_ms === null) return;
      ends_ms += performance.now() - held_since_ms;
      held_since_ms = null;
      start(Math.max(0, ends_ms - performance.now()), allowed_ms);
    },
    clear: () => clearTimeout(timer),
    missed_ms: () => missed_ms,
  };
}

const codes: readonly string[] = extraction_codes;

/**
 * The failure in words for the person who uploaded the file; what is worth another attempt stays as
 * it is.
 */
export function explain(error: unknown, deadline: Deadline): unknown {
  if (!(error instanceof TaskFailure)) return error;
  const missed_ms = deadline.missed_ms();
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
