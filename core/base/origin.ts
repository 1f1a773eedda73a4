/**
 * What the current work belongs to: a request, a job, or a job that a request started. The origin
 * follows the work through everything that is awaited, into log lines and enqueued jobs.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** What work belongs to. Each field is absent when it doesn't apply. */
export interface Origin {
  /** The request that it started with. */
  readonly request_id?: string | undefined;
  /** The name under which that request, and the stream that answers it, takes turns. */
  readonly subject?: string | undefined;
  /** The id of the job that is running. */
  readonly job?: string | undefined;
  /** The owner of the job: owners take turns. */
  readonly owner?: string | undefined;
  /** The dropped-in plugin whose code is running, or which asked for this work. */
  readonly plugin?: string | undefined;
}

const no_origin: Origin = {};
const current = new AsyncLocalStorage<Origin | undefined>();

/** Empty for work that belongs to nobody, such as schedules. */
export const originOf = (): Origin => current.getStore() ?? no_origin;

/** Everything that `work` does and starts belongs to `origin`. */
export const withOrigin = <R>(origin: Origin, work: () => R): R => current.run(origin, work);

/**
 * What `work` does and starts belongs to nobody: for shared work that just happens to be started by
 * the first request that needs it.
 */
export const withoutOrigin = <R>(work: () => R): R => current.exit(work);
