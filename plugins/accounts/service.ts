/** The rules about users and keys. Knows nothing of HTTP requests and writes no SQL. */
import {
  badRequest,
  checkedName,
  conflict,
  notFound,
  trimmed,
  type Caller,
  type Change,
  type Db,
  type PreparedReads,
} from "../../core/sdk";
import type { Accounts, Key, NewKey, NewUser, Role, Scope, User } from "./contract";
import { checkPassword, type Passwords } from "./passwords";
import { deletePasswordLink, deleteSessions } from "./session-store";
import * as store from "./store";
import type { AccountsTables, KeyRow, UserRow } from "./store";
import { keyPrefix, newKeyToken, publicIdOf, sameDigest, sha256 } from "./token";

export interface AccountsParts {
  readonly db: Db<AccountsTables>;
  readonly reads: PreparedReads;
  readonly inTransaction: <R>(work: (tx: Db<any>) => Promise<R>) => Promise<R>;
  readonly now_ms: () => number;
  readonly newId: (prefix: string) => string;
  readonly passwords: Passwords;
  readonly notify: (change: Change) => void;
}

/** Everything of the contract but the hint, which belongs to the set-up. */
export type UsersAndKeys = ReturnType<typeof createAccounts>;

/**
 * Sessions of this user have begun or ended, or may do something else now: those who look on look
 * again, and streams of ended ones end.
 */
export const sessionsChanged = (
  owner_id: string,
  id = "all",
  action: Change["action"] = "deleted",
): Change => ({ owner_id, kind: "session", id, action });
const keyChanged = ({ user_id, id }: KeyRow, action: Change["action"]): Change => ({
  owner_id: user_id,
  kind: "key",
  id,
  action,
});

export function createAccounts({
  db,
  inTransaction,
  now_ms,
  newId,
  passwords,
  notify,
}: AccountsParts) {
  const findRow = async (id_or_email: string): Promise<UserRow> => {
    const row = id_or_email.includes("@")
      ? await store.findUserByEmail(db, folded(id_or_email))
      : await store.findUser(db, id_or_email);
    if (!row) throw notFound("user");
    return row;
  };

  /**
   * Takes effect at the next request. @throws HttpError 404, 409 `last_admin` when nobody could
   * administer the server any more.
   */
  const changeUser = (
    user_id: string,
    { role, active }: { readonly role?: Role; readonly active?: boolean },
  ): Promise<User> =>
    inTransaction(async (tx) => {
      const before = await store.findUser(tx, user_id);
      if (!before) throw notFound("user");
      const row = await store.updateUser(tx, user_id, {
        role: role ?? before.role,
        active: active === undefined ? before.active : Number(active),
      });
      const administers = ({ role: as, active: is_active }: UserRow): boolean =>
        as === "admin" && is_active === 1;
      if (
        administers(before) &&
        !administers(row!) &&
        (await store.countOtherActiveAdmins(tx, user_id)) === 0
      )
        throw conflict("This is the last active administrator.", "last_admin");
      if (active === false) await deleteSessions(tx, user_id);
      notify(sessionsChanged(user_id, "all", active === false ? "deleted" : "changed"));
      return toUser(row!);
    });

  return {
    findUser: async (id_or_email) => toUser(await findRow(id_or_email)),

    listUsers: async () => (await store.listUsers(db)).map(toUser),

    async createUser(input) {
      const row = await newUserRow(input, { now_ms, newId, passwords });
      if (!(await store.insertUser(db, row))) throw emailTaken(row.email);
      return toUser(row);
    },

    async verifyPassword(email, password) {
      const row = await store.findUserByEmail(db, folded(email));
      const right = await passwords.verify(password, row?.password_hash);
      return right && row?.active === 1 ? toUser(row) : null;
    },

    /** `kept_session_id`: the session that goes on, when it is the user who changes it. */
    async changePassword(user_id: string, password: string, kept_session_id?: string) {
      checkPassword(password);
      const password_hash = await passwords.hash(password);
      await inTransaction(async (tx) => {
        if (!(await store.updateUser(tx, user_id, { password_hash }))) throw notFound("user");
        await deleteSessions(tx, user_id, kept_session_id);
        await deletePasswordLink(tx, user_id);
        notify(sessionsChanged(user_id));
      });
    },

    setUserActive: (user_id, active) => changeUser(user_id, { active }),
    changeUser,

    async createKey(user_id, input) {
      const user = await findRow(user_id);
      const { row, token } = newKeyRow(user.id, input, { now_ms, newId });
      await store.insertKey(db, row);
      notify(keyChanged(row, "created"));
      return { key: toKey(row), token };
    },

    async listKeys(user_id) {
      await findRow(user_id);
      return (await store.listKeys(db, user_id)).map(toKey);
    },

    async deactivateKey(key_id: string, of_user_id?: string) {
      const row = await store.deactivateKey(db, key_id, of_user_id);
      if (!row) throw notFound("key");
      notify(keyChanged(row, "changed"));
      return toKey(row);
    },
  } satisfies Omit<Accounts, "signInHint"> & { readonly changeUser: typeof changeUser };
}

