/** Memory in turns: who gets it, who waits, and who is told to come again. */
import { expect, test } from "bun:test";
import { BudgetRefusal, ByteBudget } from "../../core/lib/byte-budget";

/** 10 bytes, 6 for each owner, and 4 may wait, 2 of one owner. */
function budget(wait_ms_max = 60_000) {
  const order: string[] = [];
  const limits = { bytes_max: 10, per_owner_bytes_max: 6, waiting_max: 4 };
  const bytes = new ByteBudget({ ...limits, per_owner_waiting_max: 2, wait_ms_max });
  /** Answers what gives the bytes back, and notes who got some when. */
  const take = async (
    what: string,
    wanted: number,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<() => void> => {
    const release = await bytes.take(what[0]!, wanted, signal);
    order.push(what);
    return release;
  };
  return { order, take };
}
/** What runs without waiting has run. */
const settled = () => new Promise((done) => setImmediate(done));

test("there is room at once, until the share of an owner is used up", async () => {
  const { order, take } = budget();
  const release = await take("a1", 6);
  const later = take("a2", 1);
  await take("b1", 4);
  await settled();
  expect(order).toEqual(["a1", "b1"]);
  release();
  await later;
});

test("one alone may have more than a share, and never waits for what is not there", async () => {
  const { order, take } = budget();
  (await take("a1", 1_000))();
  await take("a2", 7);
  expect(order).toEqual(["a1", "a2"]);
});

test("owners take turns, and little does not overtake much", async () => {
  const { order, take } = budget();
  const [first, second] = [await take("a1", 6), await take("b1", 4)];
  const later = [take("a2", 6), take("a3", 1), take("c1", 1)];
  await settled();
  second();
  await settled();
  // Nobody holds up c: the share of a is used up.
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

test("given back twice counts once", async () => {
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

test("who hangs up waits no longer, and holds up nobody", async () => {
  const { order, take } = budget();
  await take("a1", 6);
  const leaving = new AbortController();
  const gone = take("b1", 6, leaving.signal);
  const behind = take("c1", 4);
  await settled();
  expect(order).toEqual(["a1"]);
  leaving.abort(new Error("hung up"));
  expect(gone).rejects.toThrow("hung up");
  await behind;
  expect(order).toEqual(["a1", "c1"]);
});

test("so many may wait, in all and of one owner, and so long", async () => {
  const { take } = budget();
  const release = await take("a1", 10);
  const waiting = [take("a2", 1), take("a3", 1)];
  expect(take("a4", 1)).rejects.toThrow(BudgetRefusal);
  waiting.push(take("b1", 1), take("c1", 1));
  expect(take("d1", 1)).rejects.toThrow(BudgetRefusal);
  release();
  await Promise.all(waiting);
  const short = budget(1);
  await short.take("a1", 10);
  expect(short.take("b1", 1)).rejects.toThrow(BudgetRefusal);
});
