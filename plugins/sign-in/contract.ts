/** Signing in for other plugins: how to add a way to it, beside email and password. */
import { forbidden, shaped, slot, type Call, type Client } from "../../core/sdk";
import type { KnownSession, Role, User } from "../accounts/contract";
import { console_root } from "../console/contract";

/** A browser that begins to sign in. */
export interface SignInStart extends Pick<Call, "request" | "client"> {
  /** Random, of this attempt alone: it must come back as `state` in the query of the callback. */
  readonly state: string;
  /** Where the browser comes back to; the provider may have to know it beforehand. */
  readonly callback_url: string;
}
/** A browser that has come back, with the `state` that it went with, for the first time. */
export interface SignInReturn extends SignInStart {
  /** `callback_url` with everything that was added to its query. */
  readonly url: URL;
  /** What `start` wanted to be remembered; nobody has seen or changed it. */
  readonly remembered: string;
}

/** Who it is: made with `accounts.ensureUser`, as a rule. */
export interface SignedInUser {
  readonly user: Pick<User, "id">;
  /** Given to `signOut` when the session ends; sealed until then. At most 16,000 characters. */
  readonly kept?: string | undefined;
}
export type SignInStep =
  /** The browser goes there, an absolute http(s) address, and comes back to `callback_url`. */
  | {
      readonly redirect: string;
      /** For `callback`, such as a nonce; at most 1,500 characters. */
      readonly remember?: string;
    }
  /** The request says enough. */
  | SignedInUser;

/**
 * A way to sign in to the console. What `start` and `callback` throw as an `HttpError` is a
 * sentence for whoever signs in; any other error goes into the log alone.
 */
export interface SignIn {
  /** In its addresses: lower case letters, digits and single dashes. Two ways can't share one. */
  readonly id: string;
  /** What the button says: `Sign in with Example`. */
  readonly title: string;
  /**
   * How it is offered to this request: a button, at once without one, or not at all. Must be quick.
   * Default: a button.
   */
  offer?(request: Request, client: Client): "button" | "automatic" | null;
  /** Somebody has chosen it, on a page of this server. */
  start(attempt: SignInStart): Promise<SignInStep>;
  /** The browser is back. Ways whose `start` never redirects need none. */
  callback?(back: SignInReturn): Promise<SignedInUser>;
  /**
   * Whether a session may go on, whichever way it began: false when this request is nobody's. At
   * every request, so it must be quick.
   */
  holds?(session: KnownSession, request: Request, client: Client): boolean | Promise<boolean>;
  /**
   * A session that began this way has ended because its user has signed out: the address where the
   * browser signs out too, or null. `back_url`: where it may come back to.
   */
  signOut?(session: {
    readonly kept: string | null;
    readonly back_url: string;
  }): Promise<string | null>;
}
const id_pattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const isShaped = shaped<SignIn>({
  id: "text",
  title: "text",
  start: "function",
  callback: "function?",
});
export const SignIn = slot<SignIn>("sign-in.ways", {
  check: (value) =>
    isShaped(value) ??
    (id_pattern.test((value as SignIn).id)
      ? null
      : "its id is not lower case letters, digits and single dashes"),
  key: ({ id }) => `the way ${id}`,
  // Nobody but those with a password is believed to be signed in.
  otherwise: { offer: () => null, holds: ({ way }) => way === null },
});

/** Where the browser comes back to, below the public address of the server. */
export const callbackPath = (way: string): string =>
  `${console_root}/api/v1/sign-in/${way}/callback`;

export interface RoleRules {
  readonly admin_values: readonly string[];
  /** None: everybody who is no administrator. */
  readonly member_values: readonly string[];
}
/** What somebody may do of whom these values are said. @throws HttpError 403 when it is nothing. */
export function roleOf(
  values: readonly string[],
  { admin_values, member_values }: RoleRules,
): Role {
  if (admin_values.some((one) => values.includes(one))) return "admin";
  if (member_values.length === 0 || member_values.some((one) => values.includes(one)))
    return "member";
  throw forbidden(
    "You are known where you sign in, but nobody says there that you may come in here.",
    "no_role",
  );
}
