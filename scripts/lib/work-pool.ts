/**
 * Runs tasks in order, as many at a time as keep the processors busy: many tests only wait, for a
 * clock, a browser or a crash.
 */
import { availableParallelism, cpus } from "node:os";

/** How often to check whether another task can start. */
const check_interval_ms = 1_000;
/** When less of the processor time is idle than this share, no further task starts. */
const idle_share_min = 0.2;

/** How many tasks run at a time. */
export interface Concurrency {
  /** This many always run. */
  readonly min: number;
  /** At most this many run, when the processors are partly idle. */
  readonly max: number;
}

/** For tasks that mostly wait. */
export const as_many_as_fit: Concurrency = {
  min: Math.min(5, availableParallelism() + 2),
  max: Math.min(10, availableParallelism() + 6),
};

/** Tells whether the processors are partly idle. */
class IdleMeter {
  private idle = 0;
  private total = 0;
  private read_ms = 0;

  constructor() {
    this.share();
  }

  /** Also false when it was asked less than `look_ms` ago. */
  hasCapacity(): boolean {
    return performance.now() - this.read_ms >= check_interval_ms && this.share() > idle_share_min;
  }

  /** The idle share of processor time since the last call, 0 to 1. */
  private share(): number {
    this.read_ms = performance.now();
    let idle = 0;
    let total = 0;
    for (const { times } of cpus()) {
      idle += times.idle;
      total += Object.values(times).reduce((sum, time) => sum + time, 0);
    }
    const share = (idle - this.idle) / Math.max(1, total - this.total);
    [this.idle, this.total] = [idle, total];
    return share;
  }
}

/** Returns the outcomes in the order in which they came; `onOutcome` is called for each at once. */
export async function runTogether<T>(
  work: readonly (() => Promise<T>)[],
  { min, max }: Concurrency,
  onOutcome: (outcome: T) => void,
): Promise<T[]> {
  const waiting = [...work];
  const outcomes: T[] = [];
  const running = new Set<Promise<void>>();
  const begin = (): void => {
    const run = waiting.shift()!().then((outcome) => {
      onOutcome(outcome);
      outcomes.push(outcome);
      running.delete(run);
    });
    running.add(run);
  };
  const meter = new IdleMeter();
  while (waiting.length > 0) {
    if (running.size < min || (running.size < max && meter.hasCapacity())) begin();
    else await Promise.race([...running, Bun.sleep(check_interval_ms)]);
  }
  await Promise.all(running);
  return outcomes;
}
