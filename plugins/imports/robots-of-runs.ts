/** What hosts have said to us, for as long as a run lasts: a run that is tried again asks again. */
import type { RobotsOfRun } from "./fetching";
import type { Robots } from "./robots";

/**
 * About as many hosts as are fetched from at a time. A robots.txt may take several MiB, and a run
 * may have a host for each of its items.
 */
const kept_max = 64;

export function createRobotsOfRuns() {
  const known = new Map<string, Promise<Robots>>();
  return {
    of(run_id: string): RobotsOfRun {
      const key = (origin: string): string => `${run_id} ${origin}`;
      return {
        get: (origin) => known.get(key(origin)),
        set(origin, asked) {
          known.delete(key(origin));
          known.set(key(origin), asked);
          // The one that nobody has asked for the longest.
          if (known.size > kept_max) known.delete(known.keys().next().value!);
        },
        delete: (origin) => known.delete(key(origin)),
      };
    },
    forget(run_id: string): void {
      for (const key of known.keys()) if (key.startsWith(`${run_id} `)) known.delete(key);
    },
    /** How many are kept now. */
    size: (): number => known.size,
  };
}
