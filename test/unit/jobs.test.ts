/** Jobs: written with the change that needs them, run once, finished together with their effect. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { HttpError } from "../../core/base/errors";
import { handle, PermanentFailure, type JobRun } from "../../core/jobs/contract";
import {
  Happened,
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

describe("a job", () => {
  test("runs, ends and takes effect", async () => {
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
    await queue.enqueue(world.db, Work, { name: "a" });
    expect(await queue.runDue()).toBe(1);
    expect(await effectsIn(world.db)).toEqual(["a"]);
    expect(await world.onlyJob()).toMatchObject({
      state: "done",
      attempts: 1,
      payload: "",
      lease_token: null,
      error: null,
      finished_at: world.clock.now_ms(),
    });
  });

  test("without an effect just ends", async () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(Work, async () => undefined, limits),
    );
    await queue.enqueue(world.db, Work, { name: "a" });
    await queue.runDue();
    expect((await world.onlyJob()).state).toBe("done");
  });

  test("knows its id and which attempt this is", async () => {
    const runs: Partial<JobRun>[] = [];
    const queue = world.queue();
    queue.register(
      "test",
      handle(
        Work,
        async (_payload, { id, attempt, last }) => {
          runs.push({ id, attempt, last });
          if (attempt === 1) throw new Error("once more");
        },
        { ...limits, attempts_max: 2, backoff_ms: () => 0 },
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" });
    await queue.runDue();
    const { id } = await world.onlyJob();
    expect(runs).toEqual([
      { id, attempt: 1, last: false },
      { id, attempt: 2, last: true },
    ]);
  });

  test("enqueued in a rolled-back transaction does not exist", async () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(Work, async () => undefined, limits),
    );
    await world.store
      .inTransaction(async (tx) => {
        await queue.enqueue(tx, Work, { name: "a" });
        throw new Error("no");
      })
      .catch(() => undefined);
    expect(await world.rows()).toEqual([]);
  });

  test("does not run before its scheduled time", async () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(Work, async () => undefined, limits),
    );
    await queue.enqueue(
      world.db,
      Work,
      { name: "a" },
      { run_at_ms: world.clock.now_ms() + minute },
    );
    world.clock.move(minute - 1);
    expect(await queue.runDue()).toBe(0);
    world.clock.move(1);
    expect(await queue.runDue()).toBe(1);
  });

  test("with a payload that violates its schema is refused when enqueued", () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(Work, async () => undefined, limits),
    );
    return expect(queue.enqueue(world.db, Work, { name: 7 as unknown as string })).rejects.toThrow(
      "job test.work: the payload does not fit its schema: /name",
    );
  });

  test("whose stored payload is no longer valid fails without reaching its handler", async () => {
    let called = false;
    const queue = world.queue();
    queue.register(
      "test",
      handle(
        Work,
        async () => {
          called = true;
        },
        {
          ...limits,
          onExhausted: async () => {
            called = true;
          },
        },
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" });
    await world.db.updateTable("core_jobs").set({ payload: `{"name":7}` }).execute();
    await queue.runDue();
    expect(called).toBe(false);
    expect(await world.onlyJob()).toMatchObject({
      state: "failed",
      attempts: 1,
      error: expect.stringContaining("/name"),
    });
  });

  test("without a handler is refused", () => {
    return expect(world.queue().enqueue(world.db, Work, { name: "a" })).rejects.toThrow(
      "no plugin handles the job test.work",
    );
  });

  test("of a missing plugin waits until the plugin is back", async () => {
    const before = world.queue();
    before.register(
      "away",
      handle(Work, async () => undefined, limits),
    );
    await before.enqueue(world.db, Work, { name: "a" });
    const without = world.queue();
    expect(await without.runDue()).toBe(0);
    expect(await world.states()).toEqual(["ready"]);
    expect(await before.runDue()).toBe(1);
    expect(await world.states()).toEqual(["done"]);
  });

  test("can be handled by one plugin only", () => {
    const queue = world.queue();
    queue.register(
      "one",
      handle(Work, async () => undefined, limits),
    );
    expect(() =>
      queue.register(
        "two",
        handle(Work, async () => undefined, limits),
      ),
    ).toThrow("plugin two: job test.work is handled by plugin one already");
  });

  test("enqueued by a job runs after it", async () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(
        Work,
        async () => async (tx) => {
          await queue.enqueue(tx, Other, { name: "b" });
        },
        limits,
      ),
    );
    queue.register(
      "test",
      handle(
        Other,
        async ({ name }) =>
          async (tx) => {
            await recordEffect(tx, name);
          },
        limits,
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" });
    expect(await queue.runDue()).toBe(2);
    expect(await effectsIn(world.db)).toEqual(["b"]);
  });
});

describe("an event", () => {
  test("creates one job for each subscriber, across several plugins", async () => {
    const queue = world.queue();
    for (const plugin of ["one", "two"])
      queue.register(
        plugin,
        handle(
          Happened,
          async ({ name }) =>
            async (tx) => {
              await recordEffect(tx, `${plugin} ${name}`);
            },
          limits,
        ),
      );
    await world.store.inTransaction((tx) => queue.emit(tx, Happened, { name: "x" }));
    expect((await world.rows()).map((row) => row.plugin)).toEqual(["one", "two"]);
    await queue.runDue();
    expect(await effectsIn(world.db)).toEqual(["one x", "two x"]);
  });

  test("without subscribers creates no job", async () => {
    await world.queue().emit(world.db, Happened, { name: "x" });
    expect(await world.rows()).toEqual([]);
  });

  test("failing for one subscriber still succeeds for another", async () => {
    const queue = world.queue();
    queue.register(
      "one",
      handle(
        Happened,
        async () => {
          throw new PermanentFailure("no");
        },
        limits,
      ),
    );
    queue.register(
      "two",
      handle(Happened, async () => undefined, limits),
    );
    await queue.emit(world.db, Happened, { name: "x" });
    await queue.runDue();
    expect((await world.rows()).map((row) => [row.plugin, row.state])).toEqual([
      ["one", "failed"],
      ["two", "done"],
    ]);
  });

  test("with a payload that violates its schema is refused if it has a subscriber", () => {
    const queue = world.queue();
    queue.register(
      "one",
      handle(Happened, async () => undefined, limits),
    );
    return expect(queue.emit(world.db, Happened, {} as { name: string })).rejects.toThrow(
      "event test.happened: the payload does not fit",
    );
  });

  test("creates a job only for a subscriber whose `wants` accepts it", async () => {
    const queue = world.queue();
    await queue.emit(world.db, Happened, { name: "a" });
    expect(await world.rows()).toEqual([]);
    const wants = ({ name }: { readonly name: string }) => name === "wanted";
    queue.register(
      "one",
      handle(Happened, async () => undefined, { ...limits, wants }),
    );
    await queue.emit(world.db, Happened, { name: "a" });
    expect(await world.rows()).toEqual([]);
    await queue.emit(world.db, Happened, { name: "wanted" });
    expect((await world.rows()).length).toBe(1);
  });
});

describe("a key", () => {
  test("allows only one unfinished job", async () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(Work, async () => undefined, limits),
    );
    for (const name of ["a", "b"]) await queue.enqueue(world.db, Work, { name }, { key: "k" });
    expect(await world.onlyJob()).toMatchObject({ payload: `{"name":"a"}` });
    await queue.runDue();
    await queue.enqueue(world.db, Work, { name: "c" }, { key: "k" });
    expect(await world.states()).toEqual(["done", "ready"]);
  });

  test("holds while the job runs", async () => {
    const queue = world.queue();
    const release = Promise.withResolvers<void>();
    queue.register(
      "test",
      handle(Work, () => release.promise, limits),
    );
    await queue.enqueue(world.db, Work, { name: "a" }, { key: "k" });
    const running = queue.runDue();
    await until(async () => (await world.states())[0] === "running");
    await queue.enqueue(world.db, Work, { name: "b" }, { key: "k" });
    release.resolve();
    await running;
    expect(await world.states()).toEqual(["done"]);
  });

  test("is separate for each job name", async () => {
    const queue = world.queue();
    for (const on of [Work, Other])
      queue.register(
        "test",
        handle(on, async () => undefined, limits),
      );
    for (const on of [Work, Other]) await queue.enqueue(world.db, on, { name: "a" }, { key: "k" });
    expect((await world.rows()).length).toBe(2);
  });
});

describe("a failure", () => {
  test("is retried with growing backoff until the attempts run out", async () => {
    const queue = world.queue();
    const pauses_s: number[] = [];
    queue.register(
      "test",
      handle(
        Work,
        async () => {
          throw new Error("not today");
        },
        { ...limits, attempts_max: 8 },
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" });
    for (;;) {
      await queue.runDue();
      const row = await world.onlyJob();
      if (row.state === "failed") break;
      expect(row).toMatchObject({ state: "ready", error: "not today", lease_token: null });
      pauses_s.push((row.run_at - world.clock.now_ms()) / second);
      world.clock.move(row.run_at - world.clock.now_ms());
    }
    const nominal_s = [1, 4, 16, 64, 256, 300, 300];
    expect(pauses_s.length).toBe(nominal_s.length);
    pauses_s.forEach((pause, i) => {
      expect(pause).toBeGreaterThanOrEqual(0.8 * nominal_s[i]!);
      expect(pause).toBeLessThanOrEqual(1.2 * nominal_s[i]!);
    });
    expect(await world.onlyJob()).toMatchObject({
      attempts: 8,
      error: "not today",
      finished_at: world.clock.now_ms(),
    });
  });

  test("waits exactly as long as the handler says", async () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(
        Work,
        async () => {
          throw new Error("no");
        },
        { ...limits, backoff_ms: (attempt) => attempt * 7 * second },
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" });
    await queue.runDue();
    expect((await world.onlyJob()).run_at - world.clock.now_ms()).toBe(7 * second);
  });

  const ways: [why: string, work: () => Promise<any>, attempts: number, reason: string][] = [
    [
      "an error",
      async () => {
        throw new Error("thrown");
      },
      3,
      "thrown",
    ],
    [
      "throwing something that is not an Error",
      async () => {
        throw "a string";
      },
      3,
      "a string",
    ],
    [
      "an error in the effect",
      async () => async () => {
        throw new Error("in the effect");
      },
      3,
      "in the effect",
    ],
    [
      "a permanent failure",
      async () => {
        throw new PermanentFailure("bad file");
      },
      1,
      "bad file",
    ],
    [
      "a permanent failure in the effect",
      async () => async () => {
        throw new PermanentFailure("bad row");
      },
      1,
      "bad row",
    ],
  ];
  for (const [why, work, attempts, reason] of ways)
    test(`that is final after ${why} calls onExhausted in the same transaction`, async () => {
      const queue = world.queue();
      queue.register(
        "test",
        handle(Work, work, {
          ...limits,
          backoff_ms: () => 0,
          onExhausted: async (tx, { name }, reason, cause) => {
            expect(
              (await world.store.reads.get<{ state: string }>("select state from core_jobs"))!
                .state,
            ).toBe("running");
            await recordEffect(tx, `${name}: ${cause}: ${reason}`);
          },
        }),
      );
      await queue.enqueue(world.db, Work, { name: "a" });
      await queue.runDue();
      expect(await world.onlyJob()).toMatchObject({ state: "failed", attempts, error: reason });
      expect(await effectsIn(world.db)).toEqual([`a: error: ${reason}`]);
    });

  test("in an effect leaves nothing of the effect behind", async () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(
        Work,
        async (_payload, { attempt }) =>
          async (tx) => {
            await recordEffect(tx, `attempt ${attempt}`);
            if (attempt === 1) throw new Error("half-way");
          },
        { ...limits, backoff_ms: () => 0 },
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" });
    await queue.runDue();
    expect(await effectsIn(world.db)).toEqual(["attempt 2"]);
  });

  test("in onExhausted is rolled back and the job is retried", async () => {
    const queue = world.queue();
    let broken = true;
    let runs = 0;
    queue.register(
      "test",
      handle(
        Work,
        async () => {
          runs += 1;
          throw new PermanentFailure("bad");
        },
        {
          ...limits,
          onExhausted: async (tx, { name }) => {
            await recordEffect(tx, name);
            if (broken) throw new Error("giving up failed");
          },
        },
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" });
    await queue.runDue();
    expect(await effectsIn(world.db)).toEqual([]);
    expect((await world.onlyJob()).state).toBe("ready");
    broken = false;
    world.clock.move(minute);
    await queue.runDue();
    expect((await world.onlyJob()).state).toBe("failed");
    expect(await effectsIn(world.db)).toEqual(["a"]);
    expect(runs).toBe(2);
  });

  test("that met something unreadable does not count as an attempt for 15 minutes", async () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(
        Work,
        async () => {
          throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_READ" });
        },
        { ...limits, attempts_max: 1 },
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" });
    for (let n = 0; n < 15; n++) {
      await queue.runDue();
      expect(await world.onlyJob()).toMatchObject({ state: "ready", attempts: 0 });
      world.clock.move(minute);
    }
    await queue.runDue();
    expect(await world.onlyJob()).toMatchObject({ state: "failed", error: "disk I/O error" });
  });

  test("because storage is full does not count as an attempt", async () => {
    const queue = world.queue();
    let full = true;
    queue.register(
      "test",
      handle(
        Work,
        async ({ name }) => {
          if (full) throw new HttpError(507, "storage_full", "full");
          return async (tx) => {
            await recordEffect(tx, name);
          };
        },
        { ...limits, attempts_max: 1 },
      ),
    );
    await queue.enqueue(world.db, Work, { name: "a" });
    await queue.runDue();
    expect(await world.onlyJob()).toMatchObject({ state: "ready", attempts: 0 });
    full = false;
    world.clock.move(minute);
    await queue.runDue();
    expect(await effectsIn(world.db)).toEqual(["a"]);
  });
});
