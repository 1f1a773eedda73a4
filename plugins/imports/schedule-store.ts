/** Every SQL statement about schedules of imports. */
import { pageWindow, toNumber, type Db, type PageRequest } from "../../core/sdk";
import { sourceStart, type ImportsTables } from "./store";

/** Times are epoch ms. */
export interface ScheduleRow {
  readonly id: string;
  readonly owner_id: string;
  readonly folder_id: string;
  /** JSON. */
  readonly source: string;
  readonly every: string;
  /** Null when it never comes again. */
  readonly next_run_at: number | null;
  readonly created_at: number;
}
type SchedulesDb = Db<ImportsTables>;

export const insertSchedule = (db: SchedulesDb, row: ScheduleRow) =>
  db.insertInto("imports_schedules").values(row).execute();
export const findSchedule = (db: SchedulesDb, id: string): Promise<ScheduleRow | undefined> =>
  db.selectFrom("imports_schedules").selectAll().where("id", "=", id).executeTakeFirst();
export const setNext = (db: SchedulesDb, id: string, next_run_at: number | null) =>
  db.updateTable("imports_schedules").set({ next_run_at }).where("id", "=", id).execute();
export const deleteSchedule = (db: SchedulesDb, id: string) =>
  db.deleteFrom("imports_schedules").where("id", "=", id).execute();
export const deleteSchedulesIn = async (
  db: SchedulesDb,
  folder_ids: readonly string[],
): Promise<string[]> =>
  (
    await db
      .deleteFrom("imports_schedules")
      .where("folder_id", "in", folder_ids)
      .returning("id")
      .execute()
  ).map(({ id }) => id);
export const countSchedules = async (db: SchedulesDb, owner_id: string): Promise<number> =>
  toNumber(
    (
      await db
        .selectFrom("imports_schedules")
        .select((e) => e.fn.countAll().as("total"))
        .where("owner_id", "=", owner_id)
        .executeTakeFirstOrThrow()
    ).total,
  );
/** Of long sources only the beginning comes. */
export async function listSchedules(
  db: SchedulesDb,
  owner_id: string,
  page: PageRequest,
): Promise<{ readonly rows: ScheduleRow[]; readonly total: number }> {
  const { limit, offset } = pageWindow(page);
  const rows = await db
    .selectFrom("imports_schedules")
    .select(["id", "owner_id", "folder_id", sourceStart, "every", "next_run_at", "created_at"])
    .where("owner_id", "=", owner_id)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total: await countSchedules(db, owner_id) };
}
