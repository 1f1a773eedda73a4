/**
 * Every SQL statement about import runs; those about their items and about schedules have files of
 * their own. The database is the first parameter, so that the caller decides the transaction.
 */
import {
  countRows,
  listPage,
  pageWindow,
  sql,
  type Db,
  type Listed,
  type PageRequest,
} from "../../core/sdk";
import { isGone } from "../folders/contract";
import { source_shown_max } from "./limits";

/** The state of a run; the last four are final. */
export type RunStatus =
  | "pending"
  | "running"
  | "completed"
  | "completed_with_errors"
  | "failed"
  | "cancelled";
/** The state of an item; all but `pending` are final. */
export type ItemStatus = "pending" | "succeeded" | "failed" | "skipped";

/** Times are epoch ms. */
export interface RunRow {
  readonly id: string;
  readonly owner_id: string;
  readonly folder_id: string;
  /** `device`: files sent with the request; no event is emitted at its end. */
  readonly kind: "source" | "device";
  /** 1: unchanged items are imported, too. */
  readonly overwrite: 0 | 1;
  readonly schedule_id: string | null;
  readonly status: RunStatus;
  /** Why the source could not be read completely, for programs and for people. */
  readonly error_code: string | null;
  readonly error: string | null;
  /** 1 when all items are known. */
  readonly listed: 0 | 1;
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Succeeded items that were unchanged; included in `succeeded`. */
  readonly skipped: number;
  /** The file that the source keeps during the run. */
  readonly kept_url: string | null;
  readonly kept_sha256: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  /** Equal for the same source and folder; null for files of a device. */
  readonly source_key: string | null;
  /** What happens to the documents of missing items. */
  readonly gone: Gone;
  /** Missing items; included in `succeeded`. */
  readonly gone_items: number;
  /**
   * The secret fields of the source, sealed; null when there are none, or they are no longer
   * needed.
   */
  readonly secrets: string | null;
  /** The process that receives the files of a device; empty for other runs. */
  readonly node: string;
  /** JSON; a secret is replaced by the information that it is set. */
  readonly source: string;
}
/** `remove`: they are removed from their folder, restorably. */
export type Gone = "keep" | "remove";
/** A run without its source, which may be long. */
export type RunState = Omit<RunRow, "node" | "source" | "secrets">;
const state = [
  "id",
  "owner_id",
  "folder_id",
  "kind",
  "overwrite",
  "schedule_id",
  "status",
  "error_code",
  "error",
  "listed",
  "total",
  "succeeded",
  "failed",
  "skipped",
  "kept_url",
  "kept_sha256",
  "created_at",
  "started_at",
  "finished_at",
  "source_key",
  "gone",
  "gone_items",
] as const;
/** An item of a run. Times are in epoch ms. */
export interface ItemRow {
  readonly id: string;
  readonly run_id: string;
  readonly ordinal: number;
  readonly uri: string;
  readonly name: string | null;
  readonly subfolder: string | null;
  readonly locator: string | null;
  /** The host of its address, or empty when no network is needed. One worker serves a host. */
  readonly host: string;
  readonly status: ItemStatus;
  /** Failed tries, and responses of the host asking to come back later. */
  readonly attempts: number;
  /** Set once the document is written; the item ends when this version or a later one settles. */
  readonly document_id: string | null;
  readonly version: number | null;
  /** 1 when another item of the run created the document. */
  readonly joined: 0 | 1;
  /** The folder that the document is in. */
  readonly folder_id: string | null;
  /** The address that identifies the document. */
  readonly source_uri: string | null;
  readonly etag: string | null;
  /** 1 when the source no longer has it. */
  readonly gone: 0 | 1;
  readonly error_code: string | null;
  readonly error: string | null;
}
/** A schedule. Times are in epoch ms. */
export interface ScheduleRow {
  readonly id: string;
  readonly owner_id: string;
  readonly folder_id: string;
  /** As for a run. */
  readonly source: string;
  readonly secrets: string | null;
  readonly gone: Gone;
  readonly every: string;
  /** Null when there is none. */
  readonly next_run_at: number | null;
  readonly created_at: number;
}
/** What a source has listed into a folder, and the resulting document. */
export interface ListedRow {
  readonly source_key: string;
  readonly uri: string;
  /** The folder of the run. */
  readonly run_folder_id: string;
  /** The folder of the document: that one, or a subfolder of it. */
  readonly folder_id: string;
  readonly document_id: string;
  /** The name of the subfolder in the source. */
  readonly subfolder: string | null;
  /** The entity tag of the document's content. */
  readonly etag: string | null;
  /** Since when the source no longer has it, epoch ms. */
  readonly gone_at: number | null;
}
export interface ImportsTables {
  imports_runs: RunRow;
  imports_items: ItemRow;
  imports_schedules: ScheduleRow;
  imports_listed: ListedRow;
}
export type ImportsDb = Db<ImportsTables>;

