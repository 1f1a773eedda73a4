/**
 * First come, first served: so many inside at a time, the others wait; but whoever stays for long
 * holds up only a few.
 */
import { TaskFailure } from "./contract";

export interface Line {
  /**
   * Resolves, when there is room, with what to call on the way out. @throws TaskFailure `aborted`
   * when the signal fires before
   */
  readonly enter: (signal: AbortSignal) => Promise<() => void>;
  /** Somebody has to wait. */
  readonly crowded: () => boolean;
}
export interface LineLimits {
  /** How many are inside at a time. */
  readonly inside_max: number;
  /** After so long inside, one steps aside and another may enter. */
  readonly patience_ms: number;
  /** How many may have stepped aside at a time. */
  readonly aside_max: number;
}

export function createLine({ inside_max, patience_ms, aside_max }: LineLimits): Line {
  let inside = 0;
  let aside = 0;
  const waiting: (() => void)[] = [];
  const admitNext = (): void => {
    if (inside < inside_max) waiting.shift()?.();
  };

  /** Takes a place; returns what gives it back. */
  const takePlace = (): (() => void) => {
    inside++;
    let is_aside = false;
    const patience = setInterval(() => {
      // Nobody is helped by it now; it may be different later.
      if (aside >= aside_max || waiting.length === 0) return;
      clearInterval(patience);
      is_aside = true;
      aside++;
      inside--;
      admitNext();
    }, patience_ms);
    return () => {
      clearInterval(patience);
      if (is_aside) aside--;
      else inside--;
      admitNext();
    };
  };
  const enter: Line["enter"] = (signal) =>
    new Promise((resolve, reject) => {
      const admit = (): void => {
        signal.removeEventListener("abort", giveUp);
        resolve(takePlace());
      };
      const giveUp = (): void => {
        const place = waiting.indexOf(admit);
        if (place >= 0) waiting.splice(place, 1);
        reject(new TaskFailure("aborted", "The task was stopped."));
      };
      if (signal.aborted) return giveUp();
      if (inside < inside_max) return admit();
      signal.addEventListener("abort", giveUp, { once: true });
      waiting.push(admit);
    });
  return { enter, crowded: () => waiting.length > 0 };
}
