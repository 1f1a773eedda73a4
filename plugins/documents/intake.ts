/** How far the reading of documents is, folder by folder, and how quick it has been of late. */
import type { DocumentContext } from "./context";
import type { FolderAtWork } from "./contract";
import { IndexDocument, IndexText } from "./jobs";
import { foldersOfAll } from "./link-store";
import type { Operations } from "../../core/sdk";

const folders_max = 50;
/** What counts as of late: so many documents at most, and not longer ago. */
const recent_max = 1_000;
const recent_ms = 10 * 60_000;
/** A moment in which two happened to end is no speed. */
const span_ms_min = 5_000;

export async function foldersAtWork({
  db,
  folders,
  now_ms,
  operations,
}: Pick<DocumentContext, "db" | "folders" | "now_ms"> & {
  readonly operations: Pick<Operations, "jobs">;
}): Promise<FolderAtWork[]> {
  const waiting = await folders.listSyncing(db, folders_max);
  if (waiting.length === 0) return [];
  const now = now_ms();
  const names = [IndexDocument.id, IndexText.id];
  const done = (await operations.jobs.newestDone(names, recent_max)).filter(
    ({ finished_at }) => now - finished_at < recent_ms,
  );
  const links = await foldersOfAll(
    db,
    done.map(({ subject }) => subject),
  );
  return waiting.map(({ id, owner_id, syncing }) => {
    const times = done
      .filter(({ subject }) => links.get(subject)?.includes(id))
      .map(({ finished_at }) => finished_at);
    const span_ms = Math.max(span_ms_min, now - Math.min(...times));
    return {
      folder_id: id,
      owner_id,
      waiting: syncing,
      per_minute: times.length < 2 ? null : (times.length * 60_000) / span_ms,
    };
  });
}
