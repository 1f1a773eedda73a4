/**
 * The job that deletes the events of answers that have been finished for a while: from then on
 * their result tells all.
 */
import { job, t, type Db, type JobRun } from "../../core/sdk";
import { pruneEvents } from "./event-rows";

export const PruneEvents = job("chats.prune", t.Object({}));

/** Longer than any watcher that was cut off stays away. */
export const kept_ms = 60 * 60_000;
const messages_at_once = 200;

export interface PruningParts {
  readonly inTransaction: <R>(work: (tx: Db) => Promise<R>) => Promise<R>;
  readonly now_ms: () => number;
}

export const createPruning =
  ({ inTransaction, now_ms }: PruningParts) =>
  async (_payload: object, { signal }: Pick<JobRun, "signal">): Promise<void> => {
    const ended_before = now_ms() - kept_ms;
    while (
      (await inTransaction((tx) => pruneEvents(tx, ended_before, messages_at_once))) ===
      messages_at_once
    )
      signal.throwIfAborted();
  };
