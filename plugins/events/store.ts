/** Every SQL statement for the log of events. The database is the first parameter. */
import { sql, toNumber, type Db, type PreparedReads } from "../../core/sdk";

/** A user for whom events are written. */
export interface ReaderRow {
  readonly owner_id: string;
  /** The number of the newest event. */
  readonly last_seq: number;
  /** Events up to this number may have been dropped, because of their age or number. */
  readonly dropped_seq: number;
  /** JSON array of `KnownRun`, oldest first. */
  readonly runs: string;
  /** Epoch ms; after it nothing is written unless the user listens again. */
  readonly listens_until: number;
}
/** An event of the log. `created_at` is in epoch ms. */
export interface EventRow {
  readonly owner_id: string;
  /** Increases per owner, in commit order. */
  readonly seq: number;
  readonly type: string;
  /** JSON, as sent. */
  readonly body: string;
  /** JSON array of the folders it concerns, and of their root folders. */
  readonly folder_ids: string;
  readonly replaces: string | null;
  readonly created_at: number;
}
export interface EventsTables {
  events_readers: ReaderRow;
  events_log: EventRow;
}
type EventsDb = Db<EventsTables>;

const numbered = (row: ReaderRow): ReaderRow => ({
  ...row,
  last_seq: toNumber(row.last_seq),
  dropped_seq: toNumber(row.dropped_seq),
  listens_until: toNumber(row.listens_until),
});

/** The state of the owner's log; undefined if nobody has listened recently. */
export async function findReader(db: EventsDb, owner_id: string): Promise<ReaderRow | undefined> {
  const row = await db
    .selectFrom("events_readers")
    .selectAll()
    .where("owner_id", "=", owner_id)
    .executeTakeFirst();
  return row && numbered(row);
}

export const listReaders = async (db: EventsDb): Promise<ReaderRow[]> =>
  (await db.selectFrom("events_readers").selectAll().execute()).map(numbered);

/** The resulting row; an existing one is left as it is. */
export async function ensureReader(db: EventsDb, row: ReaderRow): Promise<ReaderRow> {
  await db
    .insertInto("events_readers")
    .values(row)
    .onConflict((on) => on.column("owner_id").doNothing())
    .execute();
  return (await findReader(db, row.owner_id))!;
}

/** Changes the row of an owner who listens. */
export const updateReader = async (
  db: EventsDb,
  owner_id: string,
  values: Partial<Pick<ReaderRow, "runs" | "listens_until">>,
): Promise<void> => {
  await db.updateTable("events_readers").set(values).where("owner_id", "=", owner_id).execute();
};

/** The number of the owner's next event; undefined when nothing is written for them. */
export async function nextSeq(db: EventsDb, owner_id: string): Promise<number | undefined> {
  const row = await db
    .updateTable("events_readers")
    .set(({ eb }) => ({ last_seq: eb("last_seq", "+", 1) }))
    .where("owner_id", "=", owner_id)
    .returning("last_seq")
    .executeTakeFirst();
  return row && toNumber(row.last_seq);
}

export const insertEvent = async (db: EventsDb, row: EventRow): Promise<void> => {
  await db.insertInto("events_log").values(row).execute();
};

/** Including the earlier ones that a new event replaces. */
export const dropReplaced = async (
  db: EventsDb,
  owner_id: string,
  replaces: string,
): Promise<void> => {
  await db
    .deleteFrom("events_log")
    .where("owner_id", "=", owner_id)
    .where("replaces", "=", replaces)
    .execute();
};

/** What is committed, as a reader sees it. */
export async function readReader(
  reads: PreparedReads,
  owner_id: string,
): Promise<ReaderRow | undefined> {
  const row = await reads.get<ReaderRow>(
    `select owner_id, last_seq, dropped_seq, runs, listens_until
     from events_readers where owner_id = ?`,
    owner_id,
  );
  return row && numbered(row);
}

/** The size of an event, which is known without reading it. */
const event_bytes = "octet_length(body) + octet_length(folder_ids)";

