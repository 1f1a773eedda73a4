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

/** Administrators manage users and the server; they can't read what others have stored. */
export type Role = "admin" | "member";
/** What a key may do: read, or change something. */
export type Scope = "read" | "write";

/** Times are epoch milliseconds. */
export interface User {
  readonly id: string;
  /** As entered; no two users have addresses that differ only in case. */
  readonly email: string;
  readonly role: Role;
  /** An inactive user can't sign in, and none of their keys works. */
  readonly active: boolean;
  /** True until the invitation is used: there is no password yet. */
  readonly invited: boolean;
  /** False for users who only sign in by other means. */
  readonly has_password: boolean;
  readonly created_at: number;
}
/** A key without its secret, which only its owner knows. Times are epoch milliseconds. */
export interface Key {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  /** The start of the key: identifies it, but grants nothing. */
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly active: boolean;
  readonly created_at: number;
  /** Null: never. */
  readonly expires_at: number | null;
  /** Up to half a minute late while the server runs; null: never used. */
  readonly last_used_at: number | null;
}
/** A user to create. The password is not hashed yet. */
export interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly role: Role;
}
/** A key to create. `expires_at` is in epoch ms; null or missing: never. */
export interface NewKey {
  readonly name: string;
  /** Default: both. */
  readonly scopes?: readonly Scope[];
  readonly expires_at?: number | null;
}

/** A person known to another system: a provider of single sign-on, a directory. */
export interface ExternalUser {
  /** A new user is created with it; later changes are ignored. */
  readonly email: string;
  /** Their role from now on. Default: existing users keep theirs, a new user is a member. */
  readonly role?: Role | undefined;
  /**
   * Their permanent id there: an email address may change hands, this must not. At most 500
   * characters.
   */
  readonly external_id: string;
  /**
   * The scope within which an `external_id` is unique, such as an issuer. Default: the empty text.
   */
  readonly provider?: string;
  /** Whether to create a user for an unknown person. Default: true. */
  readonly create?: boolean;
  /**
   * Which existing users with this email, and without an id of this provider, are taken for this
   * person. Only for addresses verified by the provider; administrators only with `everybody`.
   * Default: nobody.
   */
  readonly link?: "nobody" | "members" | "everybody";
}

/**
 * Every function opens its own transaction, because hashing a password takes long: don't call them
 * inside one.
 */
export interface Accounts {
  /** @throws HttpError 400 on an invalid email or password, 409 when the email is taken. */
  createUser(input: NewUser): Promise<User>;
  /**
   * The user for this person, with the role that they have now: found by `external_id`, otherwise
   * by email if `link` allows it, otherwise created. The last active administrator stays one.
   * @throws HttpError 400 on an invalid email or id, 403 with a sentence for them when they may not
   * sign in: `deactivated`, `not_a_user`, `email_in_use`.
   */
  ensureUser(input: ExternalUser): Promise<User>;
  /** The user for this person, if any, deactivated or not. Quick enough for every request. */
  externalUser(
    identity: Pick<ExternalUser, "external_id" | "provider">,
  ): Promise<Pick<User, "id"> | null>;
  /** By id, or by email ignoring case. @throws HttpError 404. */
  findUser(id_or_email: string): Promise<User>;
  /** Newest first. */
  listUsers(): Promise<User[]>;
  /**
   * The active user with this email and password, or null. Takes equally long for an unknown email
   * and for a wrong password.
   */
  verifyPassword(email: string, password: string): Promise<User | null>;
  /** Ends the user's sessions. @throws HttpError 400 on an invalid password, 404. */
  changePassword(user_id: string, password: string): Promise<void>;
  /**
   * Takes effect at the next request; deactivating a user ends their sessions. @throws HttpError
   * 404, 409 when no active administrator would be left.
   */
  setUserActive(user_id: string, active: boolean): Promise<User>;
  /**
   * Permanent: the transaction signs them out and deletes their keys; their data is deleted
   * afterwards. @throws HttpError 404, 409 when no active administrator would be left.
   */
  deleteUser(user_id: string): Promise<User>;
  /**
   * The token is returned only here. @throws HttpError 400 on an invalid name, scope or expiry,
   * 404.
   */
  createKey(user_id: string, input: NewKey): Promise<{ readonly key: Key; readonly token: string }>;
  /**
   * A key that exists while `work` runs and is deleted without a trace afterwards; one left behind
   * by a crash works for an hour at most. @throws HttpError 404 when there is no such user.
   */
  withTemporaryKey<R>(
    user_id: string,
    name: string,
    work: (token: string) => Promise<R>,
  ): Promise<R>;
  /** Newest first, including deactivated ones. @throws HttpError 404 when there is no such user. */
  listKeys(user_id: string): Promise<Key[]>;
  /**
   * Permanent, from the next request on. @throws HttpError 404 when there is no such key, or it
   * belongs to another user.
   */
  deactivateKey(key_id: string, of_user_id?: string): Promise<Key>;
  /**
   * How to sign in, for the terminal of the person who starts the server, never for a log: it may
   * contain a one-time set-up link.
   */
  signInHint(): Promise<string>;
}
export const Accounts = service<Accounts>("accounts");

