/** CronSchedules: each tick of the cron expression, in UTC, enqueues exactly one job. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { CronSchedules } from "../../core/jobs/cron";
import { takeTick } from "../../core/jobs/store";
import { every, handle } from "../../core/jobs/contract";
import { openJobs, limits, second, until, Work, type JobsFixture } from "../helpers/jobs";

let world: JobsFixture;
const started: CronSchedules[] = [];
beforeEach(async () => {
  world = await openJobs();
});
afterEach(async () => {
  for (const schedules of started.splice(0)) schedules.stop();
  await world.close();
});

function schedules(): CronSchedules {
  const queue = world.queue();
  queue.register(
    "test",
    handle(Work, async () => undefined, limits),
  );
  const cron_schedules = new CronSchedules({
    queue,
    store: world.store,
    log: world.log,
    clock: world.clock,
  });
  started.push(cron_schedules);
  return cron_schedules;
}
const keys = async () => (await world.rows()).map((row) => row.key);

describe("a schedule", () => {
  test("enqueues its job at the tick, in UTC", async () => {
    world.clock.move(-10);
    schedules().add(every("0 12 * * *", Work, { name: "noon" }));
    await Bun.sleep(30);
    expect(await keys()).toEqual([]);
    world.clock.move(10);
    await until(async () => (await keys()).length === 1);
    expect((await world.rows())[0]).toMatchObject({
      payload: `{"name":"noon"}`,
      key: "test.work 2026-01-05T12:00:00.000Z",
    });
  });

  test("does not tick again for a tick that has passed", async () => {
    schedules().add(every("0 12 * * *", Work, { name: "noon" }));
    await Bun.sleep(30);
    expect(await keys()).toEqual([]);
  });

  test("ticks once when two servers reach the same tick", async () => {
    world.clock.move(-second);
    const [one, two] = [schedules(), schedules()];
    for (const each of [one, two]) each.add(every("0 12 * * *", Work, { name: "noon" }));
    world.clock.move(second);
    await until(async () => (await keys()).length > 0);
    await Bun.sleep(50);
    expect((await keys()).length).toBe(1);
  });

  test("with an invalid cron expression is refused", () => {
    expect(() => schedules().add(every("at noon", Work, { name: "noon" }))).toThrow();
  });

  test("does not tick after it was stopped", async () => {
    world.clock.move(-10);
    const cron_schedules = schedules();
    cron_schedules.add(every("0 12 * * *", Work, { name: "noon" }));
    cron_schedules.stop();
    world.clock.move(10);
    await Bun.sleep(30);
    expect(await keys()).toEqual([]);
  });
});

describe("a tick is taken", () => {
  const cases: [why: string, name: string, tick_at: number, now_ms: number, taken: boolean][] = [
    ["the first time", "daily", 100, 100, true],
    ["not twice", "daily", 100, 100, false],
    ["not when an earlier one comes late", "daily", 99, 100, false],
    ["not when an earlier one comes at its time", "daily", 99, 101, false],
    ["when it is the next", "daily", 101, 101, true],
    ["for each schedule", "hourly", 100, 100, true],
    ["when the clock was ahead", "daily", 900, 900, true],
    ["and is right again", "daily", 102, 102, true],
    ["and then not twice", "daily", 102, 103, false],
  ];
  test("in this order", async () => {
    for (const [why, name, tick_at, now_ms, taken] of cases)
      expect([why, await takeTick(world.db, name, tick_at, now_ms)]).toEqual([why, taken]);
  });
});
