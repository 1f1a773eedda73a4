/** What other plugins may know about accounts: who may sign in, and with which keys. */
import {
  event,
  handle,
  service,
  shaped,
  slot,
  t,
  type Call,
  type Caller,
  type Client,
  type HttpError,
  type JobHandler,
} from "../../core/sdk";

export type Role = "admin" | "member";
export type Scope = "read" | "write";

/** Times are epoch milliseconds. */
export interface User {
  readonly id: string;
  /** As it was entered; no two users have addresses that differ only in case. */
  readonly email: string;
  readonly role: Role;
  /** An inactive user can't sign in, and none of their keys works. */
  readonly active: boolean;
  /** True until the invitation was used: there is no password yet. */
  readonly invited: boolean;
  /** False of those who sign in by other means alone. */
  readonly has_password: boolean;
  readonly created_at: number;
}
/** A key without its secret, which nobody knows but its owner. Times are epoch milliseconds. */
export interface Key {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  /** How the key starts: tells keys apart, and opens nothing. */
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly active: boolean;
  readonly created_at: number;
  /** Null: never. */
  readonly expires_at: number | null;
  /** Up to half a minute late while the server runs; null: never used. */
  readonly last_used_at: number | null;
}
export interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly role: Role;
}
export interface NewKey {
  readonly name: string;
  /** Default: both. */
  readonly scopes?: readonly Scope[];
  readonly expires_at?: number | null;
}

/** Somebody whom another system knows: a provider of single sign-on, a directory. */
export interface ExternalUser {
  /** Where there is no such user yet, one is made with it; an address that changes later stays. */
  readonly email: string;
  /** What they may do from now on. Default: others stay what they are, a new user is a member. */
  readonly role?: Role | undefined;
  /** Who it is there, for good: an email changes hands, this must not. At most 500 characters. */
  readonly external_id: string;
  /** Within which an `external_id` is unique, such as an issuer. Default: the empty text. */
  readonly provider?: string;
  /** Whether a user is made of somebody who is none yet. Default: true. */
  readonly create?: boolean;
  /**
   * Which users with this email, who have no id of this provider yet, are taken for this person.
   * Only for an address that the provider has verified; administrators only with `everybody`.
   * Default: nobody.
   */
  readonly link?: "nobody" | "members" | "everybody";
}

/**
 * Every function opens its own transaction, because a password takes long to hash: call none of
 * them inside one.
 */
export interface Accounts {
  /** @throws HttpError 400 on an email or a password that won't do, 409 when the email is taken. */
  createUser(input: NewUser): Promise<User>;
  /**
   * The user who is this somebody elsewhere, with the role that they have now: found by
   * `external_id`, else by email where `link` allows it, else made. The last active administrator
   * stays one. @throws HttpError 400 on an email or an id that won't do, 403 with a sentence for
   * them when they may not come in: `deactivated`, `not_a_user`, `email_in_use`.
   */
  ensureUser(input: ExternalUser): Promise<User>;
  /** Who that is here, if anybody, deactivated or not. Quick enough for every request. */
  externalUser(
    identity: Pick<ExternalUser, "external_id" | "provider">,
  ): Promise<Pick<User, "id"> | null>;
  /** By id, or by email in any case. @throws HttpError 404. */
  findUser(id_or_email: string): Promise<User>;
  /** Newest first. */
  listUsers(): Promise<User[]>;
  /**
   * The active user with this email and password, or null. Takes as long for an unknown email as
   * for a wrong password.
   */
  verifyPassword(email: string, password: string): Promise<User | null>;
  /** Ends the user's sessions. @throws HttpError 400 on a password that won't do, 404. */
  changePassword(user_id: string, password: string): Promise<void>;
  /**
   * Takes effect at the next request; ends the sessions of a user who is deactivated. @throws
   * HttpError 404, 409 when it would leave no active administrator.
   */
  setUserActive(user_id: string, active: boolean): Promise<User>;
  /**
   * For good: they are signed out and their keys are gone with the transaction; what they have made
   * goes after it. @throws HttpError 404, 409 when it would leave no active administrator.
   */
  deleteUser(user_id: string): Promise<User>;
  /**
   * The token is given here, once, and never again. @throws HttpError 400 on a name, scopes or an
   * expiry that won't do, 404.
   */
  createKey(user_id: string, input: NewKey): Promise<{ readonly key: Key; readonly token: string }>;
  /**
   * A key that is there while `work` runs, and gone without a trace after it; one that a crash
   * leaves behind works for an hour at most. @throws HttpError 404 when there is no such user.
   */
  withTemporaryKey<R>(
    user_id: string,
    name: string,
    work: (token: string) => Promise<R>,
  ): Promise<R>;
  /** Newest first, deactivated ones included. @throws HttpError 404 when there is no such user. */
  listKeys(user_id: string): Promise<Key[]>;
  /**
   * For good, from the next request on. @throws HttpError 404 when there is no such key, or it is
   * not this user's.
   */
  deactivateKey(key_id: string, of_user_id?: string): Promise<Key>;
  /**
   * How to sign in, for the terminal of the person who starts the server, never for a log: it may
   * hold a one-time set-up link.
   */
  signInHint(): Promise<string>;
}
export const Accounts = service<Accounts>("accounts");

