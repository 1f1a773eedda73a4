/**
 * Every SQL statement about sessions and links to set a password. The database is the first
 * parameter, so that the caller decides the transaction.
 */
import { listPage, toNumber, type Listed, type PreparedReads } from "../../core/sdk";
import type { Role } from "./contract";
import type { AccountsDb, PasswordLinkRow, SessionRow, UserRow } from "./store";

/** What a request needs to know of a session and its user. */
export interface PresentedSession extends Pick<
  SessionRow,
  "id" | "user_id" | "created_at" | "last_seen_at" | "way"
> {
  readonly role: Role;
}

/**
 * The session, if its user is not deactivated. Used by every request of the console, hence
 * hand-written and without a cache.
 */
async function findActive(
  reads: PreparedReads,
  by: "token_sha256" | "id",
  value: string,
): Promise<PresentedSession | undefined> {
  const session = await reads.get<Omit<PresentedSession, "role">>(
    `select id, user_id, created_at, last_seen_at, way from accounts_sessions where ${by} = ?`,
    value,
  );
  const user =
    session &&
    (await reads.get<{ role: Role }>(
      "select role from accounts_users where id = ? and active = 1",
      session.user_id,
    ));
  return user && { ...session, role: user.role };
}
/** The session of a cookie, with its user; undefined if there is none. */
export const findByToken = (
  reads: PreparedReads,
  token_sha256: string,
): Promise<PresentedSession | undefined> => findActive(reads, "token_sha256", token_sha256);
/** The same by the session's id. */
export const findById = (reads: PreparedReads, id: string): Promise<PresentedSession | undefined> =>
  findActive(reads, "id", id);

export const insertSession = async (db: AccountsDb, row: SessionRow): Promise<void> => {
  await db.insertInto("accounts_sessions").values(row).execute();
};

/** A session that began or was last used before these times has ended. */
export interface LiveSince {
  readonly created_after: number;
  readonly seen_after: number;
}
/** A page of the user's live sessions, and how many there are. */
export async function listSessions(
  db: AccountsDb,
  user_id: string,
  live: LiveSince,
  window: { readonly limit: number; readonly offset: number },
): Promise<Listed<SessionRow>> {
  const live_sessions = db
    .selectFrom("accounts_sessions")
    .where("user_id", "=", user_id)
    .where("accounts_sessions.created_at", ">", live.created_after)
    .where("last_seen_at", ">", live.seen_after);
  return listPage(live_sessions.selectAll(), window);
}

/** Of everybody, or of one user; newest first, at most this many. */
export function newestSessions(
  db: AccountsDb,
  user_id: string | undefined,
  live: LiveSince,
  limit: number,
): Promise<(SessionRow & { readonly email: string })[]> {
  const all = db
    .selectFrom("accounts_sessions")
    .where("accounts_sessions.created_at", ">", live.created_after)
    .where("accounts_sessions.last_seen_at", ">", live.seen_after)
    .innerJoin("accounts_users", "accounts_users.id", "accounts_sessions.user_id")
    .selectAll("accounts_sessions")
    .select("email");
  return (user_id === undefined ? all : all.where("user_id", "=", user_id))
    .orderBy("accounts_sessions.created_at", "desc")
    .orderBy("accounts_sessions.id", "desc")
    .limit(limit)
    .execute();
}

/** Returns its user; undefined when there is no such session. */
export const deleteSessionById = async (db: AccountsDb, id: string): Promise<string | undefined> =>
  (
    await db
      .deleteFrom("accounts_sessions")
      .where("id", "=", id)
      .returning("user_id")
      .executeTakeFirst()
  )?.user_id;

/** Returns what was kept with it; undefined when this user has no such session. */
export const deleteSession = (
  db: AccountsDb,
  user_id: string,
  id: string,
): Promise<Pick<SessionRow, "kept"> | undefined> =>
  db
    .deleteFrom("accounts_sessions")
    .where("id", "=", id)
    .where("user_id", "=", user_id)
    .returning("kept")
    .executeTakeFirst();

export const deleteByToken = async (db: AccountsDb, token_sha256: string): Promise<void> => {
  await db.deleteFrom("accounts_sessions").where("token_sha256", "=", token_sha256).execute();
};

/** All sessions of a user except `kept_id`. */
export const deleteSessions = async (
  db: AccountsDb,
  user_id: string,
  kept_id = "",
): Promise<void> => {
  await db
    .deleteFrom("accounts_sessions")
    .where("user_id", "=", user_id)
    .where("id", "!=", kept_id)
    .execute();
};

