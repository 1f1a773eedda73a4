/** Jobs about originals outside the data directory, which are deleted after a grace period. */
import { every, handle, job, t, type Context, type JobHandler } from "../../../core/sdk";
import {
  DeleteOriginals,
  enqueueDeletion,
  type OriginalDeletionContext,
} from "../deletion/original-deletion";
import type { UnusedFiles } from "./unused-files";

/** Searches all originals for those that a crash has left behind. */
const FindUnusedOriginals = job("documents.find_unused_originals", t.Object({}));

const minute_ms = 60_000;
const limits = {
  attempts_max: 5,
  // Every start continues it.
  crashes_max: Number.MAX_SAFE_INTEGER,
  timeout_ms: 360 * minute_ms,
  io_bound: true,
  uses_reserve: true,
};

/** The jobs with their limits. */
export const originalJobs = (
  ctx: OriginalDeletionContext,
  unused_files: UnusedFiles,
): readonly JobHandler[] => [
  handle(
    DeleteOriginals,
    async () => {
      const next_ms = await unused_files.deleteDue();
      if (next_ms !== null) return (tx) => enqueueDeletion(ctx, Math.max(1_000, next_ms), tx);
    },
    limits,
  ),
  handle(FindUnusedOriginals, (_payload, { signal }) => unused_files.findUnused(signal), limits),
];

/** Originals in the data directory are deleted at once, and every start searches all of them. */
export const originalSchedules = ({ files }: Pick<Context, "files">) =>
  files.place === null
    ? []
    : [every("41 * * * *", DeleteOriginals, {}), every("23 4 * * 0", FindUnusedOriginals, {})];
