/** Browser sessions: who is signed in, and for how long. */
import {
  HttpError,
  notFound,
  pageWindow,
  toPage,
  type Call,
  type Caller,
  type Client,
  type Context,
  type Page,
  type PageRequest,
} from "../../core/sdk";
import { sessionsChanged, type AccountContext } from "./context";
import type { BegunSession, SessionOrigin, SessionRule, Sessions, User } from "./contract";
import { deactivated } from "./identities";
import type { LastUseBuffer } from "./last-use";
import type { PasswordVerifier } from "./password-verifier";
import { session_ms_max, sessionCookie, tokenInCookie } from "./session-cookie";
import * as store from "./session-store";
import { findUser, findUserByEmail, type SessionRow } from "./store";
import { newToken, sha256 } from "./token";
import { foldedEmail, toUser } from "./user";

/** Without a request. */
export const idle_ms = 12 * 3_600_000;
/** A user's oldest sessions end when there are more. */
const sessions_max = 100;
const user_agent_length_max = 300;
const kept_length_max = 16_000;
const sealContext = (id: string): string => `accounts_sessions.kept ${id}`;

/** What the sessions need besides `Context`. */
export interface SessionContext
  extends Omit<AccountContext, "emit">, Pick<Context, "certain_now_ms" | "reads" | "sealed"> {
  readonly verifier: PasswordVerifier;
  readonly rules: () => readonly SessionRule[];
  readonly last_use: Pick<LastUseBuffer, "note" | "lastOf">;
}
/** A new session: the token goes into the cookie, and is stored nowhere. */
export interface SignedIn {
  readonly id: string;
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

/** Begins, recognises and ends sessions. */
export class SessionService implements Sessions {
  constructor(private readonly ctx: SessionContext) {}

  async callerOf(request: Request, client: Client): Promise<Caller | null> {
    const caller = await this.recheck(request, client);
    if (caller) this.ctx.last_use.note(caller.key_id, this.ctx.now_ms());
    return caller;
  }

  async recheck(request: Request, client: Client): Promise<Caller | null> {
    const session = await this.findByCookie(request, client);
    if (!session || !this.isFresh(session)) return null;
    for (const rule of this.ctx.rules())
      if (rule.holds && !(await rule.holds(session, request, client))) return null;
    return {
      owner_id: session.user_id,
      key_id: session.id,
      scopes: ["read", "write"],
      admin: session.role === "admin",
    };
  }

  async isLive(session_id: string): Promise<boolean> {
    const session = await store.findById(this.ctx.reads, session_id);
    return session !== undefined && this.isFresh(session);
  }

  /**
   * @throws HttpError 401 `invalid_credentials`, both for an unknown email and for a wrong
   * password, 429 `locked_out`.
   */
  async signIn(
    { email, password }: { readonly email: string; readonly password: string },
    { request, client, about }: Pick<Call, "request" | "client" | "about">,
  ): Promise<SignedIn> {
    this.requirePasswordsAllowed();
    const account = foldedEmail(email);
    const row = await findUserByEmail(this.ctx.db, account);
    // An unknown email may be a password in the wrong field: it is reported nowhere.
    if (row) about(row.id);
    const right = await this.ctx.verifier.verify(
      { account, password, password_hash: row?.password_hash },
      client,
    );
    if (!right || row?.active !== 1) throw invalidCredentials();
    const { password_hash } = row;
    return this.open(toUser(row), { request, client }, { password_hash });
  }

  /** @throws HttpError 403 `password_off` when a rule has disabled signing in with a password. */
  requirePasswordsAllowed(): void {
    for (const rule of this.ctx.rules()) {
      const refusal = rule.passwordRefusal?.();
      if (refusal) throw refusal;
    }
  }

  async begin(
    { id }: Pick<User, "id">,
    call: Pick<Call, "request" | "client">,
    origin?: SessionOrigin,
  ): Promise<BegunSession> {
    const row = await findUser(this.ctx.db, id);
    if (row?.active !== 1) throw deactivated();
    const begun = await this.open(toUser(row), call, { origin });
    return { id: begun.id, cookie: sessionCookie(call.client, begun.token) };
  }

