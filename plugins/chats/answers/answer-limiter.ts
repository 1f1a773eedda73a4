/**
 * Limits how many answers the server works on at the same time, and how many of them may be waiting
 * for other services, such as a language model. Owners take turns in both.
 */
import { TimeLimit } from "../../../core/lib/timeout";
import type { Shared } from "../../../core/sdk";
import type { AnswerLimits } from "../contract";

const default_limits: AnswerLimits = { concurrency: 4, waiting_max: 64 };
/** One owner leaves a permit to the others, and has at most this fraction of the waiting ones. */
const waiting_share = 8;
/** The limit for each stretch of work on an answer, and for each call that it waits for. */
const stretch_ms_max = 5 * 60_000;
/** Work that ignores its signal loses its permit after this time. */
const grace_ms = 10_000;

interface Lines {
  readonly work: ReturnType<Shared["limiter"]>;
  readonly calls: ReturnType<Shared["limiter"]>;
}

/** Counted across all processes, because both limits are for the whole server. */
export class AnswerLimiter {
  private lines: Lines | undefined;

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
    const permit = new AnswerPermit(this.open(), owner_id, signal);
    try {
      await permit.acquire();
      return await permit.abandonable(() => work(permit));
    } finally {
      permit.leave();
    }
  }

  /** Limits are known once every plugin is set up. */
  private open(): Lines {
    if (this.lines) return this.lines;
    const limits = () => this.limits()[0] ?? default_limits;
    return (this.lines = {
      work: this.shared.limiter("chats.answers", () => {
        const { concurrency } = limits();
        return { concurrency, per_key: Math.max(1, concurrency - 1) };
      }),
      calls: this.shared.limiter("chats.model_calls", () => {
        const { waiting_max } = limits();
        const per_key = Math.max(1, Math.floor(waiting_max / waiting_share));
        return { concurrency: waiting_max, per_key };
      }),
    });
  }
}

/** The permit of one answer, held or waited for. */
export class AnswerPermit {
  /** Fires when the answer must end. */
  readonly signal: AbortSignal;
  private readonly late = new AbortController();
  private giveBack: (() => void) | undefined;
  private calls = 0;

  constructor(
    private readonly lines: Lines,
    private readonly owner_id: string,
    signal: AbortSignal,
  ) {
    this.signal = AbortSignal.any([signal, this.late.signal]);
  }

  /**
   * Runs a call that only waits, without the permit, which another answer may use. Waits for the
   * permit again afterwards.
   */
  readonly waitFor = async <R>(call: () => Promise<R>): Promise<R> => {
    this.calls += 1;
    if (this.calls === 1) this.leave();
    try {
      return await this.lines.calls.run(() => this.timed(call), this.entry);
    } finally {
      this.calls -= 1;
      if (this.calls === 0) await this.acquire();
    }
  };

  /** Waits for the permit. */
  async acquire(): Promise<void> {
    const leave = await this.lines.work.enter(this.entry);
    const late = this.startTimer();
    this.giveBack = () => {
      clearTimeout(late);
      leave();
    };
  }

  leave(): void {
    this.giveBack?.();
    this.giveBack = undefined;
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
    const late = this.startTimer();
    try {
      return await call();
    } finally {
      clearTimeout(late);
    }
  }

  private startTimer(): ReturnType<typeof setTimeout> {
    return setTimeout(
      () => this.late.abort(new Error(`it took longer than ${stretch_ms_max / 1_000} s`)),
      stretch_ms_max,
    );
  }
}
