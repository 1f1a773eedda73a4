/**
 * Every SQL statement about accounts. The database is the first parameter, so that the caller
 * decides the transaction.
 */
import {
  listPage,
  pageWindow,
  toNumber,
  type Db,
  type Listed,
  type PageRequest,
  type PreparedReads,
} from "../../core/sdk";
import type { Role } from "./contract";

/** Times are epoch milliseconds, flags 0 or 1. */
export interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly email_folded: string;
  readonly role: Role;
  readonly password_hash: string;
  readonly active: number;
  readonly created_at: number;
  /** In the console; null: never, as far as is known. */
  readonly last_seen_at: number | null;
}
/** An API key. Only the digest of its token is stored. Times are in epoch ms. */
export interface KeyRow {
  readonly id: string;
  readonly user_id: string;
  readonly public_id: string;
  readonly token_sha256: string;
  readonly name: string;
  /** `read`, `write` or `read,write`. */
  readonly scopes: string;
  readonly active: number;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
}
/** A browser session. Only the digest of its token is stored. Times are in epoch ms. */
export interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly token_sha256: string;
  readonly created_at: number;
  readonly last_seen_at: number;
  readonly address: string;
  readonly user_agent: string;
  /** The sign-in way; null: a password. */
  readonly way: string | null;
  /** Sealed: data that this way needs at the end. */
  readonly kept: string | null;
}
/** A user's identity in another system. */
export interface IdentityRow {
  readonly provider: string;
  readonly external_id: string;
  readonly user_id: string;
  readonly created_at: number;
}
/**
 * An invitation of a user without a password, or a link to set a new one. A user has at most one.
 */
export interface PasswordLinkRow {
  readonly user_id: string;
  readonly token_sha256: string;
  readonly expires_at: number;
}
/** A link with which the first administrator is created. `expires_at` is in epoch ms. */
export interface SetupLinkRow {
  readonly token_sha256: string;
  readonly expires_at: number;
  /** The sealed token of the link that every start prints; null for others. */
  readonly sealed: string | null;
}
/** A deleted user: only the id is left. */
export interface DeletedUserRow {
  readonly user_id: string;
  readonly deleted_at: number;
}
export interface AccountsTables {
  accounts_users: UserRow;
  accounts_deletions: DeletedUserRow;
  accounts_keys: KeyRow;
  accounts_setup_links: SetupLinkRow;
  accounts_sessions: SessionRow;
  accounts_password_links: PasswordLinkRow;
  accounts_identities: IdentityRow;
}
export type AccountsDb = Db<AccountsTables>;

/** False when the email is taken. */
export const insertUser = async (db: AccountsDb, row: UserRow): Promise<boolean> =>
  (await db
    .insertInto("accounts_users")
    .values(row)
    .onConflict((c) => c.column("email_folded").doNothing())
    .returning("id")
    .executeTakeFirst()) !== undefined;

export const findUser = (db: AccountsDb, id: string): Promise<UserRow | undefined> =>
  db.selectFrom("accounts_users").selectAll().where("id", "=", id).executeTakeFirst();

export const findUserByEmail = (
  db: AccountsDb,
  email_folded: string,
): Promise<UserRow | undefined> =>
  db
    .selectFrom("accounts_users")
    .selectAll()
    .where("email_folded", "=", email_folded)
    .executeTakeFirst();

const users = (db: AccountsDb) => db.selectFrom("accounts_users").selectAll();
/** All of them, newest first. */
export const listUsers = (db: AccountsDb): Promise<UserRow[]> =>
  users(db).orderBy("created_at", "desc").orderBy("id", "desc").execute();
/** One page of them. */
export const pageOfUsers = (db: AccountsDb, page: PageRequest): Promise<Listed<UserRow>> =>
  listPage(users(db), pageWindow(page));

