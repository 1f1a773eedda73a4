/** A run is not charged for time spent waiting for a processor, but still ends at some point. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { ProcessClock, processorWaitMs } from "../../core/isolate/run-clock";

const cases: [why: string, passed_ms: number, waited_ms: number | null, charged_ms: number][] = [
  ["a process that runs or sleeps is charged all its time", 1_000, 0, 1_000],
  ["time waiting for a processor is not charged", 1_000, 900, 100],
  ["a process that never gets a processor is charged a twentieth", 1_000, 1_000, 50],
  ["where waiting times are unknown, all time is charged", 1_000, null, 1_000],
];
for (const [why, passed_ms, waited_ms, charged_ms] of cases)
  test(why, () => {
    let now_ms = 5_000;
    let waited: number | null = waited_ms === null ? null : 300;
    const clock = new ProcessClock(
      1,
      () => waited,
      () => now_ms,
    );
    now_ms += passed_ms;
    if (waited_ms !== null) waited = 300 + waited_ms;
    expect(clock.now_ms()).toBe(charged_ms);
    waited = null; // The process has ended.
    expect(clock.now_ms()).toBe(charged_ms);
  });

test("a run is not charged for time in which it was paused", () => {
  let now_ms = 5_000;
  const clock = new ProcessClock(
    1,
    () => 0,
    () => now_ms,
  );
  const pass = (ms: number) => {
    now_ms += ms;
    return clock.now_ms();
  };
  expect(pass(100)).toBe(100);
  clock.pause();
  expect(pass(1_000)).toBe(100);
  clock.resume();
  expect(pass(30)).toBe(130);
});

test("the callback runs when the charged time is over, unless it was cancelled", async () => {
  const begun_ms = performance.now();
  const waitedMs = () => Math.min(100, performance.now() - begun_ms);
  const clock = new ProcessClock(1, waitedMs);
  const { promise, resolve } = Promise.withResolvers<number>();
  clock.after(50, () => resolve(clock.now_ms()));
  let called = false;
  clock.after(1, () => (called = true))();
  expect(await promise).toBeGreaterThanOrEqual(50);
  expect(called).toBe(false);
});

test.skipIf(!existsSync("/proc/self/schedstat") || Bun.which("taskset") === null)(
  "two processes sharing one processor both report waiting",
  async () => {
    const busy = () => Bun.spawn(["taskset", "-c", "0", "sh", "-c", "while :; do :; done"]);
    const processes = [busy(), busy()];
    try {
      while (processes.some(({ pid }) => processorWaitMs(pid)! < 20)) await Bun.sleep(10);
    } finally {
      for (const child of processes) child.kill();
    }
    await Promise.all(processes.map((child) => child.exited));
    expect(processes.map(({ pid }) => processorWaitMs(pid))).toEqual([null, null]);
  },
);
