/**
 * The tasks for child processes: everything that reads content from strangers; and how a source
 * runs them, with failures in words.
 */
import { lazyTask, TaskFailure, type Context, type Isolate } from "../../../core/sdk";
import { SourceFailure, type SourceTools } from "../contract";

/** The tasks by name; each loads its code when it first runs. */
export const tasks = {
  feed: lazyTask(async () => (await import("./entry-writer")).writeFeed),
  page: lazyTask(async () => (await import("./page")).readPage),
  sitemap: lazyTask(async () => (await import("./entry-writer")).writeSitemap),
  unzip: lazyTask(async () => (await import("./zip")).unzip),
  zip: lazyTask(async () => (await import("./entry-writer")).writeZip),
};

/** What a source needs to run a task. */
export interface ChildContext extends Pick<Context, "newId"> {
  readonly isolate: Isolate<typeof tasks>;
}
/** The limits of a task. */
export interface TaskLimits {
  readonly timeout_ms: number;
  readonly memory_max_bytes: number;
  readonly signal: AbortSignal;
}
const timeout_ms = 60_000;
const memory_max_bytes = 600 * 2 ** 20;

/** @throws SourceFailure, and the reason of the signal when it fires. */
export async function readInChild<R>(
  { signal }: Pick<SourceTools, "signal">,
  noun: string,
  read: (limits: TaskLimits) => Promise<R>,
): Promise<R> {
  try {
    return await read({ timeout_ms, memory_max_bytes, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof TaskFailure)) throw error;
    if (error.reason === "timeout")
      throw new SourceFailure(
        `Reading ${noun} took longer than ${timeout_ms / 1_000} s and was stopped.`,
      );
    if (error.reason === "memory")
      throw new SourceFailure(
        `Reading ${noun} took more than ${memory_max_bytes / 2 ** 20} MiB of memory ` +
          "and was stopped.",
      );
    if (error.code === "unfit") throw new SourceFailure(error.message);
    // It would crash again: the author of the list or archive may have intended it.
    if (error.reason === "crashed")
      throw new SourceFailure(`Reading ${noun} ended unexpectedly: it may be damaged.`);
    throw error;
  }
}
