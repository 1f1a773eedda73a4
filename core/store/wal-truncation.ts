/** Truncates the write-ahead log after a deletion, so that deleted text is in no file any more. */
import type { Database } from "bun:sqlite";
import { errorFields, type Log } from "../base/log";
import type { Mutex } from "./mutex";

/** Deletions within this time share one checkpoint. */
const gather_ms = 100;
/** Pause before the next try while a reader on another connection blocks it. */
const retry_ms = 25;
/** How long one try may block the event loop for such a reader. */
const wait_for_readers_ms = 10;
/** How many attempts to gain space, and the pauses in between. */
const space_tries_max = 6;
const space_pause_ms = 4;
/** A reader that stays longer than this is reported, and from then on there are fewer tries. */
const report_after_tries = 80;
const slow_retry_ms = 20 * retry_ms;

interface Checkpoint {
  readonly busy: number;
}

/** What `WalTruncation` needs besides its connection. */
export interface WalTruncationOptions {
  readonly busy_timeout_ms: number;
  readonly log: Log;
  /** Called with every unmodified error of the database. */
  readonly onError: (error: unknown) => void;
  /** Ends the reads of this process that would keep the log. */
  readonly endReads: () => void;
  /** Moves most of the log into the database without blocking anybody. */
  readonly checkpoint: () => Promise<void>;
}

/** Truncates the log of one database as soon as no reader needs it. */
export class WalTruncation {
  private requested = false;
  private running: Promise<void> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;
  private failing = false;

  /** `mutex` is held by the current user of the connection. */
  constructor(
    private readonly database: Database,
    private readonly mutex: Mutex,
    private readonly options: WalTruncationOptions,
  ) {}

  /** Soon, and once for all requests until then. */
  request(): void {
    this.requested = true;
    if (!this.running && !this.timer && !this.stopped)
      this.timer = setTimeout(() => this.start(), gather_ms);
  }

  /**
   * A few tries, between transactions, for the sake of space. Waits for readers between the tries:
   * waiting inside the database would block the event loop. True once the log is empty.
   */
  async tryForSpace(): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      if (await this.tryOnce(0)) return true;
      if (tries === space_tries_max) return false;
      await Bun.sleep(space_pause_ms);
    }
  }

  /** One try, between transactions. True once the log is empty. */
  tryOnce(wait_ms = wait_for_readers_ms): Promise<boolean> {
    return this.mutex.run(() => this.tryNow(wait_ms));
  }

  /**
   * One try, now; only while nobody else uses the connection, because an open transaction would
   * keep its pages in the log. True once the log is empty.
   */
  tryNow(wait_ms = wait_for_readers_ms): boolean {
    try {
      this.options.endReads();
      this.database.run(`pragma busy_timeout = ${wait_ms}`);
      const { busy } = this.database
        .query<Checkpoint, []>("pragma wal_checkpoint(TRUNCATE)")
        .get()!;
      this.failing = false;
      return busy === 0;
    } catch (error) {
      this.options.onError(error);
      // Once, not at every try.
      if (!this.failing)
        this.options.log.warn("the write-ahead log could not be truncated yet", errorFields(error));
      this.failing = true;
      return false;
    } finally {
      this.database.run(`pragma busy_timeout = ${this.options.busy_timeout_ms}`);
    }
  }

  /** Ends with one last try. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
    await this.tryOnce();
  }

  private start(): void {
    this.timer = undefined;
    this.running = this.tryUntilEmpty().finally(() => {
      this.running = undefined;
      if (this.requested) this.request();
    });
  }

  private async tryUntilEmpty(): Promise<void> {
    do {
      this.requested = false;
      await this.options.checkpoint();
      for (let tries = 1; !(await this.tryOnce()) && !this.stopped; tries++) {
        if (tries === report_after_tries && !this.failing)
          this.options.log.warn("a long read keeps deleted text in the write-ahead log");
        await Bun.sleep(tries < report_after_tries ? retry_ms : slow_retry_ms);
      }
    } while (this.requested && !this.stopped);
  }
}
