/** Jobs that start as soon as the enqueuing transaction commits, and jobs that have to wait. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { handle, type EnqueueOptions } from "../../core/jobs/contract";
import type { JobQueue } from "../../core/jobs/queue";
import { on_postgres } from "../helpers/databases";
import { openJobs, limits, minute, second, until, Work, type JobsFixture } from "../helpers/jobs";

let world: JobsFixture;
let ran: string[];
let gate: PromiseWithResolvers<void>;
beforeEach(async () => {
  world = await openJobs();
  ran = [];
  gate = Promise.withResolvers();
});
afterEach(async () => {
  gate.resolve();
  await world.close();
});

/** Its jobs keep running until the gate opens. */
function smallJobs(): JobQueue {
  const queue = world.queue({ slots_max: 16 });
  queue.register(
    "test",
    handle(
      Work,
      async ({ name }, { signal }) => {
        ran.push(name);
        const stopped = Promise.withResolvers<never>();
        signal.addEventListener("abort", () => stopped.reject(signal.reason));
        await Promise.race([gate.promise, stopped.promise]);
      },
      { ...limits, concurrency: 12, begins_at_once: true },
    ),
  );
  return queue;
}
/** The states of the jobs inside the transaction that enqueues them. */
const enqueued = (queue: JobQueue, count: number, options: EnqueueOptions = {}) =>
  world.store.inTransaction(async (tx) => {
    const before = [...ran];
    for (let i = 0; i < count; i++) await queue.enqueue(tx, Work, { name: `${i}` }, options);
    expect(ran).toEqual(before);
    const rows = await tx.selectFrom("core_jobs").select("state").orderBy("id").execute();
    return rows.map(({ state }) => state as string);
  });

test("a small job starts on commit, without a poll for it", async () => {
  const queue = smallJobs();
  await queue.start();
  expect(await enqueued(queue, 1)).toEqual(["running"]);
  expect(ran).toEqual(["0"]);
  expect(await world.onlyJob()).toMatchObject({ state: "running", attempts: 1, crashes: 0 });
  gate.resolve();
  await until(async () => (await world.onlyJob()).state === "done");
  expect(ran).toEqual(["0"]);
});

describe("a job has to wait", () => {
  const cases: readonly (readonly [why: string, started: boolean, options: EnqueueOptions])[] = [
    ["before the queue is started", false, {}],
    ["when it has a key, because another job may hold that key", true, { key: "k" }],
    ["when it is scheduled for later", true, { run_at_ms: Date.UTC(2026, 0, 6) }],
  ];
  for (const [why, started, options] of cases)
    test(why, async () => {
      const queue = smallJobs();
      if (started) await queue.start();
      expect(await enqueued(queue, 1, options)).toEqual(["ready"]);
      expect(ran).toEqual([]);
    });
  test("when its job name already uses three quarters of its concurrency", async () => {
    const queue = smallJobs();
    await queue.start();
    const states = await enqueued(queue, 14, { queue_concurrency: 14 });
    expect(states).toEqual([...Array(9).fill("running"), ...Array(5).fill("ready")]);
    await until(() => ran.length === 12);
    gate.resolve();
    await until(() => ran.length === 14);
  });
  test("when its owner already uses three quarters of their concurrency", async () => {
    const queue = smallJobs();
    await queue.start();
    const of = (owner: string) => ({ owner, queue: owner, queue_concurrency: 4 });
    const states = await enqueued(queue, 5, of("ada"));
    expect(states).toEqual([...Array(3).fill("running"), "ready", "ready"]);
    ran.length = 0;
    await enqueued(queue, 1, of("bob"));
    expect(ran).toContain("0");
  });
});

test("a rolled-back transaction leaves no job behind and frees its slot", async () => {
  const queue = smallJobs();
  await queue.start();
  for (let round = 0; round < 20; round++) {
    const undone = world.store.inTransaction(async (tx) => {
      for (let i = 0; i < 9; i++) await queue.enqueue(tx, Work, { name: "never" });
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
  }
  expect(await world.rows()).toEqual([]);
  expect(await enqueued(queue, 9)).toEqual(Array(9).fill("running"));
  expect(ran.toSorted()).toEqual([..."012345678"]);
});

test("a job that nobody runs is ready again, however long others that began so run", async () => {
  const queue = smallJobs();
  await queue.start();
  await enqueued(queue, 1);
  // The answer to the commit that began it was lost: it is marked as running, and was not started.
  const row = { ...(await world.onlyJob()), id: "job_lost", payload: '{"name":"lost"}' };
  await world.db.insertInto("core_jobs").values(row).execute();
  for (let beat = 0; beat < 5; beat++) {
    const before = (await world.rows())[0]!.lease_until!;
    // Until the next renewal; twice as long without one would be an outage.
    world.clock.move((on_postgres ? 5 : 11) * second);
    await until(async () => (await world.rows())[0]!.lease_until! > before);
  }
  await until(() => ran.includes("lost"));
  expect(ran).toEqual(["0", "lost"]);
  expect((await world.rows())[0]).toMatchObject({ state: "running", crashes: 0 });
  gate.resolve();
  await queue.drain(minute);
});

test("a job interrupted by shutdown is ready again, and the attempt does not count", async () => {
  const queue = smallJobs();
  await queue.start();
  await enqueued(queue, 1);
  await queue.drain(minute);
  expect(await world.onlyJob()).toMatchObject({ state: "ready", attempts: 0, lease_token: null });
  expect(await enqueued(queue, 1)).toEqual(["ready", "ready"]);
});
