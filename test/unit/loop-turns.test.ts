/** Turns of the event loop: much work is done in parts, and owners take turns. */
import { expect, spyOn, test } from "bun:test";
import { loop_turns, LoopTurns } from "../../core/lib/loop-turns";
import { nextTurn as nextPart } from "../../core/lib/chunked-work";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Uses up the current turn; returns the promise of the first call that has to wait. */
function useUp(turns: LoopTurns, subject: string): Promise<void> {
  for (;;) {
    const turn = turns.enter(subject);
    if (turn) return turn;
  }
}

/** What continues then keeps the loop busy for a while. */
const busyAfter = async (turn: Promise<void>, ms = 1): Promise<void> => {
  await turn;
  for (const end_ms = performance.now() + ms; performance.now() < end_ms;);
};

test("a caller does not wait while the turn has time left", async () => {
  const turns = new LoopTurns();
  expect(turns.enter("ada")).toBeUndefined();
  await nextTurn();
  expect(turns.enter("ada")).toBeUndefined();
});

test("when a turn is used up, the event loop runs before the next one", async () => {
  const turns = new LoopTurns();
  const waiting = useUp(turns, "ada");
  let went_on = false;
  void waiting.then(() => {
    went_on = true;
  });
  await Promise.resolve();
  expect(went_on).toBe(false);
  await waiting;
  await nextTurn();
  expect(turns.enter("ada")).toBeUndefined();
});

test("another owner's call overtakes a long queue, and every call gets its turn", async () => {
  const turns = new LoopTurns();
  const order: string[] = [];
  const wait = (who: string) => turns.enter(who)!.then(() => void order.push(who));
  const all = [useUp(turns, "ada").then(() => void order.push("ada"))];
  for (let n = 0; n < 500; n++) all.push(wait("ada"));
  all.push(wait("bob"));
  await Promise.all(all);
  expect(order).toHaveLength(502);
  expect(order.indexOf("bob")).toBeLessThan(8);
});

test("who has nothing waiting does not queue behind others", async () => {
  const turns = new LoopTurns();
  const all = [busyAfter(useUp(turns, "ada"))];
  for (let n = 0; n < 50; n++) all.push(busyAfter(turns.enter("ada")!));
  await nextTurn();
  expect(turns.enter("bob")).toBeUndefined();
  await Promise.all(all);
});

test("work that comes last waits while anybody waits", async () => {
  const turns = new LoopTurns();
  const all = [busyAfter(useUp(turns, "ada"))];
  for (let n = 0; n < 50; n++) all.push(busyAfter(turns.enter("ada")!));
  await nextTurn();
  const last = turns.enter("work in parts", true);
  expect(last).toBeDefined();
  await Promise.all([...all, last]);
  await nextTurn();
  expect(turns.enter("work in parts", true)).toBeUndefined();
});

test("a caller that comes while others of its own wait has to wait too", async () => {
  const turns = new LoopTurns();
  const all = [busyAfter(useUp(turns, "ada"))];
  for (let n = 0; n < 20; n++) all.push(busyAfter(turns.enter("ada")!));
  await nextTurn();
  const late = turns.enter("ada");
  expect(late).toBeDefined();
  await Promise.all([...all, late]);
});

test("a turn is shorter while several owners have work", async () => {
  let now_ms = 1_000;
  const clock = spyOn(performance, "now").mockImplementation(() => now_ms);
  const turns = new LoopTurns();
  const waitsAfter3Ms = async (...subjects: string[]): Promise<boolean> => {
    await nextTurn();
    for (const subject of subjects) await turns.enter(subject);
    now_ms += 3;
    const turn = turns.enter(subjects.at(-1)!);
    await turn;
    return turn !== undefined;
  };
  try {
    turns.enter("ada");
    now_ms += 1_000;
    expect(await waitsAfter3Ms("ada")).toBe(false);
    expect(await waitsAfter3Ms("ada", "bob")).toBe(true);
    expect(await waitsAfter3Ms("bob")).toBe(true);
    now_ms += 1_000;
    await nextTurn();
    expect(await waitsAfter3Ms("bob")).toBe(false);
  } finally {
    clock.mockRestore();
  }
});

test.each([
  ["the loop rests while another owner comes and goes", 20, "bob", true],
  ["it does not rest for the owner of the work", 20, "ada", false],
  ["nor for work in the background", 20, "work in parts", false],
  ["nor while a few entries wait", 4, "bob", false],
])("between rounds of work in bulk: %s", async (_, entries, visitor, rests) => {
  const turns = new LoopTurns();
  const all = [busyAfter(useUp(turns, "ada"))];
  for (let n = 1; n < entries; n++) all.push(busyAfter(turns.enter("ada")!));
  const timer = spyOn(globalThis, "setTimeout");
  try {
    void turns.enter(visitor, visitor === "work in parts");
    await Promise.all(all);
    expect(timer.mock.calls.length > 0).toBe(rests);
  } finally {
    timer.mockRestore();
  }
});

test("entries that turn out to take long continue one at a time, whatever was short before", async () => {
  const turns = new LoopTurns();
  const short = [useUp(turns, "ada")];
  for (let n = 1; n < 500; n++) short.push(turns.enter("ada")!);
  await Promise.all(short);
  const part_ms = 5;
  let parts = 0;
  const inSteps = async (turn: Promise<void>): Promise<void> => {
    await turn;
    // As queries do: what a promise lets continue may wait for others.
    for (let n = 0; n < 20; n++) await Promise.resolve();
    await busyAfter(Promise.resolve(), part_ms);
    parts++;
  };
  const long = [inSteps(useUp(turns, "ada"))];
  for (let n = 1; n < 40; n++) long.push(inSteps(turns.enter("ada")!));
  const per_iteration: number[] = [];
  for (let before = 0; parts < long.length; before = parts) {
    await nextTurn();
    per_iteration.push(parts - before);
  }
  expect(Math.max(...per_iteration)).toBeLessThanOrEqual(3);
  await Promise.all(long);
});

test("all chunked work together counts as one of those taking turns", async () => {
  const works = 50;
  const parts_each = 2;
  let parts = 0;
  // Each part uses up a whole turn.
  const part = (): void => {
    for (const end_ms = performance.now() + 7; performance.now() < end_ms;);
    parts += 1;
  };
  const all = Array.from({ length: works }, async () => {
    for (let n = 0; n < parts_each; n++) {
      await nextPart();
      part();
    }
  });
  while (parts === 0) await nextTurn();
  const turns_of_bob: number[] = [];
  for (let n = 0; n < 5; n++) {
    const before = parts;
    await loop_turns.enter("bob");
    turns_of_bob.push(parts - before);
    part();
    await nextTurn();
  }
  expect(Math.max(...turns_of_bob)).toBeLessThan(works / 5);
  await Promise.all(all);
  expect(parts).toBe(works * parts_each + 5);
});
