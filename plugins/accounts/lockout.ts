/**
 * Slows down who guesses passwords: after a few failures each further try must wait, twice as long
 * each time. Nobody is locked out for good.
 */
import type { Context } from "../../core/sdk";

/**
 * Asynchronous, so that an implementation may share its counts between processes. `MemoryLockout`
 * does not: with it each process allows the failures anew.
 */
export interface Lockout {
  /**
   * Seconds to wait before the next try; 0 when it may be made now. It then counts as a failure
   * until `succeeded`: of many at the same time no more get through than one after the other.
   */
  enter(account: string, address: string): Promise<number>;
  /**
   * The try that `enter` let through was right. What others at this address got wrong stays
   * counted.
   */
  succeeded(account: string, address: string): Promise<void>;
}

/**
 * Failures of one account from one address before the first wait, and of one address over all
 * accounts.
 */
const free_of_account = 5;
const free_of_address = 20;
const first_wait_ms = 5_000;
const wait_ms_max = 15 * 60_000;
/** Failures are forgotten after so long without another. */
const forget_ms = 60 * 60_000;
/** What is kept at the same time; the longest unused goes first. */
const kept_max = 20_000;
/** No account has a longer name: whoever sends one fills no memory with it. */
const account_length_max = 330;

interface Failures {
  readonly count: number;
  readonly until_ms: number;
  readonly last_ms: number;
}

/** Keeps failures in the memory of this process, a bounded number of them. */
export class MemoryLockout implements Lockout {
  /** By address, and by address and account. */
  private readonly kept = new Map<string, Failures>();

  constructor(private readonly ctx: Pick<Context, "now_ms">) {}

  async enter(account: string, address: string): Promise<number> {
    const [mine, network] = subjectsOf(account, address);
    const now = this.ctx.now_ms();
    const until_ms = Math.max(this.find(mine)?.until_ms ?? 0, this.find(network)?.until_ms ?? 0);
    if (until_ms > now) return Math.ceil((until_ms - now) / 1_000);
    this.add(mine, free_of_account);
    this.add(network, free_of_address);
    return 0;
  }

  async succeeded(account: string, address: string): Promise<void> {
    const [mine, network] = subjectsOf(account, address);
    this.kept.delete(mine);
    const of_network = this.kept.get(network);
    if (!of_network) return;
    const count = of_network.count - 1;
    const until_ms = count < free_of_address ? 0 : of_network.until_ms;
    this.kept.set(network, { ...of_network, count, until_ms });
  }

  /** How many are kept now. */
  get size(): number {
    return this.kept.size;
  }

  private find(subject: string): Failures | undefined {
    const found = this.kept.get(subject);
    const now = this.ctx.now_ms();
    // A failure to come was counted before the clock was set back: nobody waits for that time.
    if (!found || found.last_ms > now) return undefined;
    const forgotten_at_ms = Math.max(found.last_ms, found.until_ms) + forget_ms;
    return forgotten_at_ms > now ? found : undefined;
  }

  private add(subject: string, free: number): void {
    const now = this.ctx.now_ms();
    const count = (this.find(subject)?.count ?? 0) + 1;
    const wait_ms = count < free ? 0 : Math.min(wait_ms_max, first_wait_ms * 2 ** (count - free));
    this.kept.delete(subject);
    this.kept.set(subject, { count, until_ms: now + wait_ms, last_ms: now });
    if (this.kept.size > kept_max) this.kept.delete(this.kept.keys().next().value!);
  }
}

/** Under which failures are counted: the account from this address, and the address. */
function subjectsOf(account: string, address: string): [mine: string, network: string] {
  const network = networkOf(address);
  return [`${network} ${account.slice(0, account_length_max)}`, network];
}

/** One IPv6 customer has a /64 at least: its addresses count as one. */
export function networkOf(address: string): string {
  if (!address.includes(":") || address.startsWith("::ffff:")) return address;
  const [head = "", tail] = address.split("%")[0]!.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  const rest = tail === undefined ? [] : tail.split(":").filter((group) => group !== "");
  const missing = tail === undefined ? 0 : 8 - groups.length - rest.length;
  return [...groups, ...Array<string>(Math.max(0, missing)).fill("0"), ...rest]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
