/**
 * Slows down password guessing: after a few failures each further try must wait, twice as long each
 * time. Nobody is locked out for good.
 */
import type { Shared } from "../../core/sdk";

/**
 * Failures before the first wait: of one account from one address, and of one address for all
 * accounts.
 */
const free_of_account = 5;
const free_of_address = 20;
const first_wait_ms = 5_000;
const wait_ms_max = 15 * 60_000;
/** Failures are forgotten after this time without another one. */
const forget_ms = 60 * 60_000;
/** No account has a longer name: sending longer ones must not fill the memory. */
const account_length_max = 330;
/**
 * Accounts per address whose failures are counted separately; the least recently used are dropped
 * first. An address that fails for more of them has to wait itself.
 */
const accounts_max = 200;
/** The scope of the shared entries that count failures. */
export const lockout_scope = "accounts.lockout";

interface Failures {
  readonly count: number;
  readonly until_ms: number;
  readonly last_ms: number;
}
/** The failures of an address; its accounts are in the order of their latest failure. */
interface Known {
  readonly all: Failures;
  readonly accounts: Accounts;
}
type Accounts = readonly (readonly [name: string, failures: Failures])[];

/** One entry per address, so that its counters change together. */
export class Lockout {
  constructor(private readonly ctx: { readonly shared: Pick<Shared, "state"> }) {}

  /**
   * Seconds to wait before the next try; 0 when it may be made now. It then counts as a failure
   * until `succeeded`: concurrent tries get no further than successive ones.
   */
  enter(account: string, address: string): Promise<number> {
    const name = nameOf(account);
    return this.state.change<Known, number>(lockout_scope, networkOf(address), (state, now) => {
      const all = current(state?.all, now);
      const of_account = current(state?.accounts.find(([account]) => account === name)?.[1], now);
      const until_ms = Math.max(all?.until_ms ?? 0, of_account?.until_ms ?? 0);
      if (until_ms > now) return { result: Math.ceil((until_ms - now) / 1_000) };
      const others = without(state?.accounts, name).filter(([, failures]) =>
        current(failures, now),
      );
      const value: Known = {
        all: added(all, free_of_address, now),
        accounts: [
          ...others.slice(1 - accounts_max),
          [name, added(of_account, free_of_account, now)] as const,
        ],
      };
      return { value, keep_ms: keptMs(value, now), result: 0 };
    });
  }

  /** The admitted try was right. Other failures from this address stay counted. */
  succeeded(account: string, address: string): Promise<void> {
    return this.state.change<Known, void>(lockout_scope, networkOf(address), (known, now) => {
      if (known === undefined) return { result: undefined };
      const accounts = without(known.accounts, nameOf(account));
      const count = known.all.count - 1;
      const until_ms = count < free_of_address ? 0 : known.all.until_ms;
      const value: Known = { all: { ...known.all, count, until_ms }, accounts };
      return { value, keep_ms: keptMs(value, now), result: undefined };
    });
  }

  private get state(): Shared["state"] {
    return this.ctx.shared.state;
  }
}

const nameOf = (account: string): string => account.slice(0, account_length_max);

const forgottenAt = ({ last_ms, until_ms }: Failures): number =>
  Math.max(last_ms, until_ms) + forget_ms;

/** A failure in the future was counted before the clock was set back: it is ignored. */
const current = (failures: Failures | undefined, now: number): Failures | undefined =>
  failures && failures.last_ms <= now && forgottenAt(failures) > now ? failures : undefined;

const without = (accounts: Accounts = [], name: string): Accounts =>
  accounts.filter(([account]) => account !== name);

function added(before: Failures | undefined, free: number, now: number): Failures {
  const count = (before?.count ?? 0) + 1;
  const wait_ms = count < free ? 0 : Math.min(wait_ms_max, first_wait_ms * 2 ** (count - free));
  return { count, until_ms: now + wait_ms, last_ms: now };
}

/** Until the last of them is forgotten. */
const keptMs = ({ all, accounts }: Known, now: number): number =>
  Math.max(...[all, ...accounts.map(([, failures]) => failures)].map(forgottenAt)) - now;

/** An IPv6 customer has at least a /64: its addresses count as one. */
export function networkOf(address: string): string {
  if (!address.includes(":") || address.startsWith("::ffff:")) return address;
  const [head = "", tail] = address.split("%")[0]!.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  const last_groups = tail === undefined ? [] : tail.split(":").filter((group) => group !== "");
  const missing = tail === undefined ? 0 : 8 - groups.length - last_groups.length;
  return [...groups, ...Array<string>(Math.max(0, missing)).fill("0"), ...last_groups]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
