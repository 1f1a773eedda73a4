/** How runs are ended from outside: time limits, leases, a full disk, cancelling. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { JobQueue } from "../../core/jobs/queue";
import { handle, PermanentFailure } from "../../core/jobs/contract";
import { SharedNotifier } from "../../core/store/shared-notifier";
import { storageFull } from "../../core/store/storage-errors";
import type { Db, Store, TransactionOptions } from "../../core/store/store";
import { on_postgres, onSqlite } from "../helpers/databases";
import {
  openJobs,
  limits,
  minute,
  Other,
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

describe("a time limit", () => {
  test("aborts the signal and counts as a failure", async () => {
    const queue = world.queue();
    const reasons: unknown[] = [];
    queue.register(
      "test",
      handle(
        Work,
        (_payload, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              reasons.push(signal.reason.name);
              reject(signal.reason);
            });
          }),
        {
          attempts_max: 2,
          timeout_ms: 20,
          backoff_ms: () => 0,
          onExhausted: async (_tx, _payload, _reason, cause) => {
            reasons.push(cause);
          },
        },
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" });
    await queue.runDue();
    expect(reasons).toEqual(["AbortError", "AbortError", "timeout"]);
    expect(await world.onlyJob()).toMatchObject({
      state: "failed",
      attempts: 2,
      error: "it took longer than 0.02 s",
    });
  });

  test("frees the slot of a handler that ignores its abort signal and discards its result", async () => {
    const queue = world.queue({ grace_ms: 20 });
    const late = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    queue.register(
      "test",
      handle(
        Work,
        async ({ name }, { attempt }) => {
          if (attempt === 1) {
            await late.promise;
            ended.resolve();
          }
          return async (tx) => {
            await recordEffect(tx, `${name} ${attempt}`);
          };
        },
        { attempts_max: 2, timeout_ms: 20, backoff_ms: () => 0 },
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" });
    await queue.runDue();
    expect(await effectsIn(world.db)).toEqual(["a 2"]);
    late.resolve();
    await ended.promise;
    await Bun.sleep(20);
    expect(await effectsIn(world.db)).toEqual(["a 2"]);
    expect(world.lines.join("\n")).toContain("ignores its abort signal");
  });
});

describe("a lease", () => {
  test("taken over by another queue keeps a late run from writing anything", async () => {
    const [slow, quick] = [world.queue(), world.queue()];
    const late = Promise.withResolvers<void>();
    let first = true;
    for (const queue of [slow, quick])
      queue.register(
        "test",
        handle(
          Work,
          async ({ name }) => {
            if (!first)
              return async (tx) => {
                await recordEffect(tx, `${name} by the thief`);
              };
            first = false;
            await late.promise;
            return async (tx) => {
              await recordEffect(tx, `${name} too late`);
            };
          },
          limits,
        ),
      );
    await slow.enqueue(world.db, Work, { name: "a" });
    const slowRun = slow.runDue();
    await until(async () => (await world.states())[0] === "running");
    // The lease is shorter on PostgreSQL, where other servers wait to take over.
    world.clock.move((on_postgres ? 14 : 29) * second);
    expect(await quick.runDue()).toBe(0);
    world.clock.move(2 * second);
    expect(await quick.runDue()).toBe(1);
    late.resolve();
    await slowRun;
    expect(await effectsIn(world.db)).toEqual(["a by the thief"]);
    expect(await world.onlyJob()).toMatchObject({ state: "done", attempts: 2 });
    expect(world.lines.join("\n")).toContain("ended too late");
  });

  const ends: [why: string, work: () => Promise<any>][] = [
    [
      "a failure",
      async () => {
        throw new Error("late");
      },
    ],
    [
      "a permanent failure",
      async () => {
        throw new PermanentFailure("late");
      },
    ],
  ];
  for (const [why, work] of ends)
    test(`taken over by another queue keeps ${why} from writing anything`, async () => {
      const queue = world.queue();
      const late = Promise.withResolvers<void>();
      queue.register(
        "test",
        handle(
          Work,
          async () => {
            await late.promise;
            return work();
          },
          {
            ...limits,
            onExhausted: async (tx) => {
              await recordEffect(tx, "gave up");
            },
          },
        ),
      );
      await queue.enqueue(world.db, Work, { name: "a" });
      const running = queue.runDue();
      await until(async () => (await world.states())[0] === "running");
      await world.db
        .updateTable("core_jobs")
        .set({ lease_token: "stolen", lease_until: world.clock.now_ms() + minute })
        .execute();
      late.resolve();
      await running;
      expect(await world.onlyJob()).toMatchObject({ state: "running", lease_token: "stolen" });
      expect(await effectsIn(world.db)).toEqual([]);
    });

  test("is renewed while the job runs, and losing it aborts the run", async () => {
    const queue = world.queue();
    const signals: AbortSignal[] = [];
    queue.register(
      "test",
      handle(
        Work,
        (_payload, { signal }) => {
          signals.push(signal);
          return new Promise((_resolve, reject) =>
            signal.addEventListener("abort", () => reject(signal.reason)),
          );
        },
        limits,
      ),
    );
    await queue.start();
    await queue.enqueue(world.db, Work, { name: "a" });
    await until(() => signals.length === 1);
    const before = (await world.onlyJob()).lease_until!;
    world.clock.move(11 * second);
    await until(async () => (await world.onlyJob()).lease_until! >= before + 11 * second);
    world.clock.move(60 * minute);
    await until(async () => (await world.onlyJob()).lease_until! >= before + 60 * minute);
    expect(signals[0]!.aborted).toBe(false);
    await world.db.updateTable("core_jobs").set({ lease_token: "stolen" }).execute();
    world.clock.move(11 * second);
    await until(() => signals[0]!.aborted);
    await queue.drain(second);
  });
});

onSqlite("disks").describe("a full disk", () => {
  const leave = async (free_bytes: number) => {
    world.disk.free_bytes = free_bytes;
    await Bun.sleep(300);
  };
  /** Writes more than the disk has room for. */
  const large = (ran: () => void) => async () => {
    ran();
    return async (tx: Db) => {
      await recordEffect(tx, "x".repeat(200_000));
    };
  };

  test("makes a finished job wait for space without losing its work or an attempt", async () => {
    const queue = world.queue();
    let runs = 0;
    const work = large(() => (runs += 1));
    queue.register("test", handle(Work, work, { ...limits, attempts_max: 1 }));
    await queue.enqueue(world.db, Work, { name: "a" });
    await leave(100_000);
    const running = queue.runDue();
    await until(() => world.lines.some((line) => line.includes("the result of a job waits")));
    expect((await world.onlyJob()).state).toBe("running");
    await leave(2 ** 30);
    await running;
    expect(await world.onlyJob()).toMatchObject({ state: "done", attempts: 1 });
    expect([runs, (await effectsIn(world.db)).length]).toEqual([1, 1]);
  }, 20_000);

  test("does not hold a slot for long: the job is put back without losing an attempt", async () => {
    const queue = world.queue();
    let runs = 0;
    const work = large(() => (runs += 1));
    queue.register("test", handle(Work, work, { ...limits, attempts_max: 1 }));
    await queue.enqueue(world.db, Work, { name: "a" });
    await leave(100_000);
    await queue.runDue();
    expect(await world.onlyJob()).toMatchObject({ state: "ready", attempts: 0 });
    expect((await world.onlyJob()).run_at).toBeGreaterThan(world.clock.now_ms());
    await leave(2 ** 30);
    world.clock.move(minute);
    await queue.runDue();
    expect([runs, (await effectsIn(world.db)).length]).toEqual([2, 1]);
  }, 20_000);

  const rooms: [why: string, after: number, more: number | null][] = [
    ["when another file has been deleted", 100_000, 2 ** 30],
    ["when there is a little more space", 2 ** 22, 2 ** 23],
    ["only when space has grown", 2 ** 22, null],
  ];
  test.each(rooms)("lets its jobs run again %s, without a backoff", async (_why, free, more) => {
    const queue = world.queue();
    let runs = 0;
    const run = async () => {
      runs += 1;
      if (world.disk.free_bytes <= free) throw storageFull();
    };
    queue.register("test", handle(Work, run, limits));
    queue.register(
      "test",
      handle(Other, async () => {}, limits),
    );
    await leave(free);
    await queue.enqueue(world.db, Work, { name: "a" });
    await queue.start();
    await until(async () => runs === 1 && (await world.onlyJob()).state === "ready");
    await leave(more ?? free);
    if (more !== null) await until(async () => (await world.onlyJob()).state === "done");
    else {
      await queue.enqueue(world.db, Other, { name: "b" });
      await until(async () => (await world.states()).includes("done"));
    }
    expect(runs).toBe(more === null ? 1 : 2);
    await queue.drain(second);
  });

  test("lets only deleting jobs run", async () => {
    const queue = world.queue();
    const ran: string[] = [];
    const run = async ({ name }: { name: string }) => {
      ran.push(name);
      return async () => {};
    };
    queue.register("test", handle(Work, run, limits));
    queue.register("test", handle(Other, run, { ...limits, uses_reserve: true }));
    await queue.enqueue(world.db, Work, { name: "adds" });
    await queue.enqueue(world.db, Other, { name: "deletes" });
    await leave(0);
    await world.store.inTransaction((tx) => recordEffect(tx, "x".repeat(200_000))).catch(() => {});
    expect(world.store.isDiskFull()).toBe(true);
    await queue.runDue();
    expect(ran).toEqual(["deletes"]);
    await leave(2 ** 30);
    await until(() => !world.store.isDiskFull());
    await queue.runDue();
    expect(ran).toEqual(["deletes", "adds"]);
  });
});

