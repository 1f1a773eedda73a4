/**
 * Runs tasks in killable child processes of the same executable: a few at a time, with owners
 * taking turns, each within limits of time and memory. Long runs are paused while others wait.
 */
import { availableParallelism } from "node:os";
import type { Log } from "../base/log";
import { originOf } from "../base/origin";
import { Limiter } from "../lib/limiter";
import { ChildProcess } from "./child-process";
import { TaskFailure, type IsolateOptions } from "./contract";
import { poll_ms, residentBytes } from "./memory";
import { PausableRun } from "./pausable-run";
import type { Request } from "./protocol";
import { ProcessClock } from "./run-clock";

/**
 * A child that has grown to this size is not reused: what one file needed must not count against
 * the next.
 */
const warm_bytes_max = 256 * 1024 * 1024;

/**
 * Runs a plugin's task in a child, for the owner of the calling job. Its limits count from when it
 * leaves the queue. @throws TaskFailure
 */
export type IsolatedRun = (
  plugin: string,
  task: string,
  input: unknown,
  options: IsolateOptions<any>,
) => Promise<unknown>;

/** How many children there are, and how long each is kept. */
export interface ChildPoolOptions {
  /** The command that starts this program again so that it calls `runChild`. */
  readonly command: readonly string[];
  readonly log: Log;
  /**
   * The number of children at a time; further runs wait. Default: half of the processors, at least
   * two.
   */
  readonly children_max?: number;
  /**
   * A run that takes longer than this allows another one to start beside it, so that two bad files
   * don't delay the good ones behind them. Default 50 ms.
   */
  readonly patience_ms?: number;
  /** Children beyond `children_max` for that purpose, one fewer for a single owner. Default 2. */
  readonly overflow_max?: number;
  /**
   * How long a run that may be paused goes on while an owner without any waits. Default 500 ms.
   */
  readonly slice_ms?: number;
  /** Paused children beside those that run: each keeps its memory. Default 3. */
  readonly paused_max?: number;
  /** The number of runs after which a child is replaced. Default 50. */
  readonly runs_max?: number;
  /** How long a child is kept warm for the next run. Default 60 s. */
  readonly idle_ms?: number;
}

/** Starts children when they are needed, and keeps some for later runs. */
export class ChildPool {
  private readonly options: Required<ChildPoolOptions>;
  private readonly limiter: Limiter;
  private readonly stopping = new AbortController();
  private readonly children = new Set<ChildProcess>();
  /** Idle children with the timer that ends each. */
  private readonly warm = new Map<ChildProcess, ReturnType<typeof setTimeout>>();
  private readonly warm_max: number;

  constructor(options: ChildPoolOptions) {
    this.options = {
      children_max: Math.max(2, Math.floor(availableParallelism() / 2)),
      patience_ms: 50,
      overflow_max: 2,
      slice_ms: 500,
      paused_max: 3,
      runs_max: 50,
      idle_ms: 60_000,
      ...options,
    };
    const { children_max: concurrency, overflow_max } = this.options;
    const { patience_ms, slice_ms, paused_max } = this.options;
    this.warm_max = concurrency + overflow_max;
    this.limiter = new Limiter({
      concurrency,
      patience_ms,
      overflow_max,
      slice_ms,
      paused_max,
      takes_turns: true,
      // However long the files of one owner take, a child is left for the next owner.
      per_key: concurrency + Math.max(0, overflow_max - 1),
    });
  }

  /** An arrow function, so that it can be passed on without its pool. */
  readonly run: IsolatedRun = async (plugin, task, input, options) => {
    const signal = AbortSignal.any(
      options.signal ? [options.signal, this.stopping.signal] : [this.stopping.signal],
    );
    const turns = options.may_pause ? new PausableRun() : undefined;
    const entered = this.limiter.enter({ key: originOf().owner ?? "", signal, pausable: turns });
    if (this.limiter.saturated && this.warm.size === 0) this.startAhead();
    const leave = await entered.catch(() => {
      throw aborted();
    });
    try {
      return await this.attempt({ plugin, task, input }, { ...options, signal }, turns);
    } finally {
      leave();
    }
  };

  /**
   * Kills every child and resolves when they are gone. Running, waiting and later runs fail as
   * `aborted`.
   */
  async stop(): Promise<void> {
    this.stopping.abort();
    for (const child of this.warm.keys()) {
      this.unwarm(child);
      child.kill();
    }
    await Promise.all([...this.children].map((child) => child.ended));
  }

