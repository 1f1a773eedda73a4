/**
 * Every SQL statement about schedules of imports. The database is the first parameter, so that the
 * caller decides the transaction.
 */
import { countRows, listPage, pageWindow, type Listed, type PageRequest } from "../../core/sdk";
import { sourceStart, type ImportsDb, type ScheduleRow } from "./store";

/** Deletes the schedules of an owner. Returns their ids. */
export const deleteSchedulesOf = async (db: ImportsDb, owner_id: string): Promise<string[]> =>
  (
    await db
      .deleteFrom("imports_schedules")
      .where("owner_id", "=", owner_id)
      .returning("id")
      .execute()
  ).map(({ id }) => id);

export const insertSchedule = (db: ImportsDb, row: ScheduleRow) =>
  db.insertInto("imports_schedules").values(row).execute();
export const findSchedule = (db: ImportsDb, id: string): Promise<ScheduleRow | undefined> =>
  db.selectFrom("imports_schedules").selectAll().where("id", "=", id).executeTakeFirst();
/** Sets the next time, epoch ms; null: there is none. */
export const setNext = (db: ImportsDb, id: string, next_run_at: number | null) =>
  db.updateTable("imports_schedules").set({ next_run_at }).where("id", "=", id).execute();
export const deleteSchedule = (db: ImportsDb, id: string) =>
  db.deleteFrom("imports_schedules").where("id", "=", id).execute();
/** Deletes the schedules that import into these folders. Returns their ids. */
export const deleteSchedulesIn = async (
  db: ImportsDb,
  folder_ids: readonly string[],
): Promise<string[]> =>
  (
    await db
      .deleteFrom("imports_schedules")
      .where("folder_id", "in", folder_ids)
      .returning("id")
      .execute()
  ).map(({ id }) => id);
/** The folders that schedules import into, each once. */
export const scheduledFolders = async (db: ImportsDb): Promise<string[]> =>
  (await db.selectFrom("imports_schedules").select("folder_id").distinct().execute()).map(
    ({ folder_id }) => folder_id,
  );
const schedulesOf = (db: ImportsDb, owner_id: string) =>
  db.selectFrom("imports_schedules").where("owner_id", "=", owner_id);
export const countSchedules = (db: ImportsDb, owner_id: string): Promise<number> =>
  countRows(schedulesOf(db, owner_id));
/** A schedule as shown. */
export type ListedSchedule = Omit<ScheduleRow, "secrets">;
/** Long sources are cut: see `sourceStart`. */
export const listSchedules = (
  db: ImportsDb,
  owner_id: string,
  page: PageRequest,
): Promise<Listed<ListedSchedule>> =>
  listPage(
    schedulesOf(db, owner_id).select([
      "id",
      "owner_id",
      "folder_id",
      sourceStart,
      "gone",
      "every",
      "next_run_at",
      "created_at",
    ]),
    pageWindow(page),
  );
