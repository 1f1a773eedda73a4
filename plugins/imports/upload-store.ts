/** SQL about unfinished imports of files from a device. */
import type { ImportsDb, RunRow } from "./store";

/** Unfinished runs of uploaded files: at the start, their requests have ended with the server. */
export const unfinishedUploads = (db: ImportsDb): Promise<Pick<RunRow, "id" | "node">[]> =>
  db
    .selectFrom("imports_runs")
    .select(["id", "node"])
    .where("kind", "=", "device")
    .where("finished_at", "is", null)
    .execute();