/** Of every user: those that began before the first time, or were last used before the second. */
export const deleteExpired = async (
  db: AccountsDb,
  { created_after, seen_after }: LiveSince,
): Promise<void> => {
  await db
    .deleteFrom("accounts_sessions")
    .where((e) => e.or([e("created_at", "<=", created_after), e("last_seen_at", "<=", seen_after)]))
    .execute();
};

/** Keeps the `most` newest sessions of a user. */
export const deleteOldest = async (
  db: AccountsDb,
  user_id: string,
  kept_max: number,
): Promise<void> => {
  const oldest = await db
    .selectFrom("accounts_sessions")
    .select("id")
    .where("user_id", "=", user_id)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1_000)
    .offset(kept_max)
    .execute();
  if (oldest.length > 0)
    await db
      .deleteFrom("accounts_sessions")
      .where(
        "id",
        "in",
        oldest.map(({ id }) => id),
      )
      .execute();
};

/** Moves `last_seen_at` forward, never back, for the session and its user. */
export const noteSessionUse = async (db: AccountsDb, id: string, at: number): Promise<void> => {
  const used = await db
    .updateTable("accounts_sessions")
    .set({ last_seen_at: at })
    .where("id", "=", id)
    .where("last_seen_at", "<", at)
    .returning("user_id")
    .executeTakeFirst();
  if (used) await noteSeen(db, used.user_id, at);
};

/** Moves the time when a user was last seen forward, never back. */
export const noteSeen = async (db: AccountsDb, user_id: string, at: number): Promise<void> => {
  await db
    .updateTable("accounts_users")
    .set({ last_seen_at: at })
    .where("id", "=", user_id)
    .where((e) => e.or([e("last_seen_at", "is", null), e("last_seen_at", "<", at)]))
    .execute();
};

/** When each of these users was last seen: in the console, or by one of their keys. */
export async function lastSeen(
  db: AccountsDb,
  user_ids: readonly string[],
): Promise<Map<string, number>> {
  const last_seen_ms = new Map<string, number>();
  if (user_ids.length === 0) return last_seen_ms;
  const note = (rows: readonly { readonly id: string; readonly at: number | null }[]) => {
    for (const { id, at } of rows)
      if (at !== null) last_seen_ms.set(id, Math.max(last_seen_ms.get(id) ?? 0, toNumber(at)));
  };
  note(
    await db
      .selectFrom("accounts_users")
      .select(["id", "last_seen_at as at"])
      .where("id", "in", user_ids)
      .execute(),
  );
  note(
    await db
      .selectFrom("accounts_keys")
      .select((e) => ["user_id as id", e.fn.max("last_used_at").as("at")])
      .where("user_id", "in", user_ids)
      .groupBy("user_id")
      .execute(),
  );
  return last_seen_ms;
}

/** When the link of each of these users expires. */
export async function linkEnds(
  db: AccountsDb,
  user_ids: readonly string[],
): Promise<Map<string, number>> {
  if (user_ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("accounts_password_links")
    .select(["user_id", "expires_at"])
    .where("user_id", "in", user_ids)
    .execute();
  return new Map(rows.map(({ user_id, expires_at }) => [user_id, toNumber(expires_at)]));
}

/** Replaces an earlier link of this user. */
export const putPasswordLink = async (db: AccountsDb, row: PasswordLinkRow): Promise<void> => {
  const { token_sha256, expires_at } = row;
  await db
    .insertInto("accounts_password_links")
    .values(row)
    .onConflict((c) => c.column("user_id").doUpdateSet({ token_sha256, expires_at }))
    .execute();
};

/** The user of a link that has not expired, unless deactivated. */
export const findByPasswordLink = (
  db: AccountsDb,
  token_sha256: string,
  now: number,
): Promise<UserRow | undefined> =>
  db
    .selectFrom("accounts_password_links")
    .innerJoin("accounts_users", "accounts_users.id", "accounts_password_links.user_id")
    .selectAll("accounts_users")
    .where("accounts_password_links.token_sha256", "=", token_sha256)
    .where("expires_at", ">", now)
    .where("active", "=", 1)
    .executeTakeFirst();

export const deletePasswordLink = async (db: AccountsDb, user_id: string): Promise<void> => {
  await db.deleteFrom("accounts_password_links").where("user_id", "=", user_id).execute();
};