  private async attempt(
    request: Request,
    options: IsolateOptions<any>,
    turns: PausableRun | undefined,
  ): Promise<unknown> {
    const child = this.acquire();
    const was_used = child.runs > 0;
    let has_messages = false;
    try {
      const onMessage: typeof options.onMessage = (message, clock) => {
        has_messages = true;
        options.onMessage?.(message, clock);
      };
      return await runWithin(child, request, { ...options, onMessage }, turns);
    } catch (error) {
      if (!(error instanceof TaskFailure) || error.reason !== "crashed") throw error;
      this.options.log.warn("the process of a task ended unexpectedly", {
        task: `${request.plugin}.${request.task}`,
        error: error.message,
        printed: child.stderr_tail,
      });
      // A used child may have died before this run began; a new one can't have.
      if (was_used && !has_messages) return await this.attempt(request, options, turns);
      throw error;
    } finally {
      await this.release(child);
    }
  }

  /** The most recently used idle child, or a new one. */
  private acquire(): ChildProcess {
    // It may have died unnoticed.
    const child = [...this.warm.keys()].findLast((idle) => idle.alive) ?? this.start();
    this.unwarm(child);
    return child;
  }

  private async release(child: ChildProcess): Promise<void> {
    const { runs_max } = this.options;
    const bytes = (await residentBytes(child.pid)) ?? 0;
    if (this.stopping.signal.aborted) return child.kill();
    const usable = child.alive && child.runs < runs_max && bytes <= warm_bytes_max;
    if (usable && this.warm.size < this.warm_max) return this.keepWarm(child);
    child.kill();
    void child.ended.then(() => this.startAhead());
  }

  private start(): ChildProcess {
    const child = new ChildProcess(this.options.command);
    this.children.add(child);
    void child.ended.then(() => {
      this.children.delete(child);
      this.unwarm(child);
    });
    return child;
  }

  /**
   * Starts a child ahead of the run that will need it: a run beyond `children_max` keeps its child,
   * and a killed run takes its child with it.
   */
  private startAhead(): void {
    if (this.children.size >= this.warm_max || this.stopping.signal.aborted) return;
    try {
      this.keepWarm(this.start());
    } catch {
      // The run that needs it tries again and reports the error.
    }
  }

  private keepWarm(child: ChildProcess): void {
    const idle_timer = setTimeout(() => {
      this.unwarm(child);
      child.kill();
    }, this.options.idle_ms);
    idle_timer.unref();
    this.warm.set(child, idle_timer);
  }

  private unwarm(child: ChildProcess): void {
    clearTimeout(this.warm.get(child));
    this.warm.delete(child);
  }
}

/** One run in one child; a limit that stops the run kills the child. */
async function runWithin(
  child: ChildProcess,
  request: Request,
  { timeout_ms, memory_max_bytes, onMessage, signal }: IsolateOptions<any>,
  turns: PausableRun | undefined,
): Promise<unknown> {
  let stopped: Error | undefined;
  let has_ended = false;
  const stop = (reason: Error): void => {
    // A memory check that is still in progress must not kill the child during its next run.
    if (has_ended) return;
    stopped ??= reason;
    child.kill();
  };
  const onAbort = (): void => stop(aborted());
  if (signal?.aborted) throw aborted();
  signal?.addEventListener("abort", onAbort);
  const clock = new ProcessClock(child.pid);
  turns?.begin(child, clock);
  const stopTimer = clock.after(timeout_ms, () => stop(tookTooLong(timeout_ms)));
  const poll = setInterval(async () => {
    if (((await residentBytes(child.pid)) ?? 0) > memory_max_bytes)
      stop(neededTooMuch(memory_max_bytes));
  }, poll_ms);
  try {
    return await child.run(request, (message) => {
      try {
        onMessage?.(message, clock);
      } catch (error) {
        stop(error instanceof Error ? error : new Error(String(error)));
      }
    });
  } catch (error) {
    throw stopped ?? error;
  } finally {
    has_ended = true;
    turns?.end();
    stopTimer();
    clearInterval(poll);
    signal?.removeEventListener("abort", onAbort);
  }
}

const aborted = (): TaskFailure => new TaskFailure("aborted", "The task was stopped.");
const tookTooLong = (timeout_ms: number): TaskFailure =>
  new TaskFailure("timeout", `The task took longer than ${timeout_ms / 1000} s and was stopped.`);
const neededTooMuch = (bytes: number): TaskFailure =>
  new TaskFailure(
    "memory",
    `The task needed more than ${Math.round(bytes / 1024 ** 2)} MiB of memory and was stopped.`,
  );
