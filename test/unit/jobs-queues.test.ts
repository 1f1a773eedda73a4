/** Which job runs next: queues take turns, caps hold, priorities apply within a queue. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { queueKey, ownerKey, ownerMax, selectJobs } from "../../core/jobs/scheduler";
import { ServedLog } from "../../core/lib/served-log";
import type { JobQueue } from "../../core/jobs/queue";
import {
  findCandidates,
  findFewDue,
  type Candidate,
  type Capacity,
  type CandidateWindow,
} from "../../core/jobs/candidates";
import { handle, type EnqueueOptions } from "../../core/jobs/contract";
import { on_postgres } from "../helpers/databases";
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

const enqueueAll = (queue: JobQueue, names: readonly string[], options: EnqueueOptions = {}) =>
  world.store.inTransaction(async (tx) => {
    for (const name of names) await queue.enqueue(tx, Work, { name }, options);
  });

describe("queues", () => {
  test("one with a thousand slow jobs does not delay another", async () => {
    const queue = world.queue();
    const order: string[] = [];
    const slow = Promise.withResolvers<void>();
    queue.register(
      "test",
      handle(
        Work,
        async ({ name }) => {
          order.push(name);
          if (name.startsWith("slow")) await slow.promise;
        },
        { ...limits, concurrency: 8 },
      ),
    );
    await enqueueAll(
      queue,
      Array.from({ length: 1_000 }, (_, i) => `slow ${i}`),
      { queue: "a", queue_concurrency: 2 },
    );
    await enqueueAll(queue, ["quick 1", "quick 2", "quick 3"], {
      queue: "b",
      queue_concurrency: 1,
    });
    await queue.start();
    await until(() => order.includes("quick 3"));
    expect(order.filter((name) => name.startsWith("slow"))).toEqual(["slow 0", "slow 1"]);
    slow.resolve();
    await queue.drain(10 * second);
  });

  test("never exceed the cap of a queue, a job name or the server", async () => {
    const queue = world.queue({ slots_max: 8 });
    const running = new Map<string, number>();
    const broken: string[] = [];
    const count = (what: string, by: number, most: number) => {
      running.set(what, (running.get(what) ?? 0) + by);
      if (running.get(what)! > most) broken.push(`${what}: ${running.get(what)}`);
    };
    const caps = [
      [Work, 5],
      [Other, 3],
    ] as const;
    for (const [on, concurrency] of caps)
      queue.register(
        "test",
        handle(
          on,
          async ({ name }) => {
            const all: [string, number][] = [
              ["server", 8],
              [on.id, concurrency],
              [name, 2],
            ];
            for (const [what, most] of all) count(what, 1, most);
            await Bun.sleep(Math.random() * 4);
            for (const [what, most] of all) count(what, -1, most);
          },
          { ...limits, concurrency },
        ),
      );
    await world.store.inTransaction(async (tx) => {
      for (let i = 0; i < 400; i++)
        await queue.enqueue(
          tx,
          i % 3 === 0 ? Other : Work,
          { name: `queue ${i % 7}` },
          { queue: `queue ${i % 7}`, queue_concurrency: 2, priority: i % 2 },
        );
    });
    expect(await queue.runDue()).toBe(400);
    expect(broken).toEqual([]);
  }, 60_000);

  test("never let one job name take every slot", async () => {
    const queue = world.queue({ slots_max: 8 });
    const slow = Promise.withResolvers<void>();
    let started = 0;
    queue.register(
      "test",
      handle(
        Work,
        () => {
          started += 1;
          return slow.promise;
        },
        { ...limits, concurrency: 100 },
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
    await enqueueAll(
      queue,
      Array.from({ length: 20 }, (_, i) => `slow ${i}`),
    );
    await queue.enqueue(world.db, Other, { name: "quick" });
    await queue.start();
    await until(async () => (await effectsIn(world.db)).includes("quick"));
    expect(started).toBe(6);
    slow.resolve();
    await queue.drain(10 * second);
  });

  test("run the highest priority first, then the earliest job", async () => {
    const queue = world.queue();
    const order: string[] = [];
    queue.register(
      "test",
      handle(
        Work,
        async ({ name }) => {
          order.push(name);
        },
        limits,
      ),
    );
    const jobs: [name: string, options: EnqueueOptions][] = [
      ["third", { run_at_ms: world.clock.now_ms() - 10 }],
      ["fourth", {}],
      ["second", { priority: 1 }],
      ["first", { priority: 9 }],
      ["not yet", { priority: 99, run_at_ms: world.clock.now_ms() + minute }],
    ];
    for (const [name, options] of jobs) await queue.enqueue(world.db, Work, { name }, options);
    await queue.runDue();
    expect(order).toEqual(["first", "second", "third", "fourth"]);
  });

  test("take turns, even hundreds of them", async () => {
    const queue = world.queue();
    const order: string[] = [];
    queue.register(
      "test",
      handle(
        Work,
        async ({ name }) => {
          order.push(name);
        },
        { ...limits, concurrency: 4 },
      ),
    );
    // On PostgreSQL, a claim takes longer with every queue that has waiting jobs.
    const count = on_postgres ? 100 : 300;
    const queues = Array.from({ length: count }, (_, i) => `queue ${String(i).padStart(3, "0")}`);
    await world.store.inTransaction(async (tx) => {
      for (let round = 0; round < 3; round++)
        for (const name of queues)
          await queue.enqueue(tx, Work, { name }, { queue: name, queue_concurrency: 1 });
    });
    expect(await queue.runDue()).toBe(3 * count);
    for (let round = 0; round < 3; round++) {
      const served = new Set(order.slice(count * round, count * (round + 1)));
      expect(served.size).toBeGreaterThan(count * 0.93);
    }
  }, 60_000);
});

describe("a search for candidates", () => {
  const kind = { plugin: "test", name: Work.id, io_bound: false, leaves_room: false };
  const capacities = [{ ...kind, free: 9, owner_max: 3 }];
  const names = async (look: Partial<CandidateWindow>) =>
    (
      await Promise.all(
        (
          await findCandidates(world.db, capacities, world.clock.now_ms(), {
            after_owner: "",
            each_max: 9,
            all_max: 9,
            ...look,
          })
        ).map(
          async (found) =>
            JSON.parse(
              (await world.store.reads.get<{ payload: string }>(
                "select payload from core_jobs where id = ?",
                found.id,
              ))!.payload,
            ).name,
        ),
      )
    ).sort();
  const looks: [why: string, look: Partial<CandidateWindow>, names: string[]][] = [
    [
      "skips queues and owners at their cap, more jobs than a queue may run, jobs that are " +
        "not due, and jobs without a handler",
      {},
      ["b1", "b2", "c1", "c2", "c3"],
    ],
    ["takes the first job of each queue and priority", { each_max: 1 }, ["b1", "c1", "c3"]],
    ["starts after the given owner", { after_owner: "b" }, ["c1", "c2", "c3"]],
    ["takes no more than requested", { all_max: 2 }, ["b1", "b2"]],
  ];
  for (const [why, look, expected] of looks)
    test(why, async () => {
      const queue = world.queue();
      for (const on of [Work, Other])
        queue.register(
          "test",
          handle(on, async () => undefined, limits),
        );
      const put = (name: string, options: EnqueueOptions) =>
        queue.enqueue(world.db, Work, { name }, { queue_concurrency: 2, ...options });
      for (const name of ["a1", "a2", "a3"]) await put(name, { queue: "a" });
      await world.db
        .updateTable("core_jobs")
        .set({ state: "running" })
        .where("payload", "in", [`{"name":"a1"}`, `{"name":"a2"}`])
        .execute();
      for (const name of ["b1", "b2", "b3"]) await put(name, { queue: "b" });
      for (const name of ["c1", "c2"]) await put(name, { queue: "c" });
      await put("c3", { queue: "c", priority: 1 });
      await put("later", { queue: "d", run_at_ms: world.clock.now_ms() + minute });
      await queue.enqueue(world.db, Other, { name: "other" }, { queue: "e" });
      // Three jobs of this owner are running: none of their other queues is considered.
      for (const name of ["f", "g", "h", "i"])
        await put(`greedy ${name}`, { queue: name, owner: "aa" });
      await world.db
        .updateTable("core_jobs")
        .set({ state: "running" })
        .where("lane", "in", ["f", "g", "h"])
        .execute();
      expect(await names(look)).toEqual(expected);
    });
});

describe("a few due jobs", () => {
  beforeEach(async () => {
    const queue = world.queue();
    queue.register(
      "test",
      handle(Work, async () => undefined, limits),
    );
    const put = (name: string, options: EnqueueOptions) =>
      queue.enqueue(world.db, Work, { name }, options);
    for (const name of ["a1", "a2"]) await put(name, { owner: "ada", queue: "a" });
    await put("b1", { owner: "ada", queue: "b" });
    await put("later", { queue: "a", run_at_ms: world.clock.now_ms() + minute });
    await world.db
      .updateTable("core_jobs")
      .set({ state: "running" })
      .where("payload", "=", `{"name":"a1"}`)
      .execute();
  });
  const few = (most: number) => findFewDue(world.db, world.clock.now_ms(), most);

  test("are all found, with what is running in their queues and for their owners", async () => {
    const found = (await few(2))!.map(({ queue, owner_running, queue_running }) => ({
      queue,
      owner_running,
      queue_running,
    }));
    expect(found.toSorted((a, b) => a.queue.localeCompare(b.queue))).toEqual([
      { queue: "a", owner_running: 1, queue_running: 1 },
      { queue: "b", owner_running: 1, queue_running: 0 },
    ]);
  });
  test("are not looked at one by one when there are more", async () => {
    expect(await few(1)).toBeUndefined();
  });
});

describe("the scheduler picks", () => {
  const candidate = (id: string, queue: string, more: Partial<Candidate> = {}): Candidate => ({
    id,
    plugin: "p",
    name: "n",
    owner: queue,
    queue,
    queue_concurrency: 9,
    priority: 0,
    run_at: 0,
    owner_running: 0,
    queue_running: 0,
    ...more,
  });
  const kind = { plugin: "p", io_bound: false, leaves_room: false };
  const capacities: Capacity[] = [
    { ...kind, name: "n", free: 9, owner_max: 9 },
    { ...kind, name: "m", free: 1, owner_max: 9 },
    { ...kind, name: "w", free: 16, owner_max: 2, io_bound: true },
  ];
  const waits = (id: string, queue: string, more: Partial<Candidate> = {}) =>
    candidate(id, queue, { name: "w", ...more });
  /** `served` lists who was served before, longest ago first. */
  const cases: [
    why: string,
    jobs: Candidate[],
    slots: number,
    served: string[],
    ids: string[],
    slots_of?: Record<string, number>,
  ][] = [
    ["nothing when nothing waits", [], 4, [], []],
    [
      "from queues in turn",
      [candidate("a1", "a"), candidate("a2", "a"), candidate("b1", "b")],
      2,
      [],
      ["a1", "b1"],
    ],
    [
      "from the queues served longest ago",
      [candidate("a1", "a"), candidate("b1", "b"), candidate("c1", "c")],
      2,
      ["b", "a"],
      ["c1", "b1"],
    ],
    [
      "the rest of a queue when slots are left",
      [candidate("a1", "a"), candidate("a2", "a"), candidate("b1", "b")],
      3,
      [],
      ["a1", "b1", "a2"],
    ],
    [
      "no more from a queue than its cap",
      [
        candidate("a1", "a", { queue_concurrency: 1 }),
        candidate("a2", "a", { queue_concurrency: 1 }),
        candidate("b1", "b"),
      ],
      3,
      [],
      ["a1", "b1"],
    ],
    [
      "no more from a queue than its cap, counting jobs already running",
      [
        candidate("a1", "a", { queue_concurrency: 2, queue_running: 1 }),
        candidate("a2", "a", { queue_concurrency: 2, queue_running: 1 }),
      ],
      3,
      [],
      ["a1"],
    ],
    [
      "no more of a job name than its free capacity",
      [
        candidate("a1", "a", { name: "m" }),
        candidate("a2", "a", { name: "m" }),
        candidate("a3", "a"),
      ],
      3,
      [],
      ["a1", "a3"],
    ],
    [
      "the higher priority first",
      [candidate("a1", "a"), candidate("a2", "a", { priority: 1 })],
      1,
      [],
      ["a2"],
    ],
    [
      "the earlier of two equal priorities",
      [candidate("a1", "a", { run_at: 2 }), candidate("a2", "a", { run_at: 1 })],
      1,
      [],
      ["a2"],
    ],
    [
      "from the owner with the fewest runs",
      [
        candidate("a1", "a", { owner: "x" }),
        candidate("b1", "b", { owner: "y" }),
        candidate("a2", "a2", { owner: "x" }),
      ],
      2,
      ["b"],
      ["b1", "a1"],
      { x: 1 },
    ],
    [
      "from the owner whose other jobs take the fewest slots",
      [
        candidate("a1", "a", { owner: "x" }),
        candidate("b1", "b", { owner: "y", owner_running: 1 }),
      ],
      1,
      [],
      ["b1"],
      { x: 3, y: 1 },
    ],
    [
      "I/O-bound jobs of the owner with the fewest of that kind, whatever else they run",
      [
        waits("w1", "a", { owner: "x" }),
        waits("w2", "b", { owner: "y", owner_running: 1 }),
        waits("w3", "c", { owner: "z" }),
      ],
      0,
      [],
      ["w1", "w3"],
      { x: 40 },
    ],
    [
      "from the queues of one owner in turn",
      [candidate("a1", "a", { owner: "x" }), candidate("b1", "b", { owner: "x" })],
      1,
      ["a"],
      ["b1"],
    ],
    [
      "I/O-bound jobs even when no slot is free",
      [candidate("a1", "a"), waits("w1", "b")],
      0,
      [],
      ["w1"],
    ],
    [
      "for one owner, at most an eighth of the remaining I/O-bound capacity",
      Array.from({ length: 4 }, (_, i) => waits(`w${i}`, `l${i}`, { owner: "x" })),
      0,
      [],
      ["w0"],
    ],
  ];
  for (const [why, jobs, slots, served, ids, slots_of = {}] of cases)
    test(why, () => {
      const served_log = new ServedLog();
      for (const name of served)
        for (const key of [ownerKey(name), queueKey(name)]) served_log.note(key);
      expect([
        ...selectJobs(jobs, capacities, slots, served_log, new Map(Object.entries(slots_of))).ids,
      ]).toEqual(ids);
    });

  const io_bound = { io_bound: true, leaves_room: false };
  const leaving_room = { io_bound: false, leaves_room: true };
  const shares: [why: string, handler: typeof io_bound, free: number, most: number][] = [
    ["I/O-bound runs when all are free", io_bound, 128, 16],
    ["I/O-bound runs when half are free", io_bound, 64, 8],
    ["I/O-bound runs when few are free", io_bound, 9, 1],
    ["I/O-bound runs when one is free", io_bound, 1, 1],
    ["runs that leave room when all are free", leaving_room, 24, 6],
    ["runs that leave room when another owner has some", leaving_room, 19, 4],
    ["runs that leave room when one is free", leaving_room, 1, 1],
  ];
  for (const [why, handler, free, most] of shares)
    test(`an owner may have ${most} ${why}`, () =>
      expect(ownerMax({ ...handler, free })).toBe(most));
});

