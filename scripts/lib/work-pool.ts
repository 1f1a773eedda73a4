/**
 * Does pieces of work in their order, as many at a time as keep the processors busy: tests that
 * wait for a clock, a browser or a crash take none of it.
 */
import { availableParallelism, cpus } from "node:os";

/** How often it is asked whether there is room for one more. */
const look_ms = 1_000;
/** Below this share of the processors' time left over, nothing more is begun. */
const idle_share_min = 0.2;

export interface Together {
  /** So many are always under way. */
  readonly min: number;
  /** So many at most, when the processors have time left. */
  readonly max: number;
}

export const as_many_as_fit: Together = {
  min: Math.min(5, availableParallelism() + 2),
  max: Math.min(10, availableParallelism() + 6),
};

/** Whether the processors have time left. */
class IdleMeter {
  private idle = 0;
  private total = 0;
  private read_ms = 0;

  constructor() {
    this.share();
  }

  /** False as well until enough time has passed since it was last asked. */
  hasRoom(): boolean {
    return performance.now() - this.read_ms >= look_ms && this.share() > idle_share_min;
  }

  /** Which share of their time was left over since the last call, from 0 to 1. */
  private share(): number {
    this.read_ms = performance.now();
    let idle = 0;
    let total = 0;
    for (const { times } of cpus()) {
      idle += times.idle;
      total += Object.values(times).reduce((sum, one) => sum + one, 0);
    }
    const share = (idle - this.idle) / Math.max(1, total - this.total);
    [this.idle, this.total] = [idle, total];
    return share;
  }
}

/** Resolves to what each piece of work came to; `tell` is called as each of them ends. */
export async function doTogether<T>(
  work: readonly (() => Promise<T>)[],
  { min, max }: Together,
  tell: (outcome: T) => void,
): Promise<T[]> {
  const waiting = [...work];
  const outcomes: T[] = [];
  const running = new Set<Promise<void>>();
  const begin = (): void => {
    const one = waiting.shift()!().then((outcome) => {
      tell(outcome);
      outcomes.push(outcome);
      running.delete(one);
    });
    running.add(one);
  };
  const meter = new IdleMeter();
  while (waiting.length > 0) {
    if (running.size < min || (running.size < max && meter.hasRoom())) begin();
    else await Promise.race([...running, Bun.sleep(look_ms)]);
  }
  await Promise.all(running);
  return outcomes;
}
