/**
 * Every SQL statement for transcription runs. The database is the first parameter, so that the
 * caller decides the transaction.
 */
import {
  listPage,
  pageWindow,
  sql,
  toNumber,
  type Db,
  type Listed,
  type PageRequest,
} from "../../core/sdk";
import { isGone } from "../folders/contract";
import type { TranscriptHead } from "./read-transcript";
import type { Segment } from "./transcript";

/** The state of a run; the last three are final. */
export type RunStatus = "pending" | "running" | "completed" | "failed" | "cancelled";
/** A run. Times are in epoch ms. */
export interface RunRow {
  readonly id: string;
  readonly owner_id: string;
  readonly folder_id: string;
  readonly status: RunStatus;
  /** The name of the future document; null once it exists. */
  readonly name: string | null;
  /** The URL of the recording; null for an upload, and once the run has ended. */
  readonly url: string | null;
  /** Null until the file has arrived. */
  readonly kind: "recording" | "captions" | null;
  readonly media_type: string | null;
  /** The file of the run; null before it has arrived, and once the run has ended. */
  readonly sha256: string | null;
  readonly size_bytes: number;
  readonly progress: number;
  readonly duration_s: number | null;
  readonly language: string | null;
  readonly document_id: string | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  /** Epoch ms. */
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
}
export interface TranscriptionsTables {
  transcriptions: RunRow;
  /**
   * `transcript` is the JSON of a `TranscriptHead`. Written before the run ends, so that no crash
   * costs hours of work, and after the segments.
   */
  transcriptions_results: { readonly run_id: string; readonly transcript: string };
  /** The segments of a transcript in parts, each a JSON array, numbered from 0. */
  transcriptions_segments: {
    readonly run_id: string;
    readonly part: number;
    readonly segments: string;
  };
}
export type TranscriptionsDb = Db<TranscriptionsTables>;

const live = ["pending", "running"] as const;
/**
 * Columns that are cleared when a run ends. Its name is the document's from then on; without a
 * document, it still says what failed.
 */
const cleared = ({ status }: Pick<RunRow, "status">) => ({
  url: null,
  sha256: null,
  ...(status === "completed" ? { name: null } : {}),
});

/** Runs of a deleted folder are hidden at once, and deleted in the background. */
const isPresent = sql<boolean>`not ${isGone("transcriptions.folder_id")}`;

export const findRun = (db: TranscriptionsDb, id: string): Promise<RunRow | undefined> =>
  db
    .selectFrom("transcriptions")
    .selectAll()
    .where("id", "=", id)
    .where(isPresent)
    .executeTakeFirst();
export const insertRun = (db: TranscriptionsDb, row: RunRow) =>
  db.insertInto("transcriptions").values(row).execute();

/** Newest first. */
export async function listRuns(
  db: TranscriptionsDb,
  owner_id: string,
  page: PageRequest,
): Promise<Listed<RunRow>> {
  const runs = db.selectFrom("transcriptions").where("owner_id", "=", owner_id).where(isPresent);
  return listPage(runs.selectAll(), pageWindow(page));
}

/** In the order of the index of unfinished runs. */
const is_unfinished = sql<boolean>`status in ('pending', 'running')`;

/** The ids of the owner's runs that have not ended. */
export const unfinishedOf = async (db: TranscriptionsDb, owner_id: string): Promise<string[]> =>
  (
    await db
      .selectFrom("transcriptions")
      .select("id")
      .where("owner_id", "=", owner_id)
      .where(is_unfinished)
      .execute()
  ).map(({ id }) => id);

/** The run after the change; undefined if it has ended or was deleted. */
const updateUnfinished = (
  db: TranscriptionsDb,
  id: string,
  values: Partial<RunRow>,
): Promise<RunRow | undefined> =>
  db
    .updateTable("transcriptions")
    .set(values)
    .where("id", "=", id)
    .where("status", "in", live)
    .where(isPresent)
    .returningAll()
    .executeTakeFirst();

/** Marks a run as running. Undefined if it has ended meanwhile. */
export const startRun = (
  db: TranscriptionsDb,
  id: string,
  now: number,
): Promise<RunRow | undefined> =>
  db
    .updateTable("transcriptions")
    .set((e) => ({
      status: "running" as const,
      started_at: e.fn.coalesce("started_at", e.val(now)),
    }))
    .where("id", "=", id)
    .where("status", "in", live)
    .where(isPresent)
    .returningAll()
    .executeTakeFirst();
/** Sets how far a run has come, from 0 to 1, unless it has ended. */
export const setProgress = (db: TranscriptionsDb, id: string, progress: number) =>
  updateUnfinished(db, id, { progress });
/** Sets what was found out about a recording, unless its run has ended. */
export const setDuration = (
  db: TranscriptionsDb,
  id: string,
  values: Pick<RunRow, "duration_s" | "media_type">,
) => updateUnfinished(db, id, values);
/** Sets the file of a run, unless it has ended. */
export const setFile = (
  db: TranscriptionsDb,
  id: string,
  values: Pick<RunRow, "kind" | "media_type" | "sha256" | "size_bytes">,
) => updateUnfinished(db, id, values);

