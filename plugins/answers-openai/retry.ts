/** Retries of failed calls within a deadline, and a circuit breaker for an unavailable provider. */
import { leftUntil, sleep } from "../../core/lib/timeout";
import { jitter } from "../../core/sdk";
import { ProviderFailure } from "./failure";
import type { ModelHealth } from "./health";

const attempts_max = 3;
const backoff_ms = 250;
const jitter_share = 0.4;

/** The remaining time, and the signal that fires at its end. */
export interface Deadline {
  readonly signal: AbortSignal;
  left_ms(): number;
}

/**
 * Resolves to the result of `work`, or rejects with its last failure. Waits as long as the provider
 * asks for (`Retry-After`) if the deadline allows it.
 */
export async function withRetries<R>(work: () => Promise<R>, deadline: Deadline): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      deadline.signal.throwIfAborted();
      if (
        !(error instanceof ProviderFailure) ||
        !error.options.retryable ||
        attempt === attempts_max
      )
        throw error;
      const pause_ms = Math.max(
        jitter(backoff_ms * 2 ** (attempt - 1), jitter_share),
        error.options.retry_after_ms ?? 0,
      );
      if (pause_ms >= deadline.left_ms()) throw error;
      await sleep(pause_ms, deadline.signal);
    }
  }
}

/** This many failures in a row open the circuit, for this long. */
const failures_max = 5;
const open_ms = 30_000;

/**
 * After five failures in a row no call is made for 30 s; then one at a time probes whether the
 * provider is back.
 */
export class CircuitBreaker {
  private failures = 0;
  private open_until = 0;
  private probing = false;

  constructor(
    private readonly now_ms: () => number,
    private readonly health: Pick<ModelHealth, "failed" | "succeeded">,
  ) {}

  /** The provider is known to be back. */
  close(): void {
    this.failures = 0;
  }

  /** @throws ProviderFailure at once while the circuit is open. */
  async run<R>(work: () => Promise<R>): Promise<R> {
    const is_probe = this.failures >= failures_max;
    if (is_probe && (this.is_open || this.probing))
      throw new ProviderFailure(
        "unavailable",
        "the provider failed several times in a row and is not asked for a while",
        { retryable: false },
      );
    this.probing = is_probe;
    try {
      const result = await work();
      this.failures = 0;
      this.health.succeeded();
      return result;
    } catch (error) {
      if (error instanceof ProviderFailure) this.count(error);
      throw error;
    } finally {
      if (is_probe) this.probing = false;
    }
  }

  /** No calls are made at the moment. */
  get is_open(): boolean {
    const left_ms = leftUntil(this.open_until, this.now_ms(), open_ms);
    return this.failures >= failures_max && left_ms > 0;
  }

  /** A provider that responds is up, whatever it says. */
  private count(failure: ProviderFailure): void {
    this.health.failed(failure);
    const is_down = ["unavailable", "slow", "busy"].includes(failure.kind);
    this.failures = is_down ? this.failures + 1 : 0;
    this.open_until = this.now_ms() + open_ms;
  }
}
