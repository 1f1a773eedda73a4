/** Jobs whose work starts before the transaction that enqueues them. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { handle, type BegunJob, type EndedRun } from "../../core/jobs/contract";
import type { JobQueue } from "../../core/jobs/queue";
import {
  openJobs,
  limits,
  minute,
  recordEffect,
  effectsIn,
  until,
  Work,
  type JobsFixture,
} from "../helpers/jobs";

let world: JobsFixture;
let queue: JobQueue;
let runs: AbortSignal[];
let ended: EndedRun[];
let gate: PromiseWithResolvers<void>;
/** How many times its effect fails. */
let faults: number;
/** The values its effects received. */
let insertions: (string | undefined)[];
beforeEach(async () => {
  world = await openJobs();
  runs = [];
  ended = [];
  faults = 0;
  insertions = [];
  gate = Promise.withResolvers();
  queue = world.queue({ slots_max: 16, observers: () => [(run) => ended.push(run)] });
  queue.register(
    "test",
    handle(
      Work,
      async ({ name }, { signal }) => {
        runs.push(signal);
        await gate.promise;
        return async (tx, handed) => {
          insertions.push(handed);
          await recordEffect(tx, name);
          if (faults-- > 0) throw new Error("no effect");
        };
      },
      { ...limits, concurrency: 12, begins_at_once: true, backoff_ms: () => 0 },
    ),
  );
});
afterEach(async () => {
  gate.resolve();
  await queue.drain(minute);
  await world.close();
});

const begun = (): BegunJob<string> => queue.begin(Work, { name: "a" })!;
const enqueue = (job: BegunJob<string>) =>
  world.store.inTransaction((tx) => job.enqueue(tx, "the rest"));

test("a job done before the transaction takes effect in it and leaves no job row", async () => {
  await queue.start();
  gate.resolve();
  const job = begun();
  expect(await job.settles(minute)).toBe(true);
  expect(await effectsIn(world.db)).toEqual([]);
  await enqueue(job);
  expect(await effectsIn(world.db)).toEqual(["a"]);
  expect(await world.rows()).toEqual([]);
  expect(ended).toMatchObject([{ name: Work.id, attempt: 1, outcome: "done" }]);
  expect(insertions).toEqual(["the rest"]);
});

test("a job that is not done before the transaction continues as a job and runs once", async () => {
  await queue.start();
  const job = begun();
  expect(await job.settles(0)).toBe(false);
  await enqueue(job);
  expect(await world.onlyJob()).toMatchObject({ state: "running", attempts: 1 });
  gate.resolve();
  await until(async () => (await world.onlyJob()).state === "done");
  expect(await effectsIn(world.db)).toEqual(["a"]);
  expect(runs).toHaveLength(1);
  expect(insertions).toEqual([undefined]);
  await until(() => ended.length === 1);
});

test("a job that fails before the transaction is retried as a job", async () => {
  await queue.start();
  const job = begun();
  gate.reject(new Error("not yet"));
  expect(await job.settles(minute)).toBe(true);
  gate = Promise.withResolvers();
  gate.resolve();
  await enqueue(job);
  await until(async () => (await world.onlyJob()).state === "done");
  expect([runs.length, await effectsIn(world.db)]).toEqual([2, ["a"]]);
});

test("a rolled-back transaction leaves no job, and its work is aborted", async () => {
  await queue.start();
  const jobs = Array.from({ length: 9 }, begun);
  expect(queue.begin(Work, { name: "b" })).toBeUndefined();
  for (const job of jobs) {
    const undone = world.store.inTransaction(async (tx) => {
      await job.enqueue(tx);
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    job.drop();
  }
  expect(runs.map(({ aborted }) => aborted)).toEqual(Array(9).fill(true));
  expect(await world.rows()).toEqual([]);
  // Its slot is free again.
  expect(queue.begin(Work, { name: "b" })).toBeDefined();
});

test("a failing effect rolls back the transaction; the next one leaves it to the job", async () => {
  await queue.start();
  faults = 1;
  gate.resolve();
  const job = begun();
  await job.settles(minute);
  await expect(enqueue(job)).rejects.toThrow("no effect");
  expect([job.has_failed, await effectsIn(world.db)]).toEqual([true, []]);
  await enqueue(job);
  await until(async () => (await world.onlyJob()).state === "done");
  expect(await effectsIn(world.db)).toEqual(["a"]);
});

test("a job can't begin before the queue is started", () => {
  expect(queue.begin(Work, { name: "a" })).toBeUndefined();
});
