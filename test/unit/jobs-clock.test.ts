/**
 * Jobs and ticks while the clock is wrong for a while: nothing gets stuck waiting for a time that
 * was never intended, in the same process or after a restart.
 */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { handle, every } from "../../core/jobs/contract";
import { CronSchedules } from "../../core/jobs/cron";
import type { JobQueue } from "../../core/jobs/queue";
import {
  openJobs,
  limits,
  minute,
  recordEffect,
  effectsIn,
  second,
  until,
  Work,
  type JobsFixture,
} from "../helpers/jobs";

const day = 24 * 60 * minute;
const year = 365 * day;

let world: JobsFixture;
const running: JobQueue[] = [];
beforeEach(async () => {
  world = await openJobs();
});
afterEach(async () => {
  for (const queue of running.splice(0)) await queue.drain(second);
  await world.close();
});

/** Jobs whose name begins with "again" fail on their first run. */
async function start(): Promise<JobQueue> {
  const queue = world.queue();
  queue.register(
    "test",
    handle(
      Work,
      async ({ name }, { attempt }) => {
        if (name.startsWith("again") && attempt === 1) throw new Error("once more");
        return async (tx) => {
          await recordEffect(tx, name);
        };
      },
      { ...limits, backoff_ms: () => minute },
    ),
  );
  await queue.start();
  running.push(queue);
  return queue;
}
const restart = async (queue: JobQueue): Promise<JobQueue> => {
  await queue.drain(second);
  running.splice(running.indexOf(queue), 1);
  return start();
};
const enqueue = (queue: JobQueue, name: string, in_ms: number) =>
  queue.enqueue(world.db, Work, { name }, { run_at_ms: world.clock.now_ms() + in_ms });
/** How long until the only job is due, ms. */
const left = async () => (await world.onlyJob()).run_at - world.clock.now_ms();

describe("a job enqueued while the clock was wrong keeps its intended delay", () => {
  const cases: [why: string, wrong_by: number, restarts: boolean][] = [
    ["a year ahead, then right", year, false],
    ["a year ahead, then right after a restart", year, true],
    ["an hour ahead, then right", 60 * minute, false],
    ["a year behind, then right: it is due at once", -year, false],
    ["a year behind, then right after a restart: it is due at once", -year, true],
  ];
  test.each(cases)("%s", async (_why, wrong_by, restarts) => {
    const queue = await start();
    world.clock.move(wrong_by);
    await enqueue(queue, "soon", minute);
    await Bun.sleep(20);
    expect(await effectsIn(world.db)).toEqual([]);
    world.clock.move(-wrong_by);
    if (restarts) await restart(queue);
    if (wrong_by > 0) {
      await until(async () => (await left()) <= minute);
      expect(await left()).toBeGreaterThan(minute - second);
      world.clock.move(minute);
    }
    await until(async () => (await effectsIn(world.db)).length === 1);
  });
});

test("a job that failed while the clock was ahead is retried after its backoff", async () => {
  const queue = await start();
  world.clock.move(year);
  await enqueue(queue, "again", 0);
  await until(async () => (await world.onlyJob()).error !== null);
  world.clock.move(-year);
  await restart(queue);
  await until(async () => (await left()) <= minute);
  world.clock.move(minute);
  await until(async () => (await effectsIn(world.db)).length === 1);
});

test("a job enqueued before the clock was wrong keeps its time", async () => {
  const queue = await start();
  await enqueue(queue, "later", 30 * day);
  world.clock.move(day);
  await Bun.sleep(20);
  world.clock.move(-day);
  await restart(queue);
  await Bun.sleep(20);
  expect(await left()).toBe(30 * day);
});

test("the times of many jobs enqueued while the clock was ahead are all corrected", async () => {
  const queue = await start();
  world.clock.move(year);
  await world.store.inTransaction(async (tx) => {
    for (let n = 0; n < 1_200; n++)
      await queue.enqueue(
        tx,
        Work,
        { name: `${n}` },
        { run_at_ms: world.clock.now_ms() + minute, queue: "one", queue_concurrency: 1 },
      );
  });
  world.clock.move(-year);
  await restart(queue);
  const late = () =>
    world.db
      .selectFrom("core_jobs")
      .select("id")
      .where("run_at", ">", world.clock.now_ms() + minute)
      .execute();
  await until(async () => (await late()).length === 0);
});

test("a job that finished while the clock was ahead is kept no longer than any other", async () => {
  const queue = await start();
  world.clock.move(year);
  await enqueue(queue, "done", 0);
  await until(async () => (await world.onlyJob()).state === "done");
  world.clock.move(-year);
  await restart(queue);
  await until(async () => (await world.onlyJob()).finished_at! <= world.clock.now_ms());
  world.clock.pass(day + 10 * minute);
  await until(async () => (await world.rows()).length === 0);
});

describe("scheduled ticks stay on time when the clock is", () => {
  const schedule = every("0 12 * * *", Work, { name: "noon" });
  const started: CronSchedules[] = [];
  afterEach(() => {
    for (const schedules of started.splice(0)) schedules.stop();
  });
  function schedules(queue: JobQueue): CronSchedules {
    const { store, log, clock } = world;
    const schedules = new CronSchedules({ queue, store, log, clock, check_ms_max: 5 });
    started.push(schedules);
    schedules.add(schedule);
    return schedules;
  }
  const ticks = async () => (await world.rows()).map(({ key }) => key!.slice(-24)).toSorted();

  const cases: [why: string, wrong_by: number, restarts: boolean][] = [
    ["a year ahead, then right", year, false],
    ["a year ahead, then right after a restart", year, true],
    ["a year behind, then right", -year, false],
    ["a year behind, then right after a restart", -year, true],
  ];
  test.each(cases)("%s", async (_why, wrong_by, restarts) => {
    world.clock.move(-minute);
    const queue = await start();
    const first = schedules(queue);
    world.clock.move(wrong_by);
    await Bun.sleep(20);
    // A tick while the clock is wrong may come on top of the regular ones.
    world.clock.move(minute);
    const in_wrong = new Date(world.clock.now_ms()).toISOString();
    await until(async () => (await ticks()).includes(in_wrong));
    world.clock.move(-wrong_by);
    if (restarts) {
      first.stop();
      schedules(await restart(queue));
    }
    await Bun.sleep(20);
    for (const tick of ["2026-01-06T12:00:00.000Z", "2026-01-07T12:00:00.000Z"]) {
      world.clock.move(day);
      await until(async () => (await ticks()).includes(tick));
    }
    const all = await ticks();
    expect(new Set(all).size).toBe(all.length);
  });
});
