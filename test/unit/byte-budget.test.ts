/** The memory budget: which requests get memory, which wait, and which are refused. */
import { expect, test } from "bun:test";
import { BudgetRefusal, ByteBudget } from "../../core/lib/byte-budget";

/** 10 bytes, 6 of them per owner; 4 requests may wait, 2 of them per owner. */
function budget(wait_ms_max = 60_000) {
  const order: string[] = [];
  const limits = { bytes_max: 10, per_owner_bytes_max: 6, waiting_max: 4 };
  const bytes = new ByteBudget({ ...limits, per_owner_waiting_max: 2, wait_ms_max });
  /** Returns the function that releases the bytes, and records the order of grants. */
  const take = async (
    what: string,
    wanted: number,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<() => void> => {
    const release = await bytes.acquire(what[0]!, wanted, signal);
    order.push(what);
    return release;
  };
  return { order, take };
}
/** Lets everything that need not wait run. */
const settled = () => new Promise((done) => setImmediate(done));

test("bytes are granted at once until an owner's share is used up", async () => {
  const { order, take } = budget();
  const release = await take("a1", 6);
  const later = take("a2", 1);
  await take("b1", 4);
  await settled();
  expect(order).toEqual(["a1", "b1"]);
  release();
  await later;
});

test("a single request may exceed the limits rather than wait forever", async () => {
  const { order, take } = budget();
  (await take("a1", 1_000))();
  await take("a2", 7);
  expect(order).toEqual(["a1", "a2"]);
});

test("owners take turns, and a small request doesn't overtake a large one", async () => {
  const { order, take } = budget();
  const [first, second] = [await take("a1", 6), await take("b1", 4)];
  const later = [take("a2", 6), take("a3", 1), take("c1", 1)];
  await settled();
  second();
  await settled();
  // c doesn't wait behind a, whose share is used up.
  expect(order).toEqual(["a1", "b1", "c1"]);
  const much = take("d1", 6);
  const little = take("e1", 1);
  await settled();
  expect(order).toEqual(["a1", "b1", "c1"]);
  first();
  (await later[0]!)();
  (await much)();
  await Promise.all([...later, little]);
  expect(order).toEqual(["a1", "b1", "c1", "a2", "d1", "e1", "a3"]);
});

test("releasing twice counts once", async () => {
  const { order, take } = budget();
  const [first] = [await take("a1", 6), await take("b1", 4)];
  first();
  first();
  const third = take("c1", 6);
  const waiting = take("d1", 1);
  await settled();
  expect(order).toEqual(["a1", "b1", "c1"]);
  (await third)();
  await waiting;
});

test("an aborted request stops waiting and blocks nobody", async () => {
  const { order, take } = budget();
  await take("a1", 6);
  const leaving = new AbortController();
  const gone = take("b1", 6, leaving.signal);
  const behind = take("c1", 4);
  await settled();
  expect(order).toEqual(["a1"]);
  leaving.abort(new Error("hung up"));
  await expect(gone).rejects.toThrow("hung up");
  await behind;
  expect(order).toEqual(["a1", "c1"]);
});

test("waiting requests are limited in total, per owner, and in time", async () => {
  const { take } = budget();
  const release = await take("a1", 10);
  const waiting = [take("a2", 1), take("a3", 1)];
  await expect(take("a4", 1)).rejects.toThrow(BudgetRefusal);
  waiting.push(take("b1", 1), take("c1", 1));
  await expect(take("d1", 1)).rejects.toThrow(BudgetRefusal);
  release();
  await Promise.all(waiting);
  const short = budget(1);
  await short.take("a1", 10);
  await expect(short.take("b1", 1)).rejects.toThrow(BudgetRefusal);
});