/** What is told of a session that began by other means than a password. */
export interface SessionOrigin {
  /** The id of the way: `oidc`. */
  readonly way: string;
  /** What that way needs again when it ends, such as a token. Sealed; at most 16,000 characters. */
  readonly kept?: string | undefined;
}
/** A session as those see it who have a say in it. */
export interface KnownSession {
  readonly id: string;
  readonly user_id: string;
  /** Null: it began with a password, or a link to one. */
  readonly way: string | null;
}
export interface BegunSession {
  readonly id: string;
  /** The value of `Set-Cookie`, for the answer to the same request. */
  readonly cookie: string;
}

/** Who is signed in, in a browser. */
export interface Sessions {
  /**
   * Begins a session of this user in the browser that has sent the request; one that it had ends.
   * Whoever calls it has made sure who the user is. @throws HttpError 403 `deactivated` when the
   * user is deactivated or gone.
   */
  begin(
    user: Pick<User, "id">,
    call: Pick<Call, "request" | "client">,
    origin?: SessionOrigin,
  ): Promise<BegunSession>;
  /**
   * The caller that the cookie of a request stands for, or null: `key_id` is then the session's id.
   * Counts as a use of the session.
   */
  callerOf(request: Request, client: Client): Promise<Caller | null>;
  /** The same for a stream that is open, which is no further use of the session. */
  recheck(request: Request, client: Client): Promise<Caller | null>;
  /**
   * Whether the session, and its user, are still good: for streams, which outlive the look at their
   * request.
   */
  isLive(session_id: string): Promise<boolean>;
}
export const Sessions = service<Sessions>("accounts.sessions");

/** Has a say in who is signed in. */
export interface SessionRule {
  /** Why nobody may sign in with a password now; null when they may. */
  passwordRefusal?(): HttpError | null;
  /** False: this request of the session is nobody's. At every request, so it must be quick. */
  holds?(session: KnownSession, request: Request, client: Client): boolean | Promise<boolean>;
  /**
   * The session has ended because its user has signed out: the address at which the browser goes
   * on, or null. `kept` is what was kept when it began.
   */
  signedOut?(
    session: KnownSession & { readonly kept: string | null },
    call: Pick<Call, "request" | "client">,
  ): Promise<string | null>;
}
export const SessionRules = slot<SessionRule>("accounts.session_rules", {
  check: shaped<SessionRule>({
    passwordRefusal: "function?",
    holds: "function?",
    signedOut: "function?",
  }),
});

/** Nothing is done for this user any more, until an administrator activates them again. */
export const UserDeactivated = event(
  "accounts.user_deactivated",
  t.Object({ user_id: t.String() }),
);

/**
 * The user is gone, and so are their keys and sessions: whoever keeps something of theirs deletes
 * it. Comes again while something may have been missed.
 */
export const UserDeleted = event("accounts.user_deleted", t.Object({ user_id: t.String() }));

const hour_ms = 3_600_000;
/**
 * The job of a plugin that deletes what it keeps of a deleted user, in small parts. It may run
 * again when there is nothing left.
 */
export const purgeOfUser = (
  purge: (user_id: string, signal: AbortSignal) => Promise<void>,
): JobHandler =>
  handle(UserDeleted, ({ user_id }, { signal }) => purge(user_id, signal), {
    attempts_max: 20,
    // Every start goes on with it.
    crashes_max: Number.MAX_SAFE_INTEGER,
    timeout_ms: 6 * hour_ms,
    // In small parts, so that it need take no slot from jobs that somebody waits for.
    io_bound: true,
    concurrency: 8,
    ownerOf: ({ user_id }) => user_id,
    uses_reserve: true,
  });
