/** The effect of heavy work on others: response times of their requests, and memory. */
import { quantile, rssMib } from "./measure";

/** A request that is repeated while the server does heavy work. */
export interface Probe {
  /** A request of another user. */
  readonly name: string;
  readonly send: () => Promise<unknown>;
}
/** What others notice of the work. */
export interface Noticed {
  /** Durations in milliseconds, by the name of the probe. */
  readonly latencies: ReadonlyMap<string, readonly number[]>;
  /** The peak memory of the server. */
  readonly rss_mib: number;
}

const pause_ms = 5;

/** Sends every probe repeatedly, independently of the others, until `work` has ended. */
export async function noticedDuring(
  pid: number,
  probes: readonly Probe[],
  work: () => Promise<unknown>,
): Promise<Noticed> {
  const latencies = new Map(probes.map(({ name }) => [name, [] as number[]]));
  let rss_mib = 0;
  let ended = false;
  const probing = probes.map(async ({ name, send }) => {
    while (!ended) {
      const begun = performance.now();
      await send();
      latencies.get(name)!.push(performance.now() - begun);
      rss_mib = Math.max(rss_mib, rssMib(pid));
      await Bun.sleep(pause_ms);
    }
  });
  try {
    await work();
  } finally {
    ended = true;
  }
  await Promise.all(probing);
  return { latencies, rss_mib };
}

/** `p50/p99/longest` of these latencies. */
export const spread = (all_ms: readonly number[]): string =>
  [0.5, 0.99, 1]
    .map((part) => quantile(all_ms, part))
    .map((value) => value.toFixed(value < 10 ? 1 : 0))
    .join("/");
