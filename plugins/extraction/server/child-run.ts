/**
 * Lets a child read a file within the limits that every format has, and fetches the text that it
 * wrote.
 */
import type { ExtractionWatch } from "../contract";
import { createDeadline, explain, withOutput, type ReadingParts } from "./deadline";

export interface ChildLimits {
  readonly memory_max_bytes: number;
  readonly timeout_ms: number;
  /** Of the text, UTF-16 units. */
  readonly characters_max: number;
}
/**
 * Where a child puts the text, as UTF-8: a file that does not exist yet; and how long the text may
 * be, UTF-16 units.
 */
export interface Where {
  readonly output: string;
  readonly characters_max: number;
}
interface Within {
  readonly timeout_ms: number;
  readonly memory_max_bytes: number;
  readonly signal: AbortSignal;
}

/** @throws ExtractionFailure */
export function readInChild<Read>(
  parts: ReadingParts & { readonly limits: ChildLimits },
  watch: ExtractionWatch,
  run: (where: Where, within: Within) => Promise<Read>,
): Promise<Read & { readonly text: string }> {
  return withOutput(parts, async (output) => {
    const { timeout_ms, memory_max_bytes, characters_max } = parts.limits;
    const deadline = createDeadline(watch);
    try {
      const read = await run(
        { output, characters_max },
        { timeout_ms, memory_max_bytes, signal: deadline.signal },
      );
      return { ...read, text: await Bun.file(output).text() };
    } catch (error) {
      watch.signal.throwIfAborted();
      throw explain(error, deadline);
    }
  });
}