describe("I/O-bound jobs and events", () => {
  test("take no slots: an owner's hanging jobs do not delay another owner's", async () => {
    const queue = world.queue({ slots_max: 2 });
    const hanging = Promise.withResolvers<void>();
    const order: string[] = [];
    queue.register(
      "test",
      handle(
        Work,
        async ({ name }) => {
          order.push(name);
          if (name.startsWith("dead")) await hanging.promise;
        },
        { ...limits, concurrency: 32, io_bound: true },
      ),
    );
    queue.register(
      "test",
      handle(
        Other,
        async ({ name }) => {
          order.push(name);
        },
        limits,
      ),
    );
    await world.store.inTransaction(async (tx) => {
      for (let owner = 0; owner < 6; owner++)
        for (let number = 0; number < 10; number++)
          for (let n = 0; n < 5; n++) {
            await queue.enqueue(
              tx,
              Work,
              { name: `dead ${owner}` },
              { queue: `hook ${owner} ${number}`, queue_concurrency: 1, owner: `owner ${owner}` },
            );
          }
    });
    await queue.start();
    // With two runs for each of six owners, twenty are left, and an eighth of twenty is two.
    await until(() => order.length >= 12);
    await Bun.sleep(50);
    expect(order.toSorted()).toEqual(Array.from({ length: 12 }, (_, n) => `dead ${n >> 1}`));
    for (let n = 0; n < 5; n++)
      await queue.enqueue(
        world.db,
        Work,
        { name: `alive ${n}` },
        { queue: "hook alive", queue_concurrency: 1, owner: "owner alive" },
      );
    await queue.enqueue(world.db, Other, { name: "other" });
    await until(() => order.includes("alive 4") && order.includes("other"));
    hanging.resolve();
    await queue.drain(10 * second);
  });

  test("have owners: a thousand events of one do not delay another's", async () => {
    const queue = world.queue();
    const order: string[] = [];
    queue.register(
      "test",
      handle(
        Happened,
        async ({ name }) => {
          order.push(name);
        },
        { ...limits, ownerOf: ({ name }) => name.split(" ")[0]! },
      ),
    );
    await world.store.inTransaction(async (tx) => {
      for (let n = 0; n < 1_000; n++) await queue.emit(tx, Happened, { name: `many ${n}` });
    });
    for (let n = 0; n < 5; n++) await queue.emit(world.db, Happened, { name: `few ${n}` });
    await queue.start();
    await until(() => order.includes("few 4"));
    expect(order.indexOf("few 4")).toBeLessThan(20);
    await queue.drain(10 * second);
  });
});
