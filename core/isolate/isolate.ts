/**
 * Runs tasks in killable child processes of the same executable: a few at a time, each within a
 * time and a memory limit.
 */
import { availableParallelism } from "node:os";
import type { Log } from "../base/log";
import { TaskFailure, type IsolateOptions } from "./contract";
import { createLine } from "./line";
import { poll_ms, residentBytes } from "./memory";
import { startChild, type ChildProcess } from "./process";
import type { Request } from "./protocol";

/**
 * A child that has swollen to this size is not used again: what one file needed must not count
 * against the next.
 */
const warm_bytes_max = 256 * 1024 * 1024;

/**
 * Runs a plugin's task in a child. Its limits count from when it leaves the line. @throws
 * TaskFailure
 */
export type IsolatedRun = (
  plugin: string,
  task: string,
  input: unknown,
  options: IsolateOptions<any>,
) => Promise<unknown>;

export interface IsolateParts {
  /** The words that start this program once more so that it calls `runChild`. */
  readonly command: readonly string[];
  readonly log: Log;
  /**
   * Children at the same time; further runs wait in line. Default: half of the processors, at least
   * two.
   */
  readonly children_max?: number;
  /**
   * A run that takes longer than this lets another one start beside it, so that two bad files do
   * not hold up the good ones behind them. Default 50 ms.
   */
  readonly patience_ms?: number;
  /** Children beyond `children_max` that may come about so. Default 2. */
  readonly aside_max?: number;
  /** Runs until a child is replaced. Default 50. */
  readonly runs_max?: number;
  /** How long a child is kept warm for the next run. Default 60 s. */
  readonly idle_ms?: number;
}
export interface TaskIsolate {
  readonly run: IsolatedRun;
  /**
   * Kills every child and resolves when they are gone. What runs or waits fails as `aborted`, and
   * so does every later run.
   */
  readonly stop: () => Promise<void>;
}

export function createIsolate(parts: IsolateParts): TaskIsolate {
  const {
    command,
    log,
    children_max = Math.max(2, Math.floor(availableParallelism() / 2)),
    patience_ms = 50,
    aside_max = 2,
    runs_max = 50,
    idle_ms = 60_000,
  } = parts;
  const line = createLine({ inside_max: children_max, patience_ms, aside_max });
  const stopping = new AbortController();
  const children = new Set<ChildProcess>();
  const warm_max = children_max + aside_max;
  const warm = new Map<ChildProcess, ReturnType<typeof setTimeout>>();

  const start = (): ChildProcess => {
    const child = startChild(command);
    children.add(child);
    void child.ended.then(() => {
      children.delete(child);
      letGo(child);
    });
    return child;
  };
  const keepWarm = (child: ChildProcess): void => {
    const cooling = setTimeout(() => {
      letGo(child);
      child.kill();
    }, idle_ms);
    cooling.unref();
    warm.set(child, cooling);
  };
  const letGo = (child: ChildProcess): void => {
    clearTimeout(warm.get(child));
    warm.delete(child);
  };
  /** The one that was used last; it may have died unseen. */
  const take = (): ChildProcess => {
    const child = [...warm.keys()].findLast((one) => one.alive()) ?? start();
    letGo(child);
    return child;
  };
  /**
   * Starts one ahead of the run that will want it: a run that steps aside keeps its child, and one
   * that is killed takes it along.
   */
  const prepare = (): void => {
    if (children.size >= warm_max || stopping.signal.aborted) return;
    try {
      keepWarm(start());
    } catch {
      /* The run that wants it tries again, and says why it can't be. */
    }
  };
  const giveBack = async (child: ChildProcess): Promise<void> => {
    const bytes = (await residentBytes(child.pid)) ?? 0;
    if (stopping.signal.aborted) return child.kill();
    if (child.alive() && warm.size < warm_max && child.runs() < runs_max && bytes <= warm_bytes_max)
      return keepWarm(child);
    child.kill();
    void child.ended.then(prepare);
  };
  const attempt = async (request: Request, options: IsolateOptions<any>): Promise<unknown> => {
    const child = take();
    const used = child.runs() > 0;
    let heard = false;
    try {
      return await runWithin(child, request, {
        ...options,
        onMessage: (message) => {
          heard = true;
          options.onMessage?.(message);
        },
      });
    } catch (error) {
      if (!(error instanceof TaskFailure) || error.reason !== "crashed") throw error;
      log.warn("a task's process ended unexpectedly", {
        task: `${request.plugin}.${request.task}`,
        error: error.message,
        printed: child.printed(),
      });
      if (used && !heard) return await attempt(request, options); // It may have died before this run began; a fresh one can't have.
      throw error;
    } finally {
      await giveBack(child);
    }
  };
  const run: IsolatedRun = async (plugin, task, input, options) => {
    const signal = AbortSignal.any(
      options.signal ? [options.signal, stopping.signal] : [stopping.signal],
    );
    const entered = line.enter(signal);
    if (line.crowded() && warm.size === 0) prepare();
    const leave = await entered;
    try {
      return await attempt({ plugin, task, input }, { ...options, signal });
    } finally {
      leave();
    }
  };
  const stop: TaskIsolate["stop"] = async () => {
    stopping.abort();
    for (const child of warm.keys()) {
      letGo(child);
      child.kill();
    }
    await Promise.all([...children].map((child) => child.ended));
  };
  return { run, stop };
}

/** One run on one child, which is dead afterwards when a limit stopped it. */
async function runWithin(
  child: ChildProcess,
  request: Request,
  { timeout_ms, memory_max_bytes, onMessage, signal }: IsolateOptions<any>,
): Promise<unknown> {
  let stopped: Error | undefined;
  let over = false;
  const stop = (why: Error): void => {
    if (over) return; // A late look at its memory must not kill the child in its next run.
    stopped ??= why;
    child.kill();
  };
  const onAbort = (): void => stop(aborted());
  if (signal?.aborted) throw aborted();
  signal?.addEventListener("abort", onAbort);
  const timer = setTimeout(
    () =>
      stop(
        new TaskFailure(
          "timeout",
          `The task took longer than ${timeout_ms / 1000} s and was stopped.`,
        ),
      ),
    timeout_ms,
  );
  const poll = setInterval(async () => {
    if (((await residentBytes(child.pid)) ?? 0) > memory_max_bytes)
      stop(
        new TaskFailure(
          "memory",
          `The task needed more than ${Math.round(memory_max_bytes / 1024 ** 2)} MiB of memory and was stopped.`,
        ),
      );
  }, poll_ms);
  try {
    return await child.run(request, (message) => {
      try {
        onMessage?.(message);
      } catch (error) {
        stop(error instanceof Error ? error : new Error(String(error)));
      }
    });
  } catch (error) {
    throw stopped ?? error;
  } finally {
    over = true;
    clearTimeout(timer);
    clearInterval(poll);
    signal?.removeEventListener("abort", onAbort);
  }
}

const aborted = (): TaskFailure => new TaskFailure("aborted", "The task was stopped.");
