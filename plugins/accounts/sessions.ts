/** Sessions of the browser: who is signed in, for how long, and by which cookie. */
import {
  HttpError,
  notFound,
  pageWindow,
  toPage,
  type Caller,
  type Page,
  type PageRequest,
  type Client,
} from "../../core/sdk";
import type { Sessions, User } from "./contract";
import type { Lockout } from "./lockout";
import { folded, sessionsChanged, toUser, type AccountsParts } from "./service";
import * as store from "./session-store";
import { findUser, findUserByEmail, type SessionRow } from "./store";
import { newToken, sha256 } from "./token";

export const idle_ms = 12 * 3_600_000;
export const absolute_ms = 14 * 24 * 3_600_000;
/** A user's oldest sessions end when there are more. */
const sessions_max = 100;
const user_agent_length_max = 300;

export interface SessionsParts extends Pick<
  AccountsParts,
  "db" | "reads" | "inTransaction" | "now_ms" | "newId" | "passwords" | "notify"
> {
  readonly lockout: Lockout;
  /** When sessions were last used, as far as that is not written yet. */
  readonly seen: { note(id: string, at_ms: number): void; lastOf(id: string): number | undefined };
}
/** A session that has just begun: the token goes into the cookie, and is kept nowhere. */
export interface SignedIn {
  readonly user: User;
  readonly token: string;
}
/** Times are epoch milliseconds. */
export interface Session extends Pick<
  SessionRow,
  "id" | "created_at" | "last_seen_at" | "address" | "user_agent"
> {
  readonly current: boolean;
}