/** Enough of a source for `typeOf`. */
const typedStart = sql<string>`substr(source, 1, 200)`.as("start");

export const insertRun = (db: ImportsDb, row: RunRow) =>
  db.insertInto("imports_runs").values(row).execute();
/** A run as shown. */
export type ListedRun = Omit<RunRow, "node" | "secrets">;
/** The run without its sealed secrets. */
export const findRun = async (db: ImportsDb, id: string): Promise<ListedRun | undefined> => {
  const row = await db
    .selectFrom("imports_runs")
    .select(state)
    .select(["source", isForgotten])
    .where("id", "=", id)
    .executeTakeFirst();
  return row && asRemembered(row);
};

/** The source of a run is deleted with its folder: at once in every read, from the row later. */
const isForgotten = sql<number>`case when ${isGone("imports_runs.folder_id")} then 1 else 0 end`.as(
  "is_forgotten",
);
const asRemembered = ({
  is_forgotten,
  ...row
}: ListedRun & { readonly is_forgotten: number }): ListedRun =>
  is_forgotten === 1 ? { ...row, source: JSON.stringify({ type: typeOf(row.source) }) } : row;
/** A run that has not ended. */
export const findUnfinished = (db: ImportsDb, id: string): Promise<RunState | undefined> =>
  db
    .selectFrom("imports_runs")
    .select(state)
    .where("id", "=", id)
    .where("finished_at", "is", null)
    .executeTakeFirst();
/** The beginning of a run's source, which contains its type, and its sealed secrets. */
export const sourceStartOf = (
  db: ImportsDb,
  id: string,
): Promise<Pick<RunRow, "owner_id" | "secrets"> & { readonly start: string }> =>
  db
    .selectFrom("imports_runs")
    .select(["owner_id", "secrets", typedStart])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
/** The source of a run, which may be long. */
export const sourceOf = async (db: ImportsDb, id: string): Promise<string> =>
  (
    await db
      .selectFrom("imports_runs")
      .select("source")
      .where("id", "=", id)
      .executeTakeFirstOrThrow()
  ).source;
/** Undefined when it has ended meanwhile. */
export const startRun = (
  db: ImportsDb,
  id: string,
  started_at: number,
): Promise<RunState | undefined> =>
  db
    .updateTable("imports_runs")
    .set({ status: "running", started_at })
    .where("id", "=", id)
    .where("finished_at", "is", null)
    .returning(state)
    .executeTakeFirst();
/** Changes a run. Returns its new state; undefined if it does not exist. */
export const updateRun = (
  db: ImportsDb,
  id: string,
  values: Partial<RunState> & Partial<Pick<RunRow, "secrets">>,
): Promise<RunState | undefined> =>
  db
    .updateTable("imports_runs")
    .set(values)
    .where("id", "=", id)
    .returning(state)
    .executeTakeFirst();

/** The beginning of a source, one character longer than is shown if there is more. */
export const sourceStart = sql<string>`substr(source, 1, ${sql.lit(source_shown_max + 1)})`.as(
  "source",
);

/** Long sources are cut: see `sourceStart`. */
export async function listRuns(
  db: ImportsDb,
  owner_id: string,
  page: PageRequest,
): Promise<Listed<ListedRun>> {
  const of_owner = db.selectFrom("imports_runs").where("owner_id", "=", owner_id);
  const { rows, total } = await listPage(
    of_owner.select(state).select([sourceStart, isForgotten]),
    pageWindow(page),
  );
  return { rows: rows.map(asRemembered), total };
}
/** How many runs of the owner have not ended. */
export const countUnfinished = (db: ImportsDb, owner_id: string): Promise<number> =>
  countRows(
    db.selectFrom("imports_runs").where("owner_id", "=", owner_id).where("finished_at", "is", null),
  );
