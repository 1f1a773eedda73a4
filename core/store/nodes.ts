/** The processes that serve one database: which there are, and which of them this is. */
import { hostname } from "node:os";
import { newId } from "../base/ids";
import { version } from "../base/version";

/** Who has not been seen for so long is not counted any more. */
export const silent_ms_max = 20_000;

/** `web` answers requests and runs no jobs; `worker` runs jobs and answers only for its health. */
export type Role = "all" | "web" | "worker";

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

/** One that serves the database, or did so a moment ago. */
export interface KnownNode extends NodeRecord {
  /** When others found that it had gone without a word; null when nobody has. */
  readonly gone_at: number | null;
}

/** Numbers that nobody else is given: from `first` to before `end`. */
export interface LeasedNumbers {
  readonly first: number;
  readonly end: number;
}
/** All of a series are greater than those that were leased of it before, and than `least`. */
export type LeaseNumbers = (series: string, least: number) => Promise<LeasedNumbers>;

/** What is known of this process, and of the others that serve the same database. */
export interface ThisNode {
  readonly id: string;
  readonly role: Role;
  /** There may be others. */
  readonly shared: boolean;
  /** Those that are alive, this one too: those that started first come first. */
  list(): Promise<NodeRecord[]>;
  /** Their ids. What others have begun and not ended is nobody's. */
  alive(): Promise<ReadonlySet<string>>;
  /** Whatever was begun before that time is of a process that is gone. Epoch milliseconds. */
  goneBefore_ms(): Promise<number>;
  /**
   * Calls `listener` in one of the processes, after others have gone without a word: what they have
   * left behind is nobody's. It is given their ids.
   */
  onGone(listener: (ids: readonly string[]) => void): void;
  /** Null where there are no others: whoever gives numbers remembers them. */
  readonly leaseNumbers: LeaseNumbers | null;
}

export interface Nodes extends ThisNode {
  /**
   * Makes itself known. Answers the ids of earlier processes on the same data directory, which are
   * certainly gone.
   */
  start(): Promise<readonly string[]>;
  /** Those that are alive, and those that went without a word lately, by when they started. */
  known(): Promise<KnownNode[]>;
  /** Calls `listener` when others have taken this process for gone, and it is not. */
  onMistaken(listener: () => void): void;
  /** It is gone from now on. */
  stop(): Promise<void>;
}

export type NewNode = Omit<NodeRecord, "started_at" | "seen_at">;
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
  readonly #node = newNode("all");
  readonly id = this.#node.id;
  #started_at = 0;

  constructor(private readonly now_ms: () => number) {}

  async start(): Promise<readonly string[]> {
    this.#started_at = this.now_ms();
    return [];
  }
  async list(): Promise<NodeRecord[]> {
    return [{ ...this.#node, started_at: this.#started_at, seen_at: this.now_ms() }];
  }
  async known(): Promise<KnownNode[]> {
    return (await this.list()).map((one) => ({ ...one, gone_at: null }));
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