/** The origin of a session that began without a password. */
export interface SessionOrigin {
  /** The id of the sign-in way: `oidc`. */
  readonly way: string;
  /**
   * Data that this way needs at the end of the session, such as a token. Stored sealed; at most
   * 16,000 characters.
   */
  readonly kept?: string | undefined;
}
/** A session as session rules see it. */
export interface KnownSession {
  readonly id: string;
  readonly user_id: string;
  /** Null: it began with a password, or a link to set one. */
  readonly way: string | null;
}
/** A session that a sign-in method has begun. */
export interface BegunSession {
  readonly id: string;
  /** The value of `Set-Cookie`, for the response to the same request. */
  readonly cookie: string;
}

/** Users signed in with a browser. */
export interface Sessions {
  /**
   * Begins a session of this user in the browser that sent the request; an earlier one there ends.
   * The caller has verified who the user is. @throws HttpError 403 `deactivated` when the user is
   * deactivated or deleted.
   */
  begin(
    user: Pick<User, "id">,
    call: Pick<Call, "request" | "client">,
    origin?: SessionOrigin,
  ): Promise<BegunSession>;
  /**
   * The caller identified by the cookie of a request, or null: `key_id` is then the session's id.
   * Counts as a use of the session.
   */
  callerOf(request: Request, client: Client): Promise<Caller | null>;
  /** The same for an open stream, which does not count as a use of the session. */
  recheck(request: Request, client: Client): Promise<Caller | null>;
  /**
   * Whether the session and its user are still valid: for streams, which outlive the check of their
   * request.
   */
  isLive(session_id: string): Promise<boolean>;
}
export const Sessions = service<Sessions>("accounts.sessions");

/** A rule about who may be signed in. */
export interface SessionRule {
  /** Why signing in with a password is not allowed now; null when it is. */
  passwordRefusal?(): HttpError | null;
  /**
   * False: the session doesn't count for this request. Called for every request, so it must be
   * quick.
   */
  holds?(session: KnownSession, request: Request, client: Client): boolean | Promise<boolean>;
  /**
   * The session has ended because its user has signed out: returns the address at which the browser
   * continues, or null. `kept` is what was stored when it began.
   */
  signedOut?(
    session: KnownSession & { readonly kept: string | null },
    call: Pick<Call, "request" | "client">,
  ): Promise<string | null>;
}
/** Conditions that plugins put on sessions, such as a header that must still be there. */
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
 * The user is deleted, including their keys and sessions: plugins must delete what they store of
 * the user. Emitted again while something may have been missed.
 */
export const UserDeleted = event("accounts.user_deleted", t.Object({ user_id: t.String() }));

const hour_ms = 3_600_000;
/**
 * The job with which a plugin deletes its data of a deleted user, in small parts. It may run again
 * when nothing is left.
 */
export const purgeOfUser = (
  purge: (user_id: string, signal: AbortSignal) => Promise<void>,
): JobHandler =>
  handle(UserDeleted, ({ user_id }, { signal }) => purge(user_id, signal), {
    attempts_max: 20,
    // Every start continues it.
    crashes_max: Number.MAX_SAFE_INTEGER,
    timeout_ms: 6 * hour_ms,
    // It works in small parts, so it need not take a slot from jobs that somebody is waiting for.
    io_bound: true,
    concurrency: 8,
    ownerOf: ({ user_id }) => user_id,
    uses_reserve: true,
  });
