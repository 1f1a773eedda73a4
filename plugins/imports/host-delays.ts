/** The pause that each host gets between two requests, whoever they are for. */
import { sleep } from "../../core/lib/timeout";

export interface Pacing {
  /**
   * Waits until the host may be asked again, which nobody else may then for `gap_ms`. @throws what
   * the signal says
   */
  turn(host: string, gap_ms: number, signal: AbortSignal): Promise<void>;
  /** A request has ended: the pause begins now. */
  rest(host: string, gap_ms: number): void;
}

const hosts_max = 1_000;

export function createPacing(now_ms: () => number = () => performance.now()): Pacing {
  const free_at = new Map<string, number>();
  const forgetOld = (): void => {
    if (free_at.size > hosts_max)
      for (const [host, at] of free_at) if (at <= now_ms()) free_at.delete(host);
  };
  const rest: Pacing["rest"] = (host, gap_ms) => {
    if (gap_ms > 0) free_at.set(host, Math.max(free_at.get(host) ?? 0, now_ms() + gap_ms));
  };
  return {
    rest,
    async turn(host, gap_ms, signal) {
      signal.throwIfAborted();
      const wait_ms = (free_at.get(host) ?? 0) - now_ms();
      forgetOld();
      rest(host, Math.max(0, wait_ms) + gap_ms);
      if (wait_ms > 0) await sleep(wait_ms, signal);
    },
  };
}
