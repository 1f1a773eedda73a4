/**
 * What the work under way belongs to: a request, a job, or a job that a request has started. It
 * follows the work through everything that is awaited, into the lines of the log and the jobs that
 * it enqueues.
 */
import { AsyncLocalStorage } from "node:async_hooks";

export interface Origin {
  /** Of the request that it began with. */
  readonly request_id?: string | undefined;
  /** The job that is run, by its id. */
  readonly job?: string | undefined;
  /** Whose job it is: owners take turns. */
  readonly owner?: string | undefined;
  /** The plugin of the plugins directory whose code runs, or has asked for this. */
  readonly plugin?: string | undefined;
}

const nothing: Origin = {};
const current = new AsyncLocalStorage<Origin | undefined>();

/** Empty for what belongs to nobody, such as schedules. */
export const originOf = (): Origin => current.getStore() ?? nothing;

/** Everything that `work` does and begins belongs to `origin`. */
export const withOrigin = <R>(origin: Origin, work: () => R): R => current.run(origin, work);

/**
 * What `work` does and begins belongs to nobody: for what serves all, and is only begun by whoever
 * came first.
 */
export const withoutOrigin = <R>(work: () => R): R => current.exit(work);
