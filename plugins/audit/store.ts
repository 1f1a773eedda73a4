/** Every SQL statement about the audit log. None changes a row. */
import {
  listInStretches,
  pageWindow,
  insertRows,
  sql,
  type Db,
  type Listed,
  type PageRequest,
} from "../../core/sdk";

/** How it ended: `refused` because of the caller (status 401, 403 or 429), or `failed`. */
export type Outcome = "done" | "refused" | "failed";
/** The surface of the request, or the command line; plugins add surfaces. */
export type Via = "api" | "console" | "command_line" | (string & {});

/** Times are epoch milliseconds. */
export interface EntryRow {
  readonly id: string;
  readonly created_at: number;
  /** The user; null when unknown. */
  readonly actor_id: string | null;
  /** Their email at that time; for commands the user of the operating system. */
  readonly actor: string | null;
  readonly via: Via;
  /** The API key or the session. */
  readonly key_id: string | null;
  readonly address: string | null;
  /** The operation in the API document, or the name of the command. */
  readonly action: string;
  /** The id of the record concerned. */
  readonly record: string | null;
  readonly outcome: Outcome;
  /** HTTP status. */
  readonly status: number | null;
  readonly request_id: string | null;
}
export interface AuditTables {
  audit_entries: EntryRow;
}
export type AuditDb = Db<AuditTables>;

/** Conditions that all must hold. Times are in epoch ms. */
export interface EntryFilter {
  /** A user's id, or their email at that time. */
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly record?: string | undefined;
  readonly outcome?: Outcome | undefined;
  /** From this time on, and before that one. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export const insertEntries = (tx: AuditDb, rows: readonly EntryRow[]): Promise<void> =>
  insertRows(tx, "audit_entries", columns, rows);
const columns = [
  "id",
  "created_at",
  "actor_id",
  "actor",
  "via",
  "key_id",
  "address",
  "action",
  "record",
  "outcome",
  "status",
  "request_id",
] as const satisfies readonly (keyof EntryRow)[];

/** Skips those that exist already. */
export async function insertMissing(tx: AuditDb, rows: readonly EntryRow[]): Promise<void> {
  for (const row of rows)
    await tx
      .insertInto("audit_entries")
      .values(row)
      .onConflict((on) => on.column("id").doNothing())
      .execute();
}

/** One page, newest first. */
export const pageOfEntries = (
  db: AuditDb,
  filter: EntryFilter,
  page: PageRequest,
): Promise<Listed<EntryRow>> =>
  listInStretches(
    filtered(db, filter).selectAll(),
    filtered(db, indexed(filter)),
    pageWindow(page),
  );

/** The part of the filter that an index has in the order of the list. */
const indexed = ({ since, until, actor, action, record }: EntryFilter): EntryFilter => {
  if (record !== undefined) return { since, until, record };
  if (actor !== undefined && !isEmail(actor)) return { since, until, actor };
  return { since, until, action };
};

/** A position in the list. */
export type EntryPlace = Pick<EntryRow, "created_at" | "id">;

/**
 * The newest before this position, out of `limit` entries examined; `next`: where to continue, null
 * at the end.
 */
export async function entriesBefore(
  db: AuditDb,
  filter: EntryFilter,
  after: EntryPlace | null,
  limit: number,
): Promise<{ readonly rows: EntryRow[]; readonly next: EntryPlace | null }> {
  const place = sql`(created_at, id)`;
  const older = (entries: ReturnType<typeof filtered>) =>
    (after === null
      ? entries
      : entries.where(sql<boolean>`${place} < (${after.created_at}, ${after.id})`)
    )
      .orderBy("created_at", "desc")
      .orderBy("id", "desc");
  const next = await older(filtered(db, indexed(filter)))
    .select(["created_at", "id"])
    .limit(1)
    .offset(limit - 1)
    .executeTakeFirst();
  const matching = older(filtered(db, filter)).selectAll();
  const rows = next
    ? matching.where(sql<boolean>`${place} >= (${next.created_at}, ${next.id})`)
    : matching;
  return { rows: await rows.execute(), next: next ?? null };
}

/** Deletes at most this many entries before that time; returns how many. */
export async function deleteBefore(tx: AuditDb, before: number, limit: number): Promise<number> {
  const old = await tx
    .selectFrom("audit_entries")
    .select("id")
    .where("created_at", "<", before)
    .orderBy("created_at")
    .limit(limit)
    .execute();
  const ids = old.map(({ id }) => id);
  if (ids.length > 0) await tx.deleteFrom("audit_entries").where("id", "in", ids).execute();
  return ids.length;
}

const isEmail = (actor: string): boolean => actor.includes("@");
function filtered(db: AuditDb, { actor, action, record, outcome, since, until }: EntryFilter) {
  let entries = db.selectFrom("audit_entries");
  if (actor !== undefined)
    entries = entries.where(isEmail(actor) ? "actor" : "actor_id", "=", actor);
  if (action !== undefined) entries = entries.where("action", "=", action);
  if (record !== undefined) entries = entries.where("record", "=", record);
  if (outcome !== undefined) entries = entries.where("outcome", "=", outcome);
  if (since !== undefined) entries = entries.where("created_at", ">=", since);
  if (until !== undefined) entries = entries.where("created_at", "<", until);
  return entries;
}
