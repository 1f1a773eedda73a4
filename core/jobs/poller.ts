/** Looks for jobs when it is woken, when one becomes due, and at least once a second. */
import type { Clock } from "../base/clock";
import { errorFields, type Log } from "../base/log";
import { withoutOrigin } from "../base/origin";
import type { Store } from "../store/store";
import type { Dispatcher } from "./dispatcher";
import type { Housekeeping } from "./housekeeping";
import { nextRunAt } from "./store";

/** What the poller needs of the queue. */
export interface PollerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly dispatcher: Dispatcher;
  readonly housekeeping: Housekeeping;
}

const poll_ms = 1_000;
/** A poll that takes longer counts as stuck. */
const stuck_ms = 30_000;
/** The delay of the first poll, unless a job is enqueued before: a start has requests to answer. */
const first_poll_ms = 50;
/** The minimum time between two polls while jobs are running. */
const poll_gap_ms = 3;

/** Calls housekeeping and the dispatcher, one poll at a time. */
export class Poller {
  private state: "new" | "started" | "stopped" = "new";
  private timer: ReturnType<typeof setTimeout> | undefined;
  private renewal: ReturnType<typeof setInterval> | undefined;
  /** A poll was requested that has not begun yet. */
  private is_requested = false;
  private is_polling = false;
  private polled_at_ms = 0;
  private is_failing = false;
  private alive_at_ms = performance.now();
  private current_poll: Promise<void> = Promise.resolve();

  constructor(private readonly options: PollerOptions) {}

  /** Polls from now on, until `stop`. */
  start(): void {
    this.state = "started";
    this.alive_at_ms = performance.now();
    // A poll meets the same failure and reports it.
    const renew = () => void this.options.housekeeping.renew().catch(() => undefined);
    this.renewal = withoutOrigin(() => setInterval(renew, poll_ms)).unref();
    this.timer = withoutOrigin(() => setTimeout(() => this.wake(), first_poll_ms));
  }

  /** Why jobs don't run; null when they do, or when it was not started. */
  failure(): string | null {
    if (this.state !== "started") return null;
    if (this.is_failing) return "Jobs can't be claimed.";
    const silent_ms = performance.now() - this.alive_at_ms;
    return silent_ms < stuck_ms
      ? null
      : `The job queue has not been checked for ${Math.round(silent_ms / 1_000)} s.`;
  }

  /** There may be something to run. Returns at once; does nothing before `start`. */
  wake(): void {
    if (this.state !== "started" || this.is_requested) return;
    this.is_requested = true;
    if (this.is_polling) return;
    const start = (): void => {
      if (this.state === "started") this.current_poll = this.poll();
    };
    withoutOrigin(() => setImmediate(start));
  }

  /** When it resolves, nothing here uses the database any more. */
  async stop(): Promise<void> {
    this.state = "stopped";
    clearTimeout(this.timer);
    clearInterval(this.renewal);
    await this.current_poll;
    await this.options.housekeeping.stop();
  }

  private async poll(): Promise<void> {
    const { store, clock, log, dispatcher } = this.options;
    this.is_polling = true;
    let pause_ms = poll_ms;
    try {
      do {
        this.is_requested = false;
        this.alive_at_ms = performance.now();
        clearTimeout(this.timer);
        await this.options.housekeeping.run();
        await this.waitForGap();
        if (this.state !== "started") return;
        if (!(await dispatcher.claim()).is_complete) this.is_requested = true;
        this.is_failing = false;
        if (this.is_requested) continue;
        const next = await nextRunAt(store.db, clock.now_ms());
        if (next !== undefined) pause_ms = Math.min(poll_ms, Math.max(1, next - clock.now_ms()));
      } while (this.is_requested && this.state === "started");
    } catch (error) {
      // Once, not at every poll.
      if (!this.is_failing) log.error("jobs can't be claimed; retrying", errorFields(error));
      this.is_failing = true;
    } finally {
      this.is_polling = false;
      this.is_requested = false;
      if (this.state === "started") this.timer = setTimeout(() => this.wake(), pause_ms);
    }
  }

  /**
   * A poll costs as much as a small job: while jobs are running, the next one covers all that were
   * enqueued or have ended meanwhile.
   */
  private async waitForGap(): Promise<void> {
    if (this.options.dispatcher.slots_taken > 0)
      await Bun.sleep(Math.max(0, this.polled_at_ms + poll_gap_ms - performance.now()));
    this.polled_at_ms = performance.now();
  }
}
