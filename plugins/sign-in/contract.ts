/** Sign-in methods for other plugins: how to add one beside email and password. */
import { forbidden, shaped, slot, type Call, type Client } from "../../core/sdk";
import type { KnownSession, Role, User } from "../accounts/contract";
import { console_root } from "../console/contract";

/** A browser that starts to sign in. */
export interface SignInStart extends Pick<Call, "request" | "client"> {
  /**
   * Random and unique to this attempt: it must come back as `state` in the query of the callback.
   */
  readonly state: string;
  /** Where the browser returns to; the provider may require it to be registered. */
  readonly callback_url: string;
}
/** A browser that has returned with the `state` of its attempt, for the first time. */
export interface SignInReturn extends SignInStart {
  /** `callback_url` with everything the provider has added to its query. */
  readonly url: URL;
  /** What `start` returned to be remembered; it is sealed, so nobody has read or changed it. */
  readonly remembered: string;
}

/** The user, normally from `accounts.ensureUser`. */
export interface SignedInUser {
  readonly user: Pick<User, "id">;
  /** Passed to `signOut` when the session ends; sealed until then. At most 16,000 characters. */
  readonly kept?: string | undefined;
}
/** How signing in goes on after its start. */
export type SignInStep =
  /**
   * An absolute http(s) address to which the browser is sent, and from which it returns to
   * `callback_url`.
   */
  | {
      readonly redirect: string;
      /** For `callback`, such as a nonce; at most 1,500 characters. */
      readonly remember?: string;
    }
  /** The request alone suffices, without a redirect. */
  | SignedInUser;

/**
 * A sign-in method of the console. An `HttpError` thrown by `start` or `callback` is shown to the
 * user; any other error is only logged.
 */
export interface SignIn {
  /** Used in its addresses: lower case letters, digits and single dashes. Unique among methods. */
  readonly id: string;
  /** The label of the button: `Sign in with Example`. */
  readonly title: string;
  /**
   * How it is offered to this request: as a button, automatically, or not at all. Must be fast.
   * Default: a button.
   */
  offer?(request: Request, client: Client): "button" | "automatic" | null;
  /** The user has chosen it on a page of this server. */
  start(attempt: SignInStart): Promise<SignInStep>;
  /** The browser has returned. Not needed if `start` never redirects. */
  callback?(back: SignInReturn): Promise<SignedInUser>;
  /**
   * Whether a session may continue, whichever method started it: false if this request carries no
   * valid identity. Called at every request, so it must be fast.
   */
  holds?(session: KnownSession, request: Request, client: Client): boolean | Promise<boolean>;
  /**
   * A session started by this method has ended because its user signed out. Returns the address
   * where the browser signs out at the provider as well, or null. `back_url`: where it may return
   * to.
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
      : "its id must consist of lower-case letters, digits and single dashes"),
  key: ({ id }) => `the way ${id}`,
  // Only users with a password count as signed in.
  otherwise: { offer: () => null, holds: ({ way }) => way === null },
});

/** Where the browser returns to, below the public address of the server. */
export const callbackPath = (way: string): string =>
  `${console_root}/api/v1/sign-in/${way}/callback`;

/** Which values of a claim or header make somebody an administrator or a member. */
export interface RoleRules {
  readonly admin_values: readonly string[];
  /** None: everybody who is not an administrator. */
  readonly member_values: readonly string[];
}
/** The role that follows from these values. @throws HttpError 403 when there is none. */
export function roleOf(
  values: readonly string[],
  { admin_values, member_values }: RoleRules,
): Role {
  if (admin_values.some((value) => values.includes(value))) return "admin";
  if (member_values.length === 0 || member_values.some((value) => values.includes(value)))
    return "member";
  throw forbidden(
    "You are signed in with the provider, but have no role that gives access to this server.",
    "no_role",
  );
}
