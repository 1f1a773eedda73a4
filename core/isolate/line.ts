/** First come, first served: so many inside at a time, the others wait. */
import { TaskFailure } from "../plugin/define";

export interface Line {
  /** Resolves, when there is room, with what to call on the way out. @throws TaskFailure `aborted` when the signal fires before */
  readonly enter: (signal: AbortSignal) => Promise<() => void>;
}

export function createLine(inside_max: number): Line {
  let inside = 0;
  const waiting: (() => void)[] = [];
  const leave = (): void => {
    inside--;
    waiting.shift()?.();
  };
  const enter: Line["enter"] = (signal) => new Promise((resolve, reject) => {
    const admit = (): void => {
      signal.removeEventListener("abort", giveUp);
      inside++;
      resolve(leave);
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
  return { enter };
}
