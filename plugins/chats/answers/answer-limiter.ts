/**
 * Limits how many answers the server works on at the same time, and how many of them may be waiting
 * for other services, such as a language model. Owners take turns in both.
 */
import { TimeLimit } from "../../../core/lib/timeout";
import type { Shared } from "../../../core/sdk";
import type { AnswerLimits } from "../contract";

const default_limits: AnswerLimits = { concurrency: 4, waiting_max: 64 };
/** An owner may have one in this many of the waiting answers. */
const waiting_share = 8;
/** The limit for each stretch of work on an answer, and for each call that it waits for. */
const stretch_ms_max = 5 * 60_000;
/** Work that ignores its signal loses its permit after this time. */
const grace_ms = 10_000;

interface AnswerLimiters {
  readonly work: ReturnType<Shared["limiter"]>;
  readonly calls: ReturnType<Shared["limiter"]>;
}

/** Counted across all processes, because both limits are for the whole server. */
export class AnswerLimiter {
  private limiters: AnswerLimiters | undefined;

  /** `limits`: from plugins; the first value counts. */
  constructor(
    private readonly limits: () => readonly AnswerLimits[],
    private readonly shared: Pick<Shared, "limiter">,
  ) {}

  /**
   * Does the work when it is its owner's turn. @throws what it throws; the reason of the signal, or
   * Error when a stretch of it takes too long, which fires the signal of the permit too
   */
  async run<R>(
    owner_id: string,
    signal: AbortSignal,
    work: (permit: AnswerPermit) => Promise<R>,
  ): Promise<R> {
    this.limiters ??= this.createLimiters();
    const permit = new AnswerPermit(this.limiters, owner_id, signal);
    try {
      await permit.acquire();
      return await permit.abandonable(() => work(permit));
    } finally {
      permit.release();
    }
  }

  /** Limits are known once every plugin is set up. */
  private createLimiters(): AnswerLimiters {
    const limits = () => this.limits()[0] ?? default_limits;
    return {
      work: this.shared.limiter("chats.answers", () => {
        const { concurrency } = limits();
        // An owner leaves one permit to the others.
        return { concurrency, per_key: Math.max(1, concurrency - 1) };
      }),
      calls: this.shared.limiter("chats.model_calls", () => {
        const { waiting_max } = limits();
        const per_key = Math.max(1, Math.floor(waiting_max / waiting_share));
        return { concurrency: waiting_max, per_key };
      }),
    };
  }
}

/** The permit of one answer, held or waited for. */
export class AnswerPermit {
  /** Fires when the answer must end. */
  readonly signal: AbortSignal;
  private readonly timeout = new AbortController();
  private releasePermit: (() => void) | undefined;
  private calls = 0;

  constructor(
    private readonly limiters: AnswerLimiters,
    private readonly owner_id: string,
    signal: AbortSignal,
  ) {
    this.signal = AbortSignal.any([signal, this.timeout.signal]);
  }

  /**
   * Runs a call that only waits, without the permit, which another answer may use. Waits for the
   * permit again afterwards.
   */
  readonly waitFor = async <R>(call: () => Promise<R>): Promise<R> => {
    this.calls += 1;
    if (this.calls === 1) this.release();
    try {
      return await this.limiters.calls.run(() => this.timed(call), this.entry);
    } finally {
      this.calls -= 1;
      if (this.calls === 0) await this.acquire();
    }
  };

  /** Waits for the permit. */
  async acquire(): Promise<void> {
    const leave = await this.limiters.work.enter(this.entry);
    const timer = this.startTimer();
    this.releasePermit = () => {
      clearTimeout(timer);
      leave();
    };
  }

  /** Gives the permit back. Calling it again has no effect. */
  release(): void {
    this.releasePermit?.();
    this.releasePermit = undefined;
  }

  /** The work, until it is done or has had enough time to end after the signal. */
  async abandonable<R>(work: () => Promise<R>): Promise<R> {
    const limit = new TimeLimit(Infinity, { signal: this.signal, grace_ms });
    try {
      return await limit.race(work());
    } finally {
      limit.clear();
    }
  }

  private get entry() {
    return { key: this.owner_id, signal: this.signal };
  }

  private async timed<R>(call: () => Promise<R>): Promise<R> {
    const timer = this.startTimer();
    try {
      return await call();
    } finally {
      clearTimeout(timer);
    }
  }

  private startTimer(): ReturnType<typeof setTimeout> {
    return setTimeout(
      () => this.timeout.abort(new Error(`it took longer than ${stretch_ms_max / 1_000} s`)),
      stretch_ms_max,
    );
  }
}