/** Whether there is an administrator, active or not. */
export const hasAdmin = async (db: AccountsDb): Promise<boolean> =>
  (await db
    .selectFrom("accounts_users")
    .select("id")
    .where("role", "=", "admin")
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** Other administrators who can sign in: users who were only invited can't yet. */
export async function countOtherActiveAdmins(db: AccountsDb, user_id: string): Promise<number> {
  const { others } = await db
    .selectFrom("accounts_users")
    .select((e) => e.fn.countAll().as("others"))
    .where("role", "=", "admin")
    .where("active", "=", 1)
    .where("password_hash", "!=", "")
    .where("id", "!=", user_id)
    .executeTakeFirstOrThrow();
  return toNumber(others);
}

/** The user with this identity in another system. */
export const findByIdentity = (
  db: AccountsDb,
  { provider, external_id }: Pick<IdentityRow, "provider" | "external_id">,
): Promise<UserRow | undefined> =>
  db
    .selectFrom("accounts_identities")
    .innerJoin("accounts_users", "accounts_users.id", "accounts_identities.user_id")
    .selectAll("accounts_users")
    .where("provider", "=", provider)
    .where("external_id", "=", external_id)
    .executeTakeFirst();

/** The same, hand-written and without a cache: it may run for every request. */
export const userIdOf = async (
  reads: PreparedReads,
  { provider, external_id }: Pick<IdentityRow, "provider" | "external_id">,
): Promise<string | undefined> =>
  (
    await reads.get<Pick<IdentityRow, "user_id">>(
      "select user_id from accounts_identities where provider = ? and external_id = ?",
      provider,
      external_id,
    )
  )?.user_id;

/** Whether this provider knows the user by any id. */
export const hasIdentity = async (
  db: AccountsDb,
  user_id: string,
  provider: string,
): Promise<boolean> =>
  (await db
    .selectFrom("accounts_identities")
    .select("user_id")
    .where("user_id", "=", user_id)
    .where("provider", "=", provider)
    .limit(1)
    .executeTakeFirst()) !== undefined;

export const linkIdentity = async (db: AccountsDb, row: IdentityRow): Promise<void> => {
  await db.insertInto("accounts_identities").values(row).execute();
};

/** The user after the change; undefined when there is none. */
export const updateUser = (
  db: AccountsDb,
  id: string,
  values: Partial<Pick<UserRow, "password_hash" | "active" | "role">>,
): Promise<UserRow | undefined> =>
  db
    .updateTable("accounts_users")
    .set(values)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();

/** With every key and identity; sessions and links are deleted before. */
export async function deleteUser(db: AccountsDb, user_id: string, deleted_at: number) {
  await db.deleteFrom("accounts_keys").where("user_id", "=", user_id).execute();
  await db.deleteFrom("accounts_identities").where("user_id", "=", user_id).execute();
  await db.deleteFrom("accounts_users").where("id", "=", user_id).execute();
  await db.insertInto("accounts_deletions").values({ user_id, deleted_at }).execute();
}

/** Deleted users whose data may not be gone yet, oldest first. */
export const deletedUsers = async (db: AccountsDb): Promise<DeletedUserRow[]> =>
  (await db.selectFrom("accounts_deletions").selectAll().orderBy("deleted_at").execute()).map(
    ({ user_id, deleted_at }) => ({ user_id, deleted_at: toNumber(deleted_at) }),
  );

/** Forgets the users deleted before `until`, epoch ms. */
export const forgetDeletedUsers = async (db: AccountsDb, until: number): Promise<void> => {
  await db.deleteFrom("accounts_deletions").where("deleted_at", "<", until).execute();
};

export const insertKey = async (db: AccountsDb, row: KeyRow): Promise<void> => {
  await db.insertInto("accounts_keys").values(row).execute();
};

const keysOf = (db: AccountsDb, user_id: string) =>
  db.selectFrom("accounts_keys").selectAll().where("user_id", "=", user_id);
/** All of them, newest first. */
export const listKeys = (db: AccountsDb, user_id: string): Promise<KeyRow[]> =>
  keysOf(db, user_id).orderBy("created_at", "desc").orderBy("id", "desc").execute();
/** One page of them. */
export const pageOfKeys = (
  db: AccountsDb,
  user_id: string,
  page: PageRequest,
): Promise<Listed<KeyRow>> => listPage(keysOf(db, user_id), pageWindow(page));

export const deleteKey = async (db: AccountsDb, id: string): Promise<void> => {
  await db.deleteFrom("accounts_keys").where("id", "=", id).execute();
};

/** The key after the change; undefined when there is none, or it belongs to another user. */
export const deactivateKey = (
  db: AccountsDb,
  id: string,
  of_user_id: string | undefined,
): Promise<KeyRow | undefined> => {
  const key = db.updateTable("accounts_keys").set({ active: 0 }).where("id", "=", id);
  return (of_user_id === undefined ? key : key.where("user_id", "=", of_user_id))
    .returningAll()
    .executeTakeFirst();
};

/** What a request needs to know of a key. */
export type PresentedKey = Pick<
  KeyRow,
  "id" | "user_id" | "token_sha256" | "scopes" | "expires_at"
> & { readonly role: Role };

/**
 * The key, if neither it nor its user is deactivated. Runs for every request, hence hand-written
 * and without a cache. SQLite takes three times as long for the same as a join.
 */
export async function findWorkingKey(
  reads: PreparedReads,
  public_id: string,
): Promise<PresentedKey | undefined> {
  const key = await reads.get<Omit<PresentedKey, "role"> & { readonly role: Role | null }>(
    `select id, user_id, token_sha256, scopes, expires_at,
      (select role from accounts_users where id = user_id and active = 1) as role
    from accounts_keys where public_id = ? and active = 1`,
    public_id,
  );
  return key && key.role !== null ? (key as PresentedKey) : undefined;
}

/** Moves `last_used_at` forward, never back. */
export async function noteKeyUse(db: AccountsDb, key_id: string, at: number): Promise<void> {
  await db
    .updateTable("accounts_keys")
    .set({ last_used_at: at })
    .where("id", "=", key_id)
    .where((e) => e.or([e("last_used_at", "is", null), e("last_used_at", "<", at)]))
    .execute();
}

export const insertSetupLink = async (db: AccountsDb, row: SetupLinkRow): Promise<void> => {
  await db.insertInto("accounts_setup_links").values(row).execute();
};

/** The link that the last start printed, if it has not expired. */
export const findSetupLinkOfStart = async (
  db: AccountsDb,
  now: number,
): Promise<{ readonly token_sha256: string; readonly sealed: string } | undefined> => {
  const row = await db
    .selectFrom("accounts_setup_links")
    .select(["token_sha256", "sealed"])
    .where("sealed", "is not", null)
    .where("expires_at", ">", now)
    .orderBy("expires_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && { ...row, sealed: row.sealed! };
};

/** Moves the expiry of a link, epoch ms. */
export const extendSetupLink = async (
  db: AccountsDb,
  token_sha256: string,
  expires_at: number,
): Promise<void> => {
  await db
    .updateTable("accounts_setup_links")
    .set({ expires_at })
    .where("token_sha256", "=", token_sha256)
    .execute();
};

/** Deletes the links printed by starts. */
export const deleteSetupLinksOfStarts = async (db: AccountsDb): Promise<void> => {
  await db.deleteFrom("accounts_setup_links").where("sealed", "is not", null).execute();
};

/** Whether the link exists and has not expired at `now`, epoch ms. */
export const hasSetupLink = async (
  db: AccountsDb,
  token_sha256: string,
  now: number,
): Promise<boolean> =>
  (await db
    .selectFrom("accounts_setup_links")
    .select("token_sha256")
    .where("token_sha256", "=", token_sha256)
    .where("expires_at", ">", now)
    .executeTakeFirst()) !== undefined;

export const deleteExpiredSetupLinks = async (db: AccountsDb, now: number): Promise<void> => {
  await db.deleteFrom("accounts_setup_links").where("expires_at", "<=", now).execute();
};

export const deleteSetupLinks = async (db: AccountsDb): Promise<void> => {
  await db.deleteFrom("accounts_setup_links").execute();
};