describe("cancelling", () => {
  test("ends waiting jobs of the given subjects only", async () => {
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
    for (const subject of ["doc_1", "doc_2", "doc_3"])
      await queue.enqueue(world.db, Work, { name: subject }, { subject });
    await world.store.inTransaction((tx) => queue.cancelJobs(tx, ["doc_1", "doc_3", "doc_none"]));
    await queue.runDue();
    expect(await world.states()).toEqual(["cancelled", "done", "cancelled"]);
    expect((await world.rows())[0]).toMatchObject({
      payload: "",
      finished_at: world.clock.now_ms(),
    });
    expect(await effectsIn(world.db)).toEqual(["doc_2"]);
  });

  test("aborts a running job after the commit and discards its effect", async () => {
    const queue = world.queue();
    const started = Promise.withResolvers<AbortSignal>();
    const go = Promise.withResolvers<void>();
    queue.register(
      "test",
      handle(
        Work,
        async ({ name }, { signal }) => {
          started.resolve(signal);
          await go.promise;
          return async (tx) => {
            await recordEffect(tx, name);
          };
        },
        {
          ...limits,
          onExhausted: async (tx) => {
            await recordEffect(tx, "gave up");
          },
        },
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" }, { subject: "doc_1" });
    const running = queue.runDue();
    const signal = await started.promise;
    await world.store.inTransaction(async (tx) => {
      await queue.cancelJobs(tx, ["doc_1"]);
      expect(signal.aborted).toBe(false);
    });
    expect(signal.aborted).toBe(true);
    go.resolve();
    await running;
    expect((await world.onlyJob()).state).toBe("cancelled");
    expect(await effectsIn(world.db)).toEqual([]);
  });

  test("aborts a job that was just claimed and has not started", async () => {
    const claimed: { next?: () => Promise<void> } = {};
    const store: Store = Object.create(world.store, {
      inTransaction: {
        value: async (work: (tx: Db<any>) => Promise<unknown>, options?: TransactionOptions) => {
          const result = await world.store.inTransaction(work, options);
          await claimed.next?.();
          return result;
        },
      },
    });
    const queue = new JobQueue({ ...world, store, notifier: new SharedNotifier(store) });
    const signals: AbortSignal[] = [];
    queue.register(
      "test",
      handle(Work, async (_, { signal }) => void signals.push(signal), limits),
    );
    await queue.enqueue(world.db, Work, { name: "a" }, { subject: "doc_1" });
    claimed.next = () =>
      world.store.inTransaction((tx) => {
        delete claimed.next;
        return queue.cancelJobs(tx, ["doc_1"]);
      });
    await queue.runDue();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await world.states()).toEqual(["cancelled"]);
  });

  test("in a transaction that is rolled back changes nothing", async () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(Work, async () => undefined, limits),
    );
    await queue.enqueue(world.db, Work, { name: "a" }, { subject: "doc_1" });
    await world.store
      .inTransaction(async (tx) => {
        await queue.cancelJobs(tx, ["doc_1"]);
        throw new Error("no");
      })
      .catch(() => undefined);
    expect(await world.states()).toEqual(["ready"]);
  });

  test("of a job's own subject by that job does not undo it", async () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(
        Work,
        async ({ name }) =>
          async (tx) => {
            await recordEffect(tx, name);
            await queue.cancelJobs(tx, ["doc_1"]);
          },
        limits,
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" }, { subject: "doc_1" });
    await queue.runDue();
    expect(await world.states()).toEqual(["done"]);
    expect(await effectsIn(world.db)).toEqual(["a"]);
  });

  const amounts: [why: string, count: number][] = [
    ["of no subjects does nothing", 0],
    ["of more subjects than fit into one statement", 1_203],
  ];
  for (const [why, count] of amounts)
    test(why, async () => {
      const queue = world.queue();
      queue.register(
        "test",
        handle(Work, async () => undefined, limits),
      );
      const subjects = Array.from({ length: count }, (_, i) => `doc_${i}`);
      await world.store.inTransaction(async (tx) => {
        for (const subject of subjects) await queue.enqueue(tx, Work, { name: "a" }, { subject });
      });
      await queue.cancelJobs(world.db, subjects);
      expect((await world.states()).filter((state) => state === "cancelled").length).toBe(count);
    });

  test("of a subject with thousands of jobs lets others in between", async () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(Work, async () => undefined, limits),
    );
    await world.store.inTransaction(async (tx) => {
      for (let i = 0; i < 2_100; i++)
        await queue.enqueue(tx, Work, { name: "a" }, { subject: "imp_1" });
    });
    const order: string[] = [];
    const cancelled = queue.cancelJobs(world.db, ["imp_1"]).then(() => order.push("cancelled"));
    setImmediate(() => order.push("another"));
    await cancelled;
    expect(order).toEqual(["another", "cancelled"]);
    expect((await world.states()).filter((state) => state === "cancelled").length).toBe(2_100);
  });
});
