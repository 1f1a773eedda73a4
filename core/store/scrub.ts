/** Empties the write-ahead log after a deletion, so that deleted text is in no file any more. */
import type { Database } from "bun:sqlite";
import { errorFields, type Log } from "../base/log";
import type { Mutex } from "./mutex";

/** Deletions within this time share one checkpoint. */
const gather_ms = 100;
/** Pause before the next try while a reader of another connection is in the way. */
const retry_ms = 25;
/** How long one try may hold up the event loop for such a reader. */
const wait_for_readers_ms = 10;
/** A reader that stays longer than this is reported. */
const report_after_tries = 80;

interface Checkpoint {
  readonly busy: number;
}

export function createScrub(database: Database, mutex: Mutex, busy_timeout_ms: number, log: Log) {
  let wanted = false;
  let running: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let failing = false;

  /**
   * True once the log is empty. Only between transactions: an open one would keep its pages in the
   * log.
   */
  function tryNow(): boolean {
    try {
      database.run(`pragma busy_timeout = ${wait_for_readers_ms}`);
      const { busy } = database.query<Checkpoint, []>("pragma wal_checkpoint(TRUNCATE)").get()!;
      failing = false;
      return busy === 0;
    } catch (error) {
      // Once, not at every try.
      if (!failing) log.warn("the write-ahead log could not be emptied yet", errorFields(error));
      failing = true;
      return false;
    } finally {
      database.run(`pragma busy_timeout = ${busy_timeout_ms}`);
    }
  }

  async function tryOnce(): Promise<boolean> {
    const free = await mutex.lock();
    try {
      return tryNow();
    } finally {
      free();
    }
  }

  async function untilEmpty(): Promise<void> {
    do {
      wanted = false;
      for (let tries = 1; !(await tryOnce()) && !stopped; tries++) {
        if (tries === report_after_tries && !failing)
          log.warn("a long read keeps deleted text in the write-ahead log");
        await Bun.sleep(tries < report_after_tries ? retry_ms : 20 * retry_ms);
      }
    } while (wanted && !stopped);
  }

  function soon(): void {
    wanted = true;
    if (!running && !timer && !stopped) timer = setTimeout(start, gather_ms);
  }
  function start(): void {
    timer = undefined;
    running = untilEmpty().finally(() => {
      running = undefined;
      if (wanted) soon();
    });
  }

  return {
    /** Soon, once for all who ask meanwhile. */
    soon,
    /** One try, between transactions. True once the log is empty. */
    once: tryOnce,
    /** One try, now; nobody else may use the database yet. */
    tryNow,
    /** Ends with one last try. */
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await running;
      await tryOnce();
    },
  };
}
