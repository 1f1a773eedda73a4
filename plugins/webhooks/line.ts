/** Lets so much run at a time, and no more of it for any one person; the rest waits in line. */

export interface LineLimits {
  readonly each_max: number;
  readonly all_max: number;
  /**
   * Who has not had their turn by then is sent away, milliseconds: a connection does not stay open
   * for ever.
   */
  readonly wait_ms_max: number;
}
export class WaitedTooLong extends Error {
  override readonly name = "WaitedTooLong";
}
/** @throws WaitedTooLong */
export type Line = <R>(who: string, work: () => Promise<R>) => Promise<R>;

export function createLine({ each_max, all_max, wait_ms_max }: LineLimits): Line {
  const running = new Map<string, number>();
  const waiting: { readonly who: string; readonly go: () => void }[] = [];
  let all = 0;

  const count = (who: string, by: 1 | -1) => {
    all += by;
    const now = (running.get(who) ?? 0) + by;
    if (now === 0) running.delete(who);
    else running.set(who, now);
  };
  const admit = () => {
    while (all < all_max) {
      const at = waiting.findIndex(({ who }) => (running.get(who) ?? 0) < each_max);
      if (at < 0) return;
      const [next] = waiting.splice(at, 1);
      count(next!.who, 1);
      next!.go();
    }
  };

  return async (who, work) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const one = { who, go: resolve };
    waiting.push(one);
    const timer = setTimeout(() => {
      const at = waiting.indexOf(one);
      if (at < 0) return;
      waiting.splice(at, 1);
      reject(new WaitedTooLong());
    }, wait_ms_max);
    admit();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
    try {
      return await work();
    } finally {
      count(who, -1);
      admit();
    }
  };
}
