/** The SQL statements that end the jobs of a record. */
import { batchesOf } from "../lib/batch";
import { nextTurn } from "../lib/chunked-work";
import { rowsOf } from "../store/raw-statements";
import { placeholders, type JobsDb } from "./store";

/** Subjects per statement: far below the limit of bound values. */
const subjects_per_statement = 500;
/** Jobs per statement: an import has one for each of its hosts. */
const jobs_per_statement = 1_000;

const cancel = `update core_jobs
set state = 'cancelled', payload = '', finished_at = ?, lease_until = null, lease_token = null`;
/** In the wording of the partial index. */
const is_unfinished = "subject is not null and state in ('ready', 'running')";

/**
 * Ends unfinished jobs about these subjects, at most `limit`, and returns their ids: for subjects
 * of thousands of jobs.
 */
export async function cancelSomeJobs(
  db: JobsDb,
  subjects: readonly string[],
  now_ms: number,
  limit: number,
): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(
    db,
    `${cancel} where id in (
select id from core_jobs
where ${is_unfinished} and subject in (${placeholders(subjects.length)}) limit ?)
returning id`,
    [now_ms, ...subjects, limit],
  );
  return rows.map(({ id }) => id);
}

/** Ends unfinished jobs about these subjects and returns their ids. */
export async function cancelJobs(
  db: JobsDb,
  subjects: readonly string[],
  now_ms: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (const batch of batchesOf(subjects, subjects_per_statement)) {
    for (;;) {
      const ended = await cancelSomeJobs(db, batch, now_ms, jobs_per_statement);
      ids.push(...ended);
      if (ended.length < jobs_per_statement) break;
      await nextTurn();
    }
    // A failed job will not be run again.
    await rowsOf(
      db,
      `update core_jobs set payload = ''
where subject is not null and state = 'failed' and payload != ''
and subject in (${placeholders(batch.length)})`,
      batch,
    );
  }
  return ids;
}
