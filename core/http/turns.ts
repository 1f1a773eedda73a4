/**
 * Turns for work that takes much memory: one at a time, but nobody holds up the others for long,
 * and nobody has two.
 */
import { createLine } from "../isolate/line";

export interface Turns {
  /**
   * Runs `work` when it is its turn. @throws what it throws, and TaskFailure `aborted` when the
   * signal fires while it waits
   */
  run<T>(who: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}
export interface TurnsLimits {
  /** Work that takes longer, because it waits for something, lets the next one begin beside it. */
  readonly patience_ms: number;
  /** Of how many that is put up with. */
  readonly aside_max: number;
}

export function createTurns(limits: TurnsLimits): Turns {
  const line = createLine({ inside_max: 1, ...limits });
  /** When the last that each has asked for has ended. */
  const own = new Map<string, Promise<void>>();
  return {
    run(who, signal, work) {
      const mine = (own.get(who) ?? Promise.resolve()).then(async () => {
        const leave = await line.enter(signal);
        try {
          return await work();
        } finally {
          leave();
        }
      });
      const ended: Promise<void> = mine
        .then(
          () => undefined,
          () => undefined,
        )
        .then(() => {
          if (own.get(who) === ended) own.delete(who);
        });
      own.set(who, ended);
      return mine;
    },
  };
}
