/** What the rules about transcriptions are made with. */
import type { AddressRule, Db, Files, Isolate, Log, Lookup } from "../../core/sdk";
import type { Documents } from "../documents/contract";
import type { Folders } from "../folders/contract";
import type { Quotas } from "../quotas/contract";
import type { Transcriber } from "./contract";
import type { tasks } from "./child/tasks";
import type { RunRow, TranscriptionsDb } from "./store";

export interface TranscriptionParts {
  readonly db: TranscriptionsDb;
  readonly inTransaction: <R>(work: (tx: Db) => Promise<R>) => Promise<R>;
  readonly afterCommit: (work: () => void) => void;
  readonly now_ms: () => number;
  readonly newId: (prefix: string) => string;
  readonly truncateWal: () => void;
  readonly files: Files;
  readonly folders: Folders;
  readonly documents: Documents;
  readonly quotas: Quotas;
  readonly lookup: Lookup;
  /** Addresses that a URL of a user may lead to. */
  readonly allows: AddressRule;
  /** The one that is asked; undefined when there is none. */
  readonly transcriber: () => Transcriber | undefined;
  readonly isolate: Isolate<typeof tasks>;
  /** Where files may lie for a moment. */
  readonly temporary: string;
  /** Starts the work that is next for a run. */
  readonly queue: (
    tx: Db,
    run: Pick<RunRow, "id" | "owner_id" | "kind" | "sha256">,
  ) => Promise<void>;
  readonly cancelJobs: (tx: Db, run_ids: readonly string[]) => Promise<void>;
  /** Tells the webhooks, in the transaction that ends the run. */
  readonly announce: (tx: Db, run: Pick<RunRow, "id" | "owner_id">) => Promise<void>;
  /** Tells those who look on. */
  readonly changed: (
    run: Pick<RunRow, "id" | "owner_id" | "folder_id">,
    action: "created" | "changed" | "deleted",
  ) => void;
  /** What an owner who may not sign in any more has asked for is not begun. */
  readonly isActive: (owner_id: string) => Promise<boolean>;
  readonly language: string | null;
  /** For one recording. */
  readonly timeout_ms: number;
  readonly log: Log;
}
