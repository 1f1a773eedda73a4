/**
 * The two cookies of signing in: the attempt, which ties it to this browser, and the error message
 * for the sign-in page. Both are sealed, so nobody can forge or read them, and short-lived.
 */
import type { Client, Context } from "../../core/sdk";

/** Time for signing in at the provider: a password, a second factor, a confirmation by mail. */
export const attempt_s = 10 * 60;
const problem_s = 60;
const problem_length_max = 1_000;

/** A sign-in that has begun in this browser. */
export interface Attempt {
  readonly way: string;
  readonly state: string;
  /** A path of this server. */
  readonly to: string;
  readonly callback_url: string;
  readonly remembered: string;
}
/** Why a sign-in failed, as a sentence. */
export interface Problem {
  readonly detail: string;
}
type Kind = "attempt" | "problem";

/** Writes and reads the cookies. Writers return a value of `Set-Cookie`. */
export class SignInCookies {
  constructor(private readonly ctx: Pick<Context, "now_ms" | "sealed">) {}

  /** The cookie of an attempt. */
  attempt(attempt: Attempt, client: Client): string {
    return this.set("attempt", attempt, attempt_s, client);
  }

  /** The cookie of an error message, which is cut off if it is long. */
  problem({ detail }: Problem, client: Client): string {
    const short = detail.slice(0, problem_length_max).toWellFormed();
    return this.set("problem", { detail: short }, problem_s, client);
  }

  /** The attempt of this browser; null if there is none, or it is too old. */
  readAttempt(request: Request, client: Client): Attempt | null {
    return this.read<Attempt>("attempt", request, client);
  }

  /** The error message for this browser; null if there is none. */
  readProblem(request: Request, client: Client): Problem | null {
    return this.read<Problem>("problem", request, client);
  }

  /** Deletes a cookie. */
  clear(kind: Kind, client: Client): string {
    return cookie(kind, "", 0, client);
  }

  private set(kind: Kind, value: object, age_s: number, client: Client): string {
    const expires_at = this.ctx.now_ms() + age_s * 1_000;
    const sealed = this.ctx.sealed.seal(JSON.stringify({ ...value, expires_at }), bound(kind));
    return cookie(kind, sealed, age_s, client);
  }

  private read<T>(kind: Kind, { headers }: Request, client: Client): T | null {
    const name = `${cookieName(kind, client)}=`;
    const cookie_value = (headers.get("cookie") ?? "")
      .split(";")
      .map((pair) => pair.trim())
      .find((pair) => pair.startsWith(name));
    if (cookie_value === undefined) return null;
    try {
      const text = this.ctx.sealed.unseal(cookie_value.slice(name.length), bound(kind));
      const value = JSON.parse(text) as T & { readonly expires_at: number };
      return value.expires_at > this.ctx.now_ms() ? value : null;
    } catch {
      return null;
    }
  }
}

const bound = (kind: Kind): string => `sign-in.${kind}`;

/**
 * Prefixed as the session cookie is: bound to the host over HTTPS, to the scheme below a base path.
 */
function cookieName(kind: Kind, { secure, base_path }: Client): string {
  const name = `dossier-sign-in-${kind}`;
  return !secure ? name : base_path === "" ? `__Host-${name}` : `__Secure-${name}`;
}

/** `Lax`, because the browser returns from another site. */
const cookie = (kind: Kind, value: string, age_s: number, client: Client): string =>
  `${cookieName(kind, client)}=${value}; Path=${client.base_path || "/"}; HttpOnly; ` +
  `SameSite=Lax; Max-Age=${age_s}${client.secure ? "; Secure" : ""}`;
