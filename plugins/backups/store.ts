/** Every SQL statement about the outcomes of backups. */
import { toNumber, type Db, type PreparedReads } from "../../core/sdk";

/** A finished backup or rehearsal. A copy made meanwhile contains no row about itself. */
export interface RunRow {
  readonly id: string;
  readonly kind: "backup" | "rehearsal";
  /** Null when nothing was made. */
  readonly path: string | null;
  /** Null when it succeeded. */
  readonly error: string | null;
  readonly started_at: number;
  readonly finished_at: number;
}
export type BackupsDb = Db<{ backups_runs: RunRow }>;

const runs_kept = 200;

/** Records an outcome, and deletes the oldest ones beyond the number that is kept. */
export async function insertRun(db: BackupsDb, row: RunRow): Promise<void> {
  await db.insertInto("backups_runs").values(row).execute();
  const beyond = await db
    .selectFrom("backups_runs")
    .select("id")
    .where("kind", "=", row.kind)
    .orderBy("finished_at", "desc")
    .orderBy("id", "desc")
    .offset(runs_kept)
    .limit(runs_kept)
    .execute();
  if (beyond.length === 0) return;
  const ids = beyond.map(({ id }) => id);
  await db.deleteFrom("backups_runs").where("id", "in", ids).execute();
}

/** By its time alone: sorting takes ten times as long, even when there is nothing to sort. */
const newestSql = (condition: string) => `
  select error, finished_at from backups_runs where ${condition} and
    finished_at = (select max(finished_at) from backups_runs where ${condition}) limit 1`;
const newest_sql = newestSql("kind = 'backup'");
const newest_good_sql = newestSql("kind = 'backup' and error is null");
type Outcome = Pick<RunRow, "error" | "finished_at">;

/**
 * The outcome of the last backup, and when the last successful one was; null when there is none.
 */
export async function findLast(reads: PreparedReads): Promise<{
  readonly last: Outcome | null;
  readonly good_at: number | null;
}> {
  const last = await reads.get<Outcome>(newest_sql);
  if (last === undefined) return { last: null, good_at: null };
  const good = last.error === null ? last : await reads.get<Outcome>(newest_good_sql);
  return {
    last: { ...last, finished_at: toNumber(last.finished_at) },
    good_at: good === undefined ? null : toNumber(good.finished_at),
  };
}

/** Newest first. */
export async function listRuns(db: BackupsDb): Promise<RunRow[]> {
  const rows = await db
    .selectFrom("backups_runs")
    .selectAll()
    .orderBy("finished_at", "desc")
    .orderBy("id", "desc")
    .limit(2 * runs_kept)
    .execute();
  return rows.map((row) => ({
    ...row,
    started_at: toNumber(row.started_at),
    finished_at: toNumber(row.finished_at),
  }));
}
