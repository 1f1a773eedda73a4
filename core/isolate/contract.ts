/**
 * Tasks as plugins see them: work for a killable child process, and the ways in which it may fail.
 */

import type { RunClock } from "./run-clock";

/**
 * Work for a killable child process of the same executable: no database, no network, nothing but
 * its input. Input, messages and output are passed as JSON; pass large ones as files.
 */
export interface Task<I = any, M = any, O = any> {
  /**
   * Runs in the child. `send` reports progress to the parent; messages sent before a kill arrive.
   */
  readonly run: (input: I, send: (message: M) => void) => Promise<O>;
}
/** A task whose code is loaded with its plugin. */
export const task = <I, M, O>(
  run: (input: I, send: (message: M) => void) => Promise<O>,
): Task<I, M, O> => ({ run });
/**
 * A task whose code is loaded only in the child: the server, which never runs it, starts without
 * it.
 */
export const lazyTask = <I, M, O>(
  load: () => Promise<(input: I, send: (message: M) => void) => Promise<O>>,
): Task<I, M, O> => ({ run: async (input, send) => (await load())(input, send) });

/** The limits of one run, and what it reports. */
export interface IsolateOptions<M> {
  /**
   * Does not include time in which the machine gave the child no processor, where that is known.
   */
  readonly timeout_ms: number;
  readonly memory_max_bytes: number;
  /** `clock` is that of the run, for limits on a part of it. */
  readonly onMessage?: (message: M, clock: RunClock) => void;
  readonly signal?: AbortSignal;
  /**
   * The run may be paused for those of other owners, which its limit of time does not include: it
   * holds nothing that others wait for.
   */
  readonly may_pause?: boolean;
}
/**
 * Why a task ended without a result. `reason` distinguishes a limit from a fault of the task
 * itself; `code` is that of the thrown error, if it had one.
 */
export class TaskFailure extends Error {
  override readonly name = "TaskFailure";
  constructor(
    readonly reason: "timeout" | "memory" | "crashed" | "aborted" | "threw",
    message: string,
    readonly code?: string,
  ) {
    super(message);
  }
}
/** Runs one of the plugin's tasks, by name. @throws TaskFailure */
export type Isolate<T> = <K extends keyof T>(
  name: K,
  input: T[K] extends Task<infer I, any, any> ? I : never,
  options: IsolateOptions<T[K] extends Task<any, infer M, any> ? M : never>,
) => Promise<T[K] extends Task<any, any, infer O> ? O : never>;
