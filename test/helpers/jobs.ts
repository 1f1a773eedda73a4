/**
 * A store with the job table in its own directory, a clock controlled by the test, and the log
 * lines.
 */
import { Type } from "@sinclair/typebox";
import { join } from "node:path";
import type { Clock } from "../../core/base/clock";
import { jsonLog, type Log } from "../../core/base/log";
import { SharedNotifier } from "../../core/store/shared-notifier";
import { JobQueue, type JobQueueOptions } from "../../core/jobs/queue";
import type { JobsTables } from "../../core/jobs/store";
import { coreSchema } from "../../core/plugin/migrations";
import type { JobLimits } from "../../core/jobs/contract";
import { event, job } from "../../core/jobs/contract";
import { migrate } from "../../core/store/migrator";
import type { Db, Store } from "../../core/store/store";
import { Pauses } from "./pauses";
import { openTestStore } from "./store";

const Payload = Type.Object({ name: Type.String() });
/** A kind of job that belongs to the test. */
export const Work = job<typeof Payload, string>("test.work", Payload);
/** Another kind of job. */
export const Other = job("test.other", Payload);
/** An event that belongs to the test. */
export const Happened = event("test.happened", Payload);
/** Few attempts, and a minute for each. */
export const limits: JobLimits<{ name: string }> = { attempts_max: 3, timeout_ms: 60_000 };
/** In milliseconds. */
export const second = 1_000;
/** In milliseconds. */
export const minute = 60 * second;

/** A clock that stands still unless the test moves it. */
export interface MovableClock extends Clock {
  /** Sets the clock. */
  move(by_ms: number): void;
  /** Advances the time. */
  pass(ms: number): void;
}

/** The store, and queues on it. */
export interface JobsFixture {
  readonly directory: string;
  readonly store: Store;
  readonly db: Db<JobsTables>;
  readonly clock: MovableClock;
  readonly log: Log;
  readonly lines: string[];
  /** The free disk space reported to the store; its growth limit follows after a moment. */
  readonly disk: { free_bytes: number; reserve_bytes: number };
  queue(
    options?: Pick<JobQueueOptions, "slots_max" | "grace_ms" | "retention" | "observers">,
  ): JobQueue;
  /** The rows of the job table by id. */
  rows(): Promise<JobsTables["core_jobs"][]>;
  states(): Promise<string[]>;
  /** The only job. @throws Error when there are more or none. */
  onlyJob(): Promise<JobsTables["core_jobs"]>;
  close(): Promise<void>;
}

/** Starts at this time. */
export function movableClock(from_ms = Date.UTC(2026, 0, 5, 12)): MovableClock {
  let at_ms = from_ms;
  let up_ms = 0;
  return {
    now_ms: () => at_ms,
    uptime: () => ({ boot: "test", ms: up_ms }),
    pass: (ms) => {
      at_ms += ms;
      up_ms += ms;
    },
    move: (by_ms) => {
      at_ms += by_ms;
    },
  };
}

/** Opens the store, with a table for the effects of jobs. */
export async function openJobs(): Promise<JobsFixture> {
  const lines: string[] = [];
  const log = jsonLog("debug", (line) => lines.push(line));
  const clock = movableClock();
  const disk = { free_bytes: 2 ** 30, reserve_bytes: 2 ** 16 };
  const { store, directory, close } = await openTestStore({ log, freeSpace: () => disk });
  await migrate(store, [coreSchema], clock, { backups: join(directory, "backups"), log });
  await store.db.schema
    .createTable("effects")
    .addColumn("name", "text", (c) => c.notNull())
    .execute();
  const rows = () =>
    store.db.selectFrom("core_jobs").selectAll().orderBy("id").execute() as Promise<
      JobsTables["core_jobs"][]
    >;
  return {
    directory,
    store,
    db: store.db,
    clock,
    log,
    lines,
    disk,
    rows,
    queue: (options = {}) =>
      new JobQueue({ store, clock, log, notifier: new SharedNotifier(store), ...options }),
    states: async () => (await rows()).map(({ state }) => state),
    async onlyJob() {
      const [row, another] = await rows();
      if (!row || another)
        throw new Error(row ? "there are more jobs than one" : "there is no job");
      return row;
    },
    close,
  };
}

/** Records that something happened, in the job's transaction. */
export const recordEffect = (tx: Db<any>, name: string): Promise<unknown> =>
  tx.insertInto("effects").values({ name }).execute();
/** The names recorded by `recordEffect`, sorted. */
export const effectsIn = async (db: Db<any>): Promise<string[]> =>
  (await db.selectFrom("effects").select("name").orderBy("name").execute()).map(
    (row: { name: string }) => row.name,
  );

/** Polls until `met`, for conditions without a promise. Fails after ten seconds. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = "what the test waits for",
): Promise<void> {
  const pauses = new Pauses();
  for (const end = performance.now() + 10_000; !(await condition());) {
    if (performance.now() > end) throw new Error(`${what} did not happen`);
    await pauses.next();
  }
}
