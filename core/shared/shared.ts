/**
 * Limits shared by all processes on one database. Where a single process serves it, they are
 * counted in memory.
 */
import type { Notifier } from "../base/notifier";
import { Limiter, type Semaphore } from "../lib/limiter";
import { LocalOpenLimit, type OpenLimit } from "../lib/open-limit";
import type { Nodes } from "../store/nodes";
import type { SharedState } from "../store/shared-state";
import type { Store } from "../store/store";
import { Presence } from "./presence";
import { SharedLimiter, type SharedLimiterOptions, type SharedLimits } from "./shared-limiter";
import { SharedOpenLimit } from "./shared-open-limit";

/**
 * Creates such limits for plugins. Names are the same in every process and belong to one plugin.
 */
export interface Shared {
  /** Whether several processes may serve the database: then a process's memory is incomplete. */
  readonly is_distributed: boolean;
  /** For any other shared state. */
  readonly state: SharedState;
  /** Limits how many things may be open at the same time per key, across all processes. */
  openLimit(name: string, most: number | (() => number)): OpenLimit;
  /**
   * Limits how many runs may be active at the same time, in total and per key; others wait in a
   * queue.
   */
  limiter(name: string, limits: () => SharedLimits): Semaphore;
}

/** The database, and the processes that serve it. */
export interface SharedOptions {
  readonly store: Pick<Store, "channel" | "state">;
  readonly nodes: Pick<Nodes, "id" | "list" | "onMistaken">;
  readonly notifier: Notifier;
}
/** Limits in memory where a single process serves the database. */
export function sharedOf({ store: { channel, state }, nodes, notifier }: SharedOptions): Shared {
  if (channel === null) return new LocalShared(state);
  const alive = async () => new Set((await nodes.list()).map(({ id }) => id));
  return new DistributedShared({
    state,
    notifier,
    presence: new Presence({
      id: nodes.id,
      alive,
      notifier,
      onMistaken: (listener) => nodes.onMistaken(listener),
    }),
  });
}

/** Counts in the memory of this process. */
export class LocalShared implements Shared {
  readonly is_distributed = false;

  constructor(readonly state: SharedState) {}

  openLimit(_name: string, most: number | (() => number)): OpenLimit {
    return new LocalOpenLimit(most);
  }

  limiter(_name: string, limits: () => SharedLimits): Semaphore {
    return new Limiter(limits);
  }
}

/** Counts in entries that all processes read. */
export class DistributedShared implements Shared {
  readonly is_distributed = true;

  constructor(private readonly options: SharedLimiterOptions) {}

  get state(): SharedState {
    return this.options.state;
  }

  openLimit(name: string, most: number | (() => number)): OpenLimit {
    return new SharedOpenLimit(name, most, this.options);
  }

  limiter(name: string, limits: () => SharedLimits): Semaphore {
    return new SharedLimiter(name, limits, this.options);
  }
}
