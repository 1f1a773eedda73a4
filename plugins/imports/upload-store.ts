/** Which imports take in files of a device right now. */
import type { ImportsDb, RunRow } from "./store";

/** Runs of uploaded files that have not ended: at start, their requests ended with the server. */
export const unfinishedUploads = (db: ImportsDb): Promise<Pick<RunRow, "id" | "node">[]> =>
  db
    .selectFrom("imports_runs")
    .select(["id", "node"])
    .where("kind", "=", "device")
    .where("finished_at", "is", null)
    .execute();