/** Runs into these folders that have not ended. */
export const unfinishedIn = (db: ImportsDb, folder_ids: readonly string[]): Promise<RunState[]> =>
  db
    .selectFrom("imports_runs")
    .select(state)
    .where("folder_id", "in", folder_ids)
    .where("finished_at", "is", null)
    .execute();
/** The folders of runs that have not ended, each once. */
export const foldersOfUnfinished = async (db: ImportsDb): Promise<string[]> =>
  (
    await db
      .selectFrom("imports_runs")
      .select("folder_id")
      .distinct()
      .where("finished_at", "is", null)
      .execute()
  ).map(({ folder_id }) => folder_id);
/** Whether a run of the schedule has not ended yet. */
export const unfinishedOfSchedule = async (db: ImportsDb, schedule_id: string): Promise<boolean> =>
  (await db
    .selectFrom("imports_runs")
    .select("id")
    .where("schedule_id", "=", schedule_id)
    .where("finished_at", "is", null)
    .limit(1)
    .executeTakeFirst()) !== undefined;
/** Whether an unfinished run keeps this file. */
export const keepsFile = async (db: ImportsDb, sha256: string): Promise<boolean> =>
  (await db
    .selectFrom("imports_runs")
    .select("id")
    .where("kept_sha256", "=", sha256)
    .limit(1)
    .executeTakeFirst()) !== undefined;
/** Adds to the counters; returns the run afterwards, undefined when it has ended. */
export const addCounts = (
  db: ImportsDb,
  run_id: string,
  by: Partial<Record<"total" | "succeeded" | "failed" | "skipped" | "gone_items", number>>,
): Promise<RunState | undefined> =>
  db
    .updateTable("imports_runs")
    .set({
      total: sql<number>`total + ${by.total ?? 0}`,
      succeeded: sql<number>`succeeded + ${by.succeeded ?? 0}`,
      failed: sql<number>`failed + ${by.failed ?? 0}`,
      skipped: sql<number>`skipped + ${by.skipped ?? 0}`,
      gone_items: sql<number>`gone_items + ${by.gone_items ?? 0}`,
    })
    .where("id", "=", run_id)
    .where("finished_at", "is", null)
    .returning(state)
    .executeTakeFirst();

/** The runs of these folders, with the beginning of their source. */
export const runsIn = (
  db: ImportsDb,
  folder_ids: readonly string[],
): Promise<{ readonly id: string; readonly start: string }[]> =>
  db
    .selectFrom("imports_runs")
    .select(["id", typedStart])
    .where("folder_id", "in", folder_ids)
    .execute();
/** Keeps only the type of the source, and no secret. */
export const forgetSource = (
  db: ImportsDb,
  { id, start }: { readonly id: string; readonly start: string },
) =>
  db
    .updateTable("imports_runs")
    .set({ source: JSON.stringify({ type: typeOf(start) }), secrets: null })
    .where("id", "=", id)
    .execute();
/** Extracts the type from the beginning of a source, where it always is. */
export const typeOf = (start: string): string =>
  JSON.parse(/^\{"type":("(?:[^"\\]|\\.)*")/.exec(start)![1]!);

/** A run that ended before `finished_until`, epoch ms. */
export const anyOldRun = (
  db: ImportsDb,
  finished_until: number,
): Promise<Pick<RunRow, "id"> | undefined> =>
  db
    .selectFrom("imports_runs")
    .select("id")
    .where("finished_at", "<=", finished_until)
    .orderBy("finished_at")
    .limit(1)
    .executeTakeFirst();

/** Any run of the owner. */
export const anyRun = (db: ImportsDb, owner_id: string): Promise<RunState | undefined> =>
  db
    .selectFrom("imports_runs")
    .select(state)
    .where("owner_id", "=", owner_id)
    .limit(1)
    .executeTakeFirst();
export const deleteRun = (db: ImportsDb, id: string) =>
  db.deleteFrom("imports_runs").where("id", "=", id).execute();