/**
 * Some events after this one, oldest first: at most `limit`, and no more than take about
 * `bytes_max`, because one about a document in a thousand folders is long.
 */
export async function eventsAfter(
  reads: PreparedReads,
  owner_id: string,
  seq: number,
  { limit, bytes_max }: { readonly limit: number; readonly bytes_max: number },
): Promise<Pick<EventRow, "seq" | "type" | "body" | "folder_ids">[]> {
  const sizes = await reads.all<{ readonly seq: number; readonly bytes: number }>(
    `select seq, ${event_bytes} as bytes from events_log
     where owner_id = ? and seq > ? order by seq limit ?`,
    owner_id,
    seq,
    limit,
  );
  if (sizes.length === 0) return [];
  let bytes = 0;
  const full_at = sizes.findIndex((row) => (bytes += toNumber(row.bytes)) >= bytes_max);
  const rows = await reads.all<Pick<EventRow, "seq" | "type" | "body" | "folder_ids">>(
    `select seq, type, body, folder_ids from events_log
     where owner_id = ? and seq > ? and seq <= ? order by seq`,
    owner_id,
    seq,
    sizes.at(full_at)!.seq,
  );
  return rows.map((row) => ({ ...row, seq: toNumber(row.seq) }));
}

/**
 * The newest of the owner's events that are to be dropped so that the rest take at most
 * `bytes_max`, or of the oldest `limit` of them; undefined when there are none.
 */
export async function newestBeyond(
  db: EventsDb,
  owner_id: string,
  { limit, bytes_max }: { readonly limit: number; readonly bytes_max: number },
): Promise<number | undefined> {
  const { rows } = await sql<{ readonly seq: number }>`
    select seq from (
      select seq, sum(${sql.raw(event_bytes)}) over (order by seq desc) as bytes
      from events_log where owner_id = ${owner_id}) as sized
    where bytes > ${bytes_max} order by seq limit ${limit}`.execute(db);
  const last = rows.at(-1);
  return last && toNumber(last.seq);
}

/** Drops the owner's events up to this number. */
export async function dropUpTo(db: EventsDb, owner_id: string, seq: number): Promise<void> {
  await db
    .deleteFrom("events_log")
    .where("owner_id", "=", owner_id)
    .where("seq", "<=", seq)
    .execute();
  await db
    .updateTable("events_readers")
    .set({ dropped_seq: seq })
    .where("owner_id", "=", owner_id)
    .where("dropped_seq", "<", seq)
    .execute();
}

/** The owner of the oldest event before this time, and the newest of a batch of such events. */
export async function oldest(
  db: EventsDb,
  created_before: number,
  limit: number,
): Promise<{ readonly owner_id: string; readonly seq: number } | undefined> {
  const first = await db
    .selectFrom("events_log")
    .select("owner_id")
    .where("created_at", "<", created_before)
    .orderBy("created_at")
    .limit(1)
    .executeTakeFirst();
  if (!first) return undefined;
  const { owner_id } = first;
  const batch = await db
    .selectFrom("events_log")
    .select("seq")
    .where("owner_id", "=", owner_id)
    .where("created_at", "<", created_before)
    .orderBy("seq")
    .limit(limit)
    .execute();
  return { owner_id, seq: Math.max(...batch.map(({ seq }) => toNumber(seq))) };
}

/** Drops the owner's oldest events: true if there may be more. */
export async function dropSome(db: EventsDb, owner_id: string, limit: number): Promise<boolean> {
  const batch = await db
    .selectFrom("events_log")
    .select("seq")
    .where("owner_id", "=", owner_id)
    .orderBy("seq")
    .limit(limit)
    .execute();
  if (batch.length > 0) await dropUpTo(db, owner_id, toNumber(batch.at(-1)!.seq));
  return batch.length === limit;
}

export const deleteReader = async (db: EventsDb, owner_id: string): Promise<void> => {
  await db.deleteFrom("events_readers").where("owner_id", "=", owner_id).execute();
};
