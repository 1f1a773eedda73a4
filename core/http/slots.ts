/** The two things the front door asks plugins for. */
import { slot } from "../plugin/refs";
import type { Caller } from "./route";

/** Knows a caller by the token of `Authorization: Bearer`, or answers null. Exactly one plugin fills it. */
export const Authenticator = slot<{ authenticate(token: string): Caller | null }>("http.authenticator");

export interface RateLimit {
  /** Requests allowed in a window. */
  readonly limit: number;
  readonly remaining: number;
  /** Unix epoch second at which the window ends. */
  readonly reset_s: number;
  readonly allowed: boolean;
}
/** Counts requests. `subject` is an owner or an address. `charge` 0 only looks. At most one plugin fills it. */
export const RateLimiter = slot<{ take(subject: string, charge: 0 | 1): RateLimit }>("http.rate_limiter");

/** Lines for the person who started the server: how to sign in. Printed once the address is open, never logged. */
export const StartNotice = slot<() => Promise<string>>("http.start_notice");