/** Ends a run, and returns its previous state; undefined if it had already ended. */
export async function endRun(
  db: TranscriptionsDb,
  id: string,
  values: Pick<RunRow, "status" | "finished_at"> & Partial<RunRow>,
): Promise<RunRow | undefined> {
  const before = await db
    .selectFrom("transcriptions")
    .selectAll()
    .where("id", "=", id)
    .where("status", "in", live)
    .where(isPresent)
    .executeTakeFirst();
  if (before) await updateUnfinished(db, id, { ...values, ...cleared(values) });
  return before;
}
export const setDocument = (db: TranscriptionsDb, id: string, document_id: string) =>
  db.updateTable("transcriptions").set({ document_id }).where("id", "=", id).execute();

/** Whether an unfinished run uses this file. */
export const fileIsUsed = async (db: TranscriptionsDb, sha256: string): Promise<boolean> =>
  (await db
    .selectFrom("transcriptions")
    .select("id")
    .where("sha256", "=", sha256)
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** Stores the transcript, whose segments are stored; a second attempt replaces it. */
export async function insertResult(
  db: TranscriptionsDb,
  run_id: string,
  { language, duration_s }: TranscriptHead,
): Promise<void> {
  const transcript = JSON.stringify({ language, duration_s });
  await db
    .insertInto("transcriptions_results")
    .values({ run_id, transcript })
    .onConflict((conflict) => conflict.column("run_id").doUpdateSet({ transcript }))
    .execute();
}
/** The transcript without its segments. */
export async function findResult(
  db: TranscriptionsDb,
  run_id: string,
): Promise<TranscriptHead | undefined> {
  const row = await db
    .selectFrom("transcriptions_results")
    .select("transcript")
    .where("run_id", "=", run_id)
    .executeTakeFirst();
  return row && (JSON.parse(row.transcript) as TranscriptHead);
}
/** Stores a part of the segments. */
export async function insertSegments(
  db: TranscriptionsDb,
  run_id: string,
  part: number,
  of_part: readonly Segment[],
): Promise<void> {
  const segments = JSON.stringify(of_part);
  await db.insertInto("transcriptions_segments").values({ run_id, part, segments }).execute();
}
/** Deletes what an attempt that was interrupted has stored. */
export const deleteSegments = async (db: TranscriptionsDb, run_id: string): Promise<void> => {
  await db.deleteFrom("transcriptions_segments").where("run_id", "=", run_id).execute();
};
/** As JSON; undefined after the last part. */
export async function findSegments(
  db: TranscriptionsDb,
  run_id: string,
  part: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom("transcriptions_segments")
    .select("segments")
    .where("run_id", "=", run_id)
    .where("part", "=", part)
    .executeTakeFirst();
  return row?.segments;
}
/** True if there were any. */
export async function deleteResults(
  db: TranscriptionsDb,
  run_ids: readonly string[],
): Promise<boolean> {
  if (run_ids.length === 0) return false;
  let deleted = 0;
  for (const table of ["transcriptions_results", "transcriptions_segments"] as const) {
    const done = await db.deleteFrom(table).where("run_id", "in", run_ids).executeTakeFirst();
    deleted += toNumber(done.numDeletedRows);
  }
  return deleted > 0;
}

/** At most `limit` runs of these folders; `with_file`: only those with a file. */
export const runsIn = async (
  db: TranscriptionsDb,
  folder_ids: readonly string[],
  limit: number,
  { with_file = false } = {},
): Promise<RunRow[]> =>
  folder_ids.length === 0
    ? []
    : db
        .selectFrom("transcriptions")
        .selectAll()
        .where("folder_id", "in", folder_ids)
        .$if(with_file, (query) => query.where("sha256", "is not", null))
        .limit(limit)
        .execute();
/** At most `limit` runs of the owner, in any state. */
export const runsOf = (db: TranscriptionsDb, owner_id: string, limit: number): Promise<RunRow[]> =>
  db
    .selectFrom("transcriptions")
    .selectAll()
    .where("owner_id", "=", owner_id)
    .limit(limit)
    .execute();
/** At most `limit` runs that ended before this time. */
export const runsBefore = (
  db: TranscriptionsDb,
  finished_before: number,
  limit: number,
): Promise<RunRow[]> =>
  db
    .selectFrom("transcriptions")
    .selectAll()
    .where("finished_at", "is not", null)
    .where("finished_at", "<", finished_before)
    .orderBy("finished_at")
    .limit(limit)
    .execute();
const idsAfter =
  (column: "document_id" | "folder_id") =>
  async (db: TranscriptionsDb, after: string, limit: number): Promise<string[]> =>
    (
      await db
        .selectFrom("transcriptions")
        .select(`${column} as of`)
        .distinct()
        .where(column, "is not", null)
        .where(column, ">", after)
        .orderBy(column)
        .limit(limit)
        .execute()
    ).map((row) => row.of!);
/** The folders of runs after this one, in order. */
export const foldersAfter = idsAfter("folder_id");
/** The documents of runs after this one, in order. */
export const documentsAfter = idsAfter("document_id");
export const deleteRuns = (db: TranscriptionsDb, ids: readonly string[]) =>
  db.deleteFrom("transcriptions").where("id", "in", ids).execute();
/** Detaches runs from these documents; returns the ids of the runs. */
export const detachDocuments = async (
  db: TranscriptionsDb,
  document_ids: readonly string[],
): Promise<string[]> =>
  document_ids.length === 0
    ? []
    : (
        await db
          .updateTable("transcriptions")
          .set({ document_id: null })
          .where("document_id", "in", document_ids)
          .returning("id")
          .execute()
      ).map(({ id }) => id);
