/**
 * Slows down who guesses passwords: after a few failures each further try must wait, twice as long
 * each time. In memory, bounded; nobody is locked out for good.
 */

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
  count: number;
  until_ms: number;
  last_ms: number;
}

export function createLockout({ now_ms }: { readonly now_ms: () => number }) {
  const kept = new Map<string, Failures>();

  const subjects = (account: string, address: string): readonly (readonly [string, number])[] => {
    const network = networkOf(address);
    return [
      [`${network} ${account.slice(0, account_length_max)}`, free_of_account],
      [network, free_of_address],
    ];
  };
  const failuresOf = (subject: string): Failures | undefined => {
    const found = kept.get(subject);
    return found && Math.max(found.last_ms, found.until_ms) + forget_ms > now_ms()
      ? found
      : undefined;
  };
  const add = (subject: string, free: number): void => {
    const count = (failuresOf(subject)?.count ?? 0) + 1;
    const wait_ms = count < free ? 0 : Math.min(wait_ms_max, first_wait_ms * 2 ** (count - free));
    kept.delete(subject);
    kept.set(subject, { count, until_ms: now_ms() + wait_ms, last_ms: now_ms() });
    if (kept.size > kept_max) kept.delete(kept.keys().next().value!);
  };

  return {
    /**
     * Seconds to wait before the next try; 0 when it may be made now. It then counts as a failure
     * until `succeeded`:
     * of many at the same time no more get through than one after the other.
     */
    enter(account: string, address: string): number {
      const mine = subjects(account, address);
      const until_ms = Math.max(...mine.map(([subject]) => failuresOf(subject)?.until_ms ?? 0));
      if (until_ms > now_ms()) return Math.ceil((until_ms - now_ms()) / 1_000);
      for (const [subject, free] of mine) add(subject, free);
      return 0;
    },
    /**
     * The try that `enter` let through was right. What others at this address got wrong stays
     * counted.
     */
    succeeded(account: string, address: string): void {
      const [[mine], [network]] = subjects(account, address) as [
        readonly [string, number],
        readonly [string, number],
      ];
      kept.delete(mine);
      const of_network = kept.get(network);
      if (of_network)
        kept.set(network, {
          ...of_network,
          count: of_network.count - 1,
          until_ms: of_network.count - 1 < free_of_address ? 0 : of_network.until_ms,
        });
    },
    /** How many are kept now. */
    size: (): number => kept.size,
  };
}
export type Lockout = ReturnType<typeof createLockout>;

/** One IPv6 customer has a /64 at least: its addresses count as one. */
function networkOf(address: string): string {
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