/**
 * Knows callers by their key: one prepared look-up on each request, nothing cached, so that a
 * deactivated key or user stops at once.
 * `noteUse` hears of every good key.
 */
export const createAuthenticator = ({
  reads,
  now_ms,
  noteUse,
}: Pick<AccountsParts, "reads" | "now_ms"> & {
  readonly noteUse: (key_id: string, at_ms: number) => void;
}) => ({
  async authenticate(token: string): Promise<Caller | null> {
    const public_id = publicIdOf(token);
    const key = public_id === null ? undefined : await store.findWorkingKey(reads, public_id);
    if (!key || !sameDigest(key.token_sha256, sha256(token))) return null;
    const now = now_ms();
    if (key.expires_at !== null && key.expires_at <= now) return null;
    noteUse(key.id, now);
    return { owner_id: key.user_id, key_id: key.id, scopes: scopesOf(key.scopes) };
  },
});

/**
 * A user as it is stored, its password hashed. @throws HttpError 400 on an email or a password that
 * won't do.
 */
export async function newUserRow(
  { email, password, role }: NewUser,
  { now_ms, newId, passwords }: Pick<AccountsParts, "now_ms" | "newId" | "passwords">,
): Promise<UserRow> {
  const address = checkedEmail(email);
  checkPassword(password);
  return {
    id: newId("usr"),
    email: address,
    email_folded: folded(address),
    role,
    password_hash: await passwords.hash(password),
    active: 1,
    created_at: now_ms(),
  };
}

/**
 * A key as it is stored, and its token. @throws HttpError 400 on a name, scopes or an expiry that
 * won't do.
 */
export function newKeyRow(
  user_id: string,
  { name, scopes = everyScope, expires_at = null }: NewKey,
  { now_ms, newId }: Pick<AccountsParts, "now_ms" | "newId">,
): { row: KeyRow; token: string } {
  const now = now_ms();
  if (expires_at !== null && expires_at <= now)
    throw badRequest("The key would have expired already: give a time to come.", "/expires_at");
  const { token, public_id } = newKeyToken();
  const row: KeyRow = {
    id: newId("key"),
    user_id,
    public_id,
    token_sha256: sha256(token),
    name: checkedName(name, "/name"),
    scopes: checkedScopes(scopes),
    active: 1,
    created_at: now,
    expires_at,
    last_used_at: null,
  };
  return { row, token };
}

export const emailTaken = (email: string) =>
  conflict(`There is a user with the email ${email} already.`, "email_taken");

/**
 * One @, a local part of at most 64 characters, a domain of at most 255, no spaces and nothing
 * invisible.
 */
const email_shape =
  /^[^\s\p{C}@<>"(),:;\\[\]]{1,64}@[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}.-]{0,253}[\p{L}\p{M}\p{N}])?$/u;

/** The address as it is stored. @throws HttpError 400 */
export function checkedEmail(text: string): string {
  const email = trimmed(text).normalize("NFC");
  if (!email_shape.test(email) || email.includes(".."))
    throw badRequest(`The email must be an address such as ada@example.com.`, "/email");
  return email;
}
/** Under which an email is unique: the same letters in any case. */
export const folded = (email: string): string => trimmed(email).normalize("NFC").toLowerCase();

const everyScope: readonly Scope[] = ["read", "write"];
const scopeSets: Readonly<Record<string, readonly Scope[]>> = {
  read: ["read"],
  write: ["write"],
  "read,write": everyScope,
};
const scopesOf = (stored: string): readonly Scope[] => scopeSets[stored]!;

function checkedScopes(scopes: readonly string[]): string {
  const unknown = scopes.find((scope) => !(everyScope as readonly string[]).includes(scope));
  if (unknown !== undefined)
    throw badRequest(`There is no scope "${unknown}"; the scopes are read and write.`, "/scopes");
  if (scopes.length === 0)
    throw badRequest("The key needs at least one scope: read or write.", "/scopes");
  return everyScope.filter((scope) => scopes.includes(scope)).join(",");
}

export const toUser = ({ id, email, role, active, password_hash, created_at }: UserRow): User => ({
  id,
  email,
  role: role satisfies Role,
  active: active === 1,
  invited: password_hash === "",
  created_at,
});
const toKey = ({
  id,
  user_id,
  name,
  public_id,
  scopes,
  active,
  created_at,
  expires_at,
  last_used_at,
}: KeyRow): Key => ({
  id,
  user_id,
  name,
  prefix: keyPrefix(public_id),
  scopes: scopesOf(scopes),
  active: active === 1,
  created_at,
  expires_at,
  last_used_at,
});