export function createSessions({
  db,
  reads,
  inTransaction,
  now_ms,
  newId,
  passwords,
  lockout,
  seen,
  notify,
}: SessionsParts) {
  const isFresh = ({
    id,
    created_at,
    last_seen_at,
  }: Pick<SessionRow, "id" | "created_at" | "last_seen_at">): boolean => {
    const now = now_ms();
    return (
      created_at + absolute_ms > now && Math.max(last_seen_at, seen.lastOf(id) ?? 0) + idle_ms > now
    );
  };

  const callerOf: Sessions["callerOf"] = async (request, client) => {
    const token = tokenOf(request, client);
    const session = token === null ? undefined : await store.findByToken(reads, sha256(token));
    if (!session || !isFresh(session)) return null;
    seen.note(session.id, now_ms());
    return {
      owner_id: session.user_id,
      key_id: session.id,
      scopes: ["read", "write"],
      admin: session.role === "admin",
    } satisfies Caller;
  };

  /**
   * Begins a session, and ends the one that this browser had: nobody goes on under a token that was
   * known before. `by`: the hash of the password that was given. @throws HttpError 401 when it has
   * been changed since.
   */
  const begin = async (
    user: User,
    request: Request,
    client: Client,
    by?: string,
  ): Promise<SignedIn> => {
    const token = newToken("dss");
    const before = tokenOf(request, client);
    const now = now_ms();
    const id = newId("ses");
    await inTransaction(async (tx) => {
      // Checking a password takes a while: a change meanwhile has ended all sessions, and this one
      // would have been one of them.
      if (by !== undefined && (await findUser(tx, user.id))?.password_hash !== by)
        throw invalidCredentials();
      await store.deleteExpired(tx, now - absolute_ms, now - idle_ms);
      if (before !== null) await store.deleteByToken(tx, sha256(before));
      await store.insertSession(tx, {
        id,
        user_id: user.id,
        token_sha256: sha256(token),
        created_at: now,
        last_seen_at: now,
        address: client.address,
        user_agent: (request.headers.get("user-agent") ?? "")
          .slice(0, user_agent_length_max)
          .toWellFormed(),
      });
      await store.deleteOldest(tx, user.id, sessions_max);
      notify(sessionsChanged(user.id, id, "created"));
    });
    return { user, token };
  };

  /**
   * Whether it is the user's password, as far as there was no guessing before. @throws HttpError
   * 429 `locked_out`
   */
  const isPassword = async (
    account: string,
    password: string,
    password_hash: string | undefined,
    { address }: Client,
  ): Promise<boolean> => {
    const wait_s = lockout.enter(account, address);
    if (wait_s > 0) throw lockedOut(wait_s);
    const right = await passwords.verify(password, password_hash);
    if (right) lockout.succeeded(account, address);
    return right;
  };

  const end = async (user_id: string, session_id: string): Promise<boolean> => {
    const ended = await store.deleteSession(db, user_id, session_id);
    if (ended) notify(sessionsChanged(user_id, session_id));
    return ended;
  };

  return {
    callerOf,
    begin,

    async isLive(session_id: string): Promise<boolean> {
      const session = await store.findById(reads, session_id);
      return session !== undefined && isFresh(session);
    },

    /**
     * @throws HttpError 401 `invalid_credentials`, the same for an unknown email as for a wrong
     * password, 429 `locked_out`.
     */
    async signIn(
      { email, password }: { readonly email: string; readonly password: string },
      request: Request,
      client: Client,
    ): Promise<SignedIn> {
      const account = folded(email);
      const row = await findUserByEmail(db, account);
      if (!(await isPassword(account, password, row?.password_hash, client)) || row?.active !== 1)
        throw invalidCredentials();
      return begin(toUser(row), request, client, row.password_hash);
    },

    /** @throws HttpError 400 `wrong_password`, 429 `locked_out`. */
    async requirePassword(user_id: string, password: string, client: Client): Promise<void> {
      const row = await findUser(db, user_id);
      if (await isPassword(row?.email_folded ?? "", password, row?.password_hash, client)) return;
      const detail = "This is not your current password.";
      throw new HttpError(400, "wrong_password", detail, {
        errors: [{ pointer: "/current_password", detail }],
      });
    },

    async signOut(request: Request, client: Client): Promise<void> {
      const token = tokenOf(request, client);
      const session = token === null ? undefined : await store.findByToken(reads, sha256(token));
      if (session) await end(session.user_id, session.id);
    },

    async list(user_id: string, current_id: string, page: PageRequest): Promise<Page<Session>> {
      const now = now_ms();
      await store.deleteExpired(db, now - absolute_ms, now - idle_ms);
      const { rows, total } = await store.listSessions(db, user_id, pageWindow(page));
      return toPage(
        rows.map((row) => ({
          ...row,
          last_seen_at: Math.max(row.last_seen_at, seen.lastOf(row.id) ?? 0),
          current: row.id === current_id,
        })),
        total,
        page,
      );
    },

    /** @throws HttpError 404 */
    async end(user_id: string, session_id: string): Promise<void> {
      if (!(await end(user_id, session_id))) throw notFound("session");
    },

    async endOthers(user_id: string, kept_id: string): Promise<void> {
      await store.deleteSessions(db, user_id, kept_id);
      notify(sessionsChanged(user_id));
    },
  };
}
export type SessionService = ReturnType<typeof createSessions>;

const invalidCredentials = () =>
  new HttpError(401, "invalid_credentials", "The email or the password is wrong.", {
    headers: { "www-authenticate": `Session realm="dossier"` },
  });
const lockedOut = (wait_s: number) =>
  new HttpError(429, "locked_out", `There were too many failed tries. Try again in ${wait_s} s.`, {
    headers: { "retry-after": String(wait_s) },
  });

/**
 * Over HTTPS a name that browsers hold to this host and this protocol; over plain HTTP they refuse
 * that one.
 */
const cookieName = ({ secure }: Client): string => (secure ? "__Host-dossier" : "dossier");

/** The token in the cookie, or null. */
function tokenOf({ headers }: Request, client: Client): string | null {
  const name = cookieName(client);
  for (const pair of (headers.get("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}

/** The `Set-Cookie` that keeps the session; without a token the one that takes it away. */
export const sessionCookie = (client: Client, token: string | null): string =>
  `${cookieName(client)}=${token ?? ""}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${token === null ? 0 : absolute_ms / 1_000}${client.secure ? "; Secure" : ""}`;
