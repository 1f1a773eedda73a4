/** The processes that serve one database, and this one among them. */
import { hostname } from "node:os";
import { newId } from "../base/ids";
import { version } from "../base/version";

/** A process that has not been seen for this long is no longer counted. */
export const silent_ms_max = 20_000;

/** `web` answers requests and runs no jobs; `worker` runs jobs and answers only health requests. */
export type Role = "all" | "web" | "worker";

/** A process that serves the database. */
export interface NodeRecord {
  /** New at every start. */
  readonly id: string;
  /** The machine that it runs on. */
  readonly host: string;
  readonly pid: number;
  readonly role: Role;
  readonly version: string;
  /** Epoch milliseconds, by the clock of the database. */
  readonly started_at: number;
  readonly seen_at: number;
}

/** A process that serves the database, or did until recently. */
export interface RecentNode extends NodeRecord {
  /** When others noticed that it was gone without notice; null when nobody has. */
  readonly gone_at: number | null;
}

/** Numbers given to nobody else: from `first` to before `end`. */
export interface LeasedNumbers {
  readonly first: number;
  readonly end: number;
}
/** All numbers of a series are greater than those leased before, and than `least`. */
export type LeaseNumbers = (series: string, least: number) => Promise<LeasedNumbers>;

/** This process, and the others that serve the same database. */
export interface ThisNode {
  readonly id: string;
  readonly role: Role;
  /** Whether there may be others. */
  readonly shared: boolean;
  /** The live processes including this one, in the order of their start. */
  list(): Promise<NodeRecord[]>;
  /** Their ids: unfinished work of any other process is abandoned. */
  alive(): Promise<ReadonlySet<string>>;
  /** Work started before this time belongs to a process that is gone. Epoch milliseconds. */
  goneBefore_ms(): Promise<number>;
  /**
   * Calls `listener` in one of the processes after others have died, with their ids: their
   * unfinished work is abandoned.
   */
  onGone(listener: (ids: readonly string[]) => void): void;
  /** Null where there are no other processes: then numbers are issued from memory. */
  readonly leaseNumbers: LeaseNumbers | null;
}

/** What the server itself does with `ThisNode`, besides what plugins may do. */
export interface Nodes extends ThisNode {
  /**
   * Registers this process. Returns the ids of earlier processes on the same data directory, which
   * are certainly gone.
   */
  start(): Promise<readonly string[]>;
  /** The live processes and those that recently died, in the order of their start. */
  listRecent(): Promise<RecentNode[]>;
  /** Calls `listener` when others have wrongly taken this process for dead. */
  onMistaken(listener: () => void): void;
  /** Unregisters this process. */
  stop(): Promise<void>;
}

/** A process before it is registered. */
export type NewNode = Omit<NodeRecord, "started_at" | "seen_at">;
/** This process, with a new id. */
export const newNode = (role: Role): NewNode => ({
  id: newId("node"),
  host: hostname(),
  pid: process.pid,
  role,
  version,
});

/** The only process on its database: the lock on its data directory keeps others away. */
export class OnlyNode implements Nodes {
  readonly role = "all";
  readonly shared = false;
  readonly leaseNumbers = null;
  private readonly node = newNode("all");
  readonly id = this.node.id;
  private started_at = 0;

  constructor(private readonly now_ms: () => number) {}

  async start(): Promise<readonly string[]> {
    this.started_at = this.now_ms();
    return [];
  }
  async list(): Promise<NodeRecord[]> {
    return [{ ...this.node, started_at: this.started_at, seen_at: this.now_ms() }];
  }
  async listRecent(): Promise<RecentNode[]> {
    return (await this.list()).map((node) => ({ ...node, gone_at: null }));
  }
  async alive(): Promise<ReadonlySet<string>> {
    return new Set([this.id]);
  }
  async goneBefore_ms(): Promise<number> {
    return Number.MAX_SAFE_INTEGER;
  }
  /** There are no others. */
  onGone(): void {}
  onMistaken(): void {}
  async stop(): Promise<void> {}
}