  /**
   * Begins a session, and ends the earlier one of this browser: nobody continues with a token that
   * was known before. `password_hash` is that of the entered password. @throws HttpError 401 when
   * it has been changed since, 403 when the user was deactivated meanwhile.
   */
  async open(
    user: User,
    { request, client }: Pick<Call, "request" | "client">,
    {
      password_hash,
      origin,
    }: { readonly password_hash?: string; readonly origin?: SessionOrigin | undefined } = {},
  ): Promise<SignedIn> {
    const { certain_now_ms, inDeletion, newId, notify, now_ms } = this.ctx;
    const token = newToken("dss");
    const before = tokenInCookie(request, client);
    const now = now_ms();
    const id = newId("ses");
    await inDeletion(async (tx) => {
      // Checking a password takes a while: a change meanwhile has ended all sessions, and would
      // have ended this one.
      const row = await findUser(tx, user.id);
      if (password_hash !== undefined && row?.password_hash !== password_hash)
        throw invalidCredentials();
      if (row?.active !== 1) throw deactivated();
      await store.deleteExpired(tx, liveSince(certain_now_ms()));
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
        way: origin?.way ?? null,
        kept: this.sealed(id, origin?.kept),
      });
      await store.noteSeen(tx, user.id, now);
      await store.deleteOldest(tx, user.id, sessions_max);
      notify(sessionsChanged(user.id, id, "created"));
    });
    return { id, user, token };
  }

  /** Null when it is empty or too long: then only the session here ends. */
  private sealed(id: string, kept: string | undefined): string | null {
    return kept === undefined || kept.length > kept_length_max
      ? null
      : this.ctx.sealed.seal(kept, sealContext(id));
  }

  /** @throws HttpError 400 `wrong_password`, 429 `locked_out`. */
  async requirePassword(user_id: string, password: string, client: Client): Promise<void> {
    const row = await findUser(this.ctx.db, user_id);
    const account = row?.email_folded ?? "";
    if (
      await this.ctx.verifier.verify(
        { account, password, password_hash: row?.password_hash },
        client,
      )
    )
      return;
    const detail = "The current password is wrong.";
    throw new HttpError(400, "wrong_password", detail, {
      errors: [{ pointer: "/current_password", detail }],
    });
  }

  /** The address at which the browser continues, if a rule names one. */
  async signOut(call: Pick<Call, "request" | "client">): Promise<string | null> {
    const session = await this.findByCookie(call.request, call.client);
    const ended = session && (await this.endIfThere(session.user_id, session.id));
    if (!ended) return null;
    const session_data = { ...session, kept: this.unsealed(session.id, ended.kept) };
    for (const rule of this.ctx.rules()) {
      const to = await rule.signedOut?.(session_data, call);
      if (to) return to;
    }
    return null;
  }

  private unsealed(id: string, kept: string | null): string | null {
    try {
      return kept === null ? null : this.ctx.sealed.unseal(kept, sealContext(id));
    } catch {
      // The secret key has changed.
      return null;
    }
  }

  async list(user_id: string, current_id: string, page: PageRequest): Promise<Page<Session>> {
    const { db, last_use, now_ms } = this.ctx;
    const live = liveSince(now_ms());
    const { rows, total } = await store.listSessions(db, user_id, live, pageWindow(page));
    return toPage(
      rows.map((row) => ({
        ...row,
        last_seen_at: Math.max(row.last_seen_at, last_use.lastOf(row.id) ?? 0),
        current: row.id === current_id,
      })),
      total,
      page,
    );
  }

  /** @throws HttpError 404 */
  async end(user_id: string, session_id: string): Promise<void> {
    if (!(await this.endIfThere(user_id, session_id))) throw notFound("session");
  }

  /** Ends all sessions of a user but one. */
  async endOthers(user_id: string, kept_id: string): Promise<void> {
    await store.deleteSessions(this.ctx.db, user_id, kept_id);
    this.ctx.notify(sessionsChanged(user_id));
  }

  private async endIfThere(
    user_id: string,
    session_id: string,
  ): Promise<Pick<SessionRow, "kept"> | undefined> {
    const ended = await store.deleteSession(this.ctx.db, user_id, session_id);
    if (ended) this.ctx.notify(sessionsChanged(user_id, session_id));
    return ended;
  }

  private async findByCookie(
    request: Request,
    client: Client,
  ): Promise<store.PresentedSession | undefined> {
    const token = tokenInCookie(request, client);
    return token === null ? undefined : store.findByToken(this.ctx.reads, sha256(token));
  }

  private isFresh({ id, created_at, last_seen_at }: store.PresentedSession): boolean {
    const now = this.ctx.now_ms();
    const last_use_at = Math.max(last_seen_at, this.ctx.last_use.lastOf(id) ?? 0);
    return isWithin(session_ms_max, created_at, now) && isWithin(idle_ms, last_use_at, now);
  }
}

/** The limits for sessions that are valid at this time. */
export const liveSince = (now: number): store.LiveSince => ({
  created_after: now - session_ms_max,
  seen_after: now - idle_ms,
});

/**
 * Whether that is not longer ago. A time in the future means that the clock was wrong when it was
 * written: no session lasts longer because of that.
 */
const isWithin = (longest_ms: number, at: number, now: number): boolean =>
  Math.abs(now - at) < longest_ms;

const invalidCredentials = () =>
  new HttpError(401, "invalid_credentials", "The email or the password is wrong.", {
    headers: { "www-authenticate": `Session realm="dossier"` },
  });
