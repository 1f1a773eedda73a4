/**
 * Every SQL statement of the console: each user's activity per day. The database is the first
 * parameter, so that the caller decides the transaction.
 */
import { sql, type Db } from "../../core/sdk";

/** `day` is `2026-11-21`, in UTC. `storage_bytes` is the usage when the row was last written. */
export interface UsageRow {
  readonly owner_id: string;
  readonly day: string;
  readonly requests: number;
  readonly console_requests: number;
  readonly answers: number;
  readonly uploads: number;
  readonly storage_bytes: number;
}
export interface ConsoleTables {
  console_usage: UsageRow;
}
type ConsoleDb = Db<ConsoleTables>;

/** Adds to the counts of the day and replaces the storage. */
export const addUsage = async (db: ConsoleDb, row: UsageRow): Promise<void> => {
  await db
    .insertInto("console_usage")
    .values(row)
    .onConflict((c) =>
      c.columns(["owner_id", "day"]).doUpdateSet({
        requests: sql<number>`console_usage.requests + excluded.requests`,
        console_requests: sql<number>`console_usage.console_requests + excluded.console_requests`,
        answers: sql<number>`console_usage.answers + excluded.answers`,
        uploads: sql<number>`console_usage.uploads + excluded.uploads`,
        storage_bytes: sql<number>`excluded.storage_bytes`,
      }),
    )
    .execute();
};

/** The owner's days since `from_day`, and the last one before it. */
export async function readUsage(
  db: ConsoleDb,
  owner_id: string,
  from_day: string,
): Promise<{ readonly rows: UsageRow[]; readonly previous: UsageRow | undefined }> {
  const usage = db.selectFrom("console_usage").selectAll().where("owner_id", "=", owner_id);
  return {
    rows: await usage.where("day", ">=", from_day).orderBy("day").execute(),
    previous: await usage
      .where("day", "<", from_day)
      .orderBy("day", "desc")
      .limit(1)
      .executeTakeFirst(),
  };
}

/** Writes nothing when there is nothing so old. */
export const pruneUsage = async (db: ConsoleDb, before_day: string): Promise<void> => {
  const expired = db
    .selectFrom("console_usage")
    .select("day")
    .where("day", "<", before_day)
    .limit(1);
  if ((await expired.executeTakeFirst()) === undefined) return;
  await db.deleteFrom("console_usage").where("day", "<", before_day).execute();
};

/** Deletes all days of an owner. */
export const forgetUsage = async (db: ConsoleDb, owner_id: string): Promise<void> => {
  await db.deleteFrom("console_usage").where("owner_id", "=", owner_id).execute();
};
