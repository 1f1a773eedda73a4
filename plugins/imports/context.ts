/** The context passed to the functions of this plugin. */
import type { Context, Db, Isolate } from "../../core/sdk";
import type { Accounts } from "../accounts/contract";
import type { Documents } from "../documents/contract";
import type { Extraction } from "../extraction/contract";
import type { Folders } from "../folders/contract";
import type { tasks } from "./child/tasks";
import type { ImportSource } from "./contract";
import type { Failure } from "./failures";
import type { Fetcher } from "./fetcher";
import type { RobotsCache } from "./politeness";
import type { RunState } from "./store";

type RunKey = Pick<RunState, "id" | "owner_id">;

/** Where a retry is. */
export interface Reopening {
  readonly run_id: string;
  /** The source is read again afterwards: it failed, or some of its items could not be listed. */
  readonly relists: boolean;
  /** Failed items after this ordinal are to be retried. */
  readonly after: number;
}

/** Why the items of a host of a run fail. */
export interface HostFailure extends Failure {
  readonly run_id: string;
  readonly host: string;
}

/** What the functions of this plugin need besides `Context`. */
export interface ImportContext extends Pick<
  Context,
  | "cancelJobs"
  | "cancelSomeJobs"
  | "certain_now_ms"
  | "db"
  | "emit"
  | "files"
  | "inDeletion"
  | "inTransaction"
  | "newId"
  | "node"
  | "notify"
  | "now_ms"
  | "paths"
  | "sealed"
  | "shared"
  | "truncateWal"
> {
  /** How long finished runs are kept. */
  readonly keep_runs_ms: () => number;
  readonly accounts: Accounts;
  readonly documents: Documents;
  readonly extraction: Extraction;
  readonly folders: Folders;
  readonly isolate: Isolate<typeof tasks>;
  readonly fetcher: Fetcher;
  readonly robots: RobotsCache;
  /** Fires when the server stops. */
  readonly stopping: AbortSignal;
  /** Complete once every plugin is set up. */
  readonly sources: () => readonly ImportSource[];
  /** Enqueues the job that lists the items of a run: jobs.ts. */
  readonly enqueueListing: (tx: Db, run: RunKey) => Promise<void>;
  /** Enqueues the job that imports the items of one host, at `run_at_ms` or now: jobs.ts. */
  readonly enqueueItems: (tx: Db, run: RunKey, host: string, run_at_ms?: number) => Promise<void>;
  /** Enqueues the job that ends what is left of a run: jobs.ts. */
  readonly enqueueClearing: (tx: Db, run: RunKey) => Promise<void>;
  /** Enqueues the job that continues a retry: jobs.ts. */
  readonly enqueueReopening: (tx: Db, run: RunKey, reopening: Reopening) => Promise<void>;
  /** Enqueues the job that fails the remaining items of a host: jobs.ts. */
  readonly enqueueHostFailure: (tx: Db, run: RunKey, failure: HostFailure) => Promise<void>;
  /** Enqueues the job that starts the next run of a schedule, `at` epoch ms: jobs.ts. */
  readonly enqueueTick: (tx: Db, schedule_id: string, at: number) => Promise<void>;
}

/** The source of this type, if a plugin has one. */
export const findSource = ({ sources }: ImportContext, type: string): ImportSource | undefined =>
  sources().find((source) => source.type === type);

/** An owner who may not sign in any more can't start runs, and unfinished ones are cancelled. */
export const isActive = async ({ accounts }: ImportContext, owner_id: string): Promise<boolean> =>
  (await accounts.findUser(owner_id)).active;
