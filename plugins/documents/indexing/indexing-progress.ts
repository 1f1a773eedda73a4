/** How many documents of each folder wait to be indexed, and the current rate. */
import type { DocumentContext } from "../context";
import type { IndexingFolder } from "../contract";
import { syncedSince } from "../links/link-store";

const folders_max = 50;
/** What counts as recent: this many documents of all folders together, and not older than this. */
const recent_max = 1_000;
const recent_ms = 10 * 60_000;
/** Two documents that happen to end in the same moment don't make a rate. */
const span_ms_min = 5_000;

/** Folders with documents that are not indexed yet, those with the most first. */
export async function listIndexingFolders({
  db,
  folders,
  now_ms,
}: Pick<DocumentContext, "db" | "folders" | "now_ms">): Promise<IndexingFolder[]> {
  const waiting = await folders.listSyncing(db, folders_max);
  const now = now_ms();
  const each_max = Math.ceil(recent_max / Math.max(1, waiting.length));
  const at_work: IndexingFolder[] = [];
  for (const { id, owner_id, syncing } of waiting) {
    const times = await syncedSince(db, id, now - recent_ms, each_max);
    const span_ms = Math.max(span_ms_min, now - Math.min(...times));
    at_work.push({
      folder_id: id,
      owner_id,
      waiting: syncing,
      per_minute: times.length < 2 ? null : (times.length * 60_000) / span_ms,
    });
  }
  return at_work;
}
