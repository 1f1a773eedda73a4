/** What may be used once, in this process: kept for as long as it could be used again. */
import type { Context } from "../../core/sdk";

/** More than the rate limit lets through from many addresses at once; the oldest go first. */
const kept_max = 20_000;

export class UsedOnce {
  /** Until when, epoch ms, the oldest first. */
  readonly #used = new Map<string, number>();

  constructor(private readonly parts: Pick<Context, "now_ms"> & { readonly keep_ms: number }) {}

  /** False when it was taken before. */
  take(token: string): boolean {
    const { now_ms, keep_ms } = this.parts;
    const now = now_ms();
    for (const [one, until_ms] of this.#used) {
      if (until_ms > now && this.#used.size < kept_max) break;
      this.#used.delete(one);
    }
    if (this.#used.has(token)) return false;
    this.#used.set(token, now + keep_ms);
    return true;
  }

  get size(): number {
    return this.#used.size;
  }
}
