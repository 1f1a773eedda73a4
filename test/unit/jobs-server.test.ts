/** The queue as part of a server: it stops, restarts after a crash, wakes up and cleans up. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { JobRetention } from "../../core/jobs/housekeeping";
import { handle, PermanentFailure } from "../../core/jobs/contract";
import { onSqlite } from "../helpers/databases";
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

let world: JobsFixture;
beforeEach(async () => {
  world = await openJobs();
});
afterEach(() => world.close());

describe("stopping", () => {
  test("aborts running jobs without counting the attempt, and claims nothing more", async () => {
    const queue = world.queue();
    let started = 0;
    queue.register(
      "test",
      handle(
        Work,
        (_payload, { signal }) => {
          started += 1;
          return new Promise((_resolve, reject) =>
            signal.addEventListener("abort", () => reject(signal.reason)),
          );
        },
        {
          ...limits,
          attempts_max: 1,
          onExhausted: async (tx) => {
            await recordEffect(tx, "gave up");
          },
        },
      ),
    );
    for (const name of ["a", "b"]) await queue.enqueue(world.db, Work, { name });
    await queue.start();
    await until(() => started === 1);
    await queue.drain(10 * second);
    expect(
      (await world.rows()).map(({ state, attempts, lease_token }) => [
        state,
        attempts,
        lease_token,
      ]),
    ).toEqual([
      ["ready", 0, null],
      ["ready", 0, null],
    ]);
    expect(await effectsIn(world.db)).toEqual([]);
    await queue.enqueue(world.db, Work, { name: "c" });
    expect(await queue.runDue()).toBe(0);
  });

  test("keeps the result of a job that ends in time", async () => {
    const queue = world.queue();
    const started = Promise.withResolvers<void>();
    queue.register(
      "test",
      handle(
        Work,
        ({ name }, { signal }) => {
          started.resolve();
          return new Promise((resolve) =>
            signal.addEventListener("abort", () =>
              resolve(async (tx) => {
                await recordEffect(tx, name);
              }),
            ),
          );
        },
        limits,
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" });
    await queue.start();
    await started.promise;
    await queue.drain(10 * second);
    expect(await world.states()).toEqual(["done"]);
    expect(await effectsIn(world.db)).toEqual(["a"]);
  });

  test("waits no longer than the limit and discards later results", async () => {
    const queue = world.queue();
    const late = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    queue.register(
      "test",
      handle(
        Work,
        async ({ name }) => {
          started.resolve();
          await late.promise;
          return async (tx) => {
            await recordEffect(tx, name);
          };
        },
        limits,
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" });
    await queue.start();
    await started.promise;
    await queue.drain(20);
    expect(await world.onlyJob()).toMatchObject({ state: "ready", attempts: 0 });
    late.resolve();
    await until(() => world.lines.some((line) => line.includes("ended too late")));
    expect(await effectsIn(world.db)).toEqual([]);
  });
});

test("a stopped queue leaves the database alone, however early it was stopped", async () => {
  for (let rounds = 0; rounds < 10; rounds++) {
    const other = await openJobs();
    const queue = other.queue();
    queue.register(
      "test",
      handle(Work, async () => undefined, limits),
    );
    await queue.start();
    for (let turns = 0; turns < rounds; turns++) await new Promise(setImmediate);
    await queue.drain(second);
    await other.close();
    await Bun.sleep(5);
    expect(other.lines.filter((line) => line.includes(`"error"`))).toEqual([]);
  }
});

onSqlite("alone").describe("restarting", () => {
  const interrupted = (attempts: number) =>
    world.db
      .updateTable("core_jobs")
      .set({
        state: "running",
        attempts,
        // This run counts as interrupted when the queue starts again.
        crashes: attempts - 1,
        lease_token: "gone",
        lease_until: world.clock.now_ms() + minute,
      })
      .execute();

  test("immediately reruns jobs that were running when the server ended", async () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(
        Work,
        async ({ name }, { attempt }) =>
          async (tx) => {
            await recordEffect(tx, `${name} ${attempt}`);
          },
        limits,
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" });
    await interrupted(1);
    await queue.start();
    await until(async () => (await world.states())[0] === "done");
    expect(await effectsIn(world.db)).toEqual(["a 2"]);
    await queue.drain(second);
  });

  test("counts an error after two crashes as the first, not the last", async () => {
    const queue = world.queue();
    const runs: string[] = [];
    queue.register(
      "test",
      handle(
        Work,
        async (_payload, { attempt, last }) => {
          runs.push(`${attempt}${last ? " last" : ""}`);
          throw new Error("it fails");
        },
        { ...limits, backoff_ms: () => 0 },
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" });
    await interrupted(2);
    await queue.start();
    await until(async () => (await world.states())[0] === "failed");
    expect(runs).toEqual(["3", "4", "5 last"]);
    await queue.drain(second);
  });

  const crashes: [crashes: number, limits: object, ends: string][] = [
    [1, { attempts_max: 1 }, "failed"],
    [1, { attempts_max: 1, crashes_max: 2 }, "done"],
    [2, { attempts_max: 1, crashes_max: 2 }, "failed"],
    [4, { attempts_max: 3, crashes_max: 5 }, "done"],
  ];
  for (const [cut_off, own, ends] of crashes)
    test(`leaves a job with ${cut_off} crashes and ${JSON.stringify(own)} ${ends}`, async () => {
      const queue = world.queue();
      queue.register(
        "test",
        handle(Work, async () => undefined, { ...limits, ...own }),
      );
      await queue.enqueue(world.db, Work, { name: "a" });
      await interrupted(cut_off);
      await queue.start();
      await until(async () => (await world.states())[0] === ends);
      await queue.drain(second);
    });

  test("gives up and calls onExhausted when the server ended during every attempt", async () => {
    const queue = world.queue();
    let ran = false;
    queue.register(
      "test",
      handle(
        Work,
        async () => {
          ran = true;
        },
        {
          ...limits,
          onExhausted: async (tx, { name }, reason, cause) => {
            await recordEffect(tx, `${name}: ${cause}: ${reason}`);
          },
        },
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" });
    await interrupted(3);
    await queue.start();
    await until(async () => (await world.states())[0] === "failed");
    expect(await effectsIn(world.db)).toEqual([
      "a: crash: the server ended during each of 3 attempts",
    ]);
    expect(ran).toBe(false);
    await queue.drain(second);
  });
});

describe("a running queue", () => {
  test("wakes up for a job once the enqueuing transaction has committed", async () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(
        Work,
        async ({ name }) =>
          async (tx) => {
            await recordEffect(tx, name);
          },
        limits,
      ),
    );
    await queue.start();
    await Bun.sleep(20);
    await world.store.inTransaction(async (tx) => {
      await queue.enqueue(tx, Work, { name: "a" });
      await Bun.sleep(20);
      expect(await world.store.reads.all("select id from core_jobs")).toEqual([]);
    });
    await until(async () => (await effectsIn(world.db)).length === 1);
    await queue.drain(second);
  });

  test("finds jobs written by another process and jobs that become due", async () => {
    const [queue, other] = [world.queue(), world.queue()];
    for (const each of [queue, other])
      each.register(
        "test",
        handle(
          Work,
          async ({ name }) =>
            async (tx) => {
              await recordEffect(tx, name);
            },
          limits,
        ),
      );
    await queue.start();
    await other.enqueue(world.db, Work, { name: "a" });
    await other.enqueue(
      world.db,
      Work,
      { name: "later" },
      { run_at_ms: world.clock.now_ms() + minute },
    );
    await until(async () => (await effectsIn(world.db)).length === 1);
    world.clock.move(minute);
    await until(async () => (await effectsIn(world.db)).length === 2);
    await queue.drain(second);
  });

  test("does not wait for a clock that was set back to catch up", async () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(
        Work,
        async ({ name }) =>
          async (tx) => {
            await recordEffect(tx, name);
          },
        limits,
      ),
    );
    await queue.start();
    await queue.enqueue(
      world.db,
      Work,
      { name: "soon" },
      { run_at_ms: world.clock.now_ms() + second },
    );
    await Bun.sleep(20);
    world.clock.move(-60 * minute);
    await until(async () => (await world.onlyJob()).run_at < world.clock.now_ms() + minute);
    world.clock.move(second);
    await until(async () => (await effectsIn(world.db)).length === 1);
    await queue.drain(second);
  });

  test("reports the number of ready, running and failed jobs", async () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(
        Work,
        async ({ name }) => {
          if (name === "bad") throw new PermanentFailure("bad");
        },
        limits,
      ),
    );
    for (const name of ["bad", "good", "good"]) await queue.enqueue(world.db, Work, { name });
    expect(await queue.queries.counts()).toEqual({ ready: 3, running: 0, failed: 0 });
    await queue.runDue();
    expect(await queue.queries.counts()).toEqual({ ready: 0, running: 0, failed: 1 });
  });

  const day = 24 * 60 * minute;
  const periods: readonly [
    reason: string,
    kept: JobRetention | undefined,
    done: number,
    failed: number,
  ][] = [
    ["a day, and failed ones after a month", undefined, day, 30 * day],
    ["the periods in the settings", { done_ms: 3 * day, failed_ms: 5 * day }, 3 * day, 5 * day],
  ];
  test.each(periods)("deletes finished jobs after %s", async (_reason, retention, done, failed) => {
    const queue = world.queue(retention ? { retention: () => retention } : {});
    queue.register(
      "test",
      handle(
        Work,
        async ({ name }) => {
          if (name === "bad") throw new PermanentFailure("bad");
        },
        limits,
      ),
    );
    for (const name of ["bad", "good", "cancelled"])
      await queue.enqueue(world.db, Work, { name }, { subject: name });
    await queue.cancelJobs(world.db, ["cancelled"]);
    await queue.runDue();
    await queue.start();
    world.clock.pass(done - minute);
    // These are not old enough yet and must survive the next cleanup.
    await queue.enqueue(world.db, Work, { name: "fresh" });
    await until(async () => (await world.states()).join() === "failed,done,cancelled,done");
    world.clock.pass(minute * 20);
    await until(async () => (await world.states()).join() === "failed,done");
    world.clock.pass(failed + day);
    await until(async () => (await world.states()).length === 0);
    await queue.drain(second);
  });

  test("deletes more finished jobs than fit one transaction", async () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(Work, async () => undefined, limits),
    );
    await world.store.inTransaction(async (tx) => {
      for (let n = 0; n < 1_100; n++)
        await queue.enqueue(tx, Work, { name: `${n}` }, { subject: "old" });
    });
    await queue.cancelJobs(world.db, ["old"]);
    await queue.start();
    world.clock.pass(2 * day);
    await until(async () => (await world.states()).length === 0);
    await queue.drain(second);
  });
});

test("a list counts and shows at most ten thousand jobs of a state", async () => {
  const queue = world.queue();
  await world.store.inTransaction(async (tx) => {
    for (let from = 0; from < 10_500; from += 500)
      await tx
        .insertInto("core_jobs")
        .values(
          Array.from({ length: 500 }, (_, n) => ({
            id: `job_${from + n}`,
            plugin: "test",
            name: "test.work",
            payload: "",
            owner: "ada",
            lane: "one",
            lane_max: 1,
            priority: 0,
            state: "done",
            run_at: 1,
            attempts: 1,
            attempts_max: 3,
            crashes: 0,
            created_at: 1,
            finished_at: from + n,
          })),
        )
        .execute();
  });
  const page = async (offset: number) => {
    const { rows, total } = await queue.queries.list("done", { limit: 2, offset });
    return [total, ...rows.map(({ id }) => id)];
  };
  expect(await page(0)).toEqual([10_000, "job_10499", "job_10498"]);
  expect(await page(9_999)).toEqual([10_000, "job_500"]);
  expect(await page(10_000)).toEqual([10_000]);
});
