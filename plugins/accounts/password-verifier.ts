/**
 * Checks passwords: a fair share of the server's time for each network, and the lockout of
 * guessers.
 */
import { FairLimiter, LimiterRefusal } from "../../core/lib/limiter";
import { HttpError, type Client } from "../../core/sdk";
import { networkOf, type Lockout } from "./lockout";
import { tooManySignIns, type Passwords } from "./passwords";
import { sha256 } from "./token";

/** What checks passwords and what counts failures. */
export interface PasswordVerifierContext {
  readonly passwords: Pick<Passwords, "verify">;
  readonly lockout: Pick<Lockout, "enter" | "succeeded">;
}
/** The password that somebody entered for an account. */
export interface PasswordAttempt {
  readonly account: string;
  readonly password: string;
  /** The hash of the account; undefined when there is none. */
  readonly password_hash: string | undefined;
}

/** Tries checked at the same time; those of one network take turns. */
const concurrency = 2;
const waiting_max = 1_000;
const waiting_of_network_max = 50;
/** A started try is always completed: others may be waiting for its result. */
const never = new AbortController().signal;

/** Checks few passwords at a time, in turns between networks. */
export class PasswordVerifier {
  private readonly turns = new FairLimiter({
    concurrency,
    waiting_max,
    per_key_max: waiting_of_network_max,
  });
  /** Checks in progress, by what is tried. */
  private readonly under_way = new Map<string, Promise<boolean>>();

  constructor(private readonly ctx: PasswordVerifierContext) {}

  /**
   * Whether it is the account's password, unless there were too many failures. One network's tries
   * are checked one after another, each taking the previous result into account, so that right ones
   * are never counted as guesses; identical concurrent tries are one. @throws HttpError 429
   * `locked_out`, 503 when too many are waiting already.
   */
  verify(attempt: PasswordAttempt, { address }: Client): Promise<boolean> {
    const network = networkOf(address);
    const { account, password, password_hash = "" } = attempt;
    const same = sha256(JSON.stringify([network, account, password, password_hash]));
    const running = this.under_way.get(same);
    if (running) return running;
    const checking = this.turns
      .run(network, never, () => this.check(attempt, address))
      .catch((error: unknown) => {
        throw error instanceof LimiterRefusal ? tooManySignIns() : error;
      })
      .finally(() => this.under_way.delete(same));
    this.under_way.set(same, checking);
    return checking;
  }

  private async check(
    { account, password, password_hash }: PasswordAttempt,
    address: string,
  ): Promise<boolean> {
    const { lockout, passwords } = this.ctx;
    const wait_s = await lockout.enter(account, address);
    if (wait_s > 0) throw lockedOut(wait_s);
    const right = await passwords.verify(password, password_hash);
    if (right) await lockout.succeeded(account, address);
    return right;
  }
}

const lockedOut = (wait_s: number) =>
  new HttpError(429, "locked_out", `Too many failed attempts. Try again in ${wait_s} s.`, {
    headers: { "retry-after": String(wait_s) },
  });
