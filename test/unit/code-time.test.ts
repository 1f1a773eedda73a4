/** How long a plugin's code may take, not counting what it waits for. */
import { expect, test } from "bun:test";
import { withCodeTimeout } from "../../core/plugin/code-timeout";
import type { RunClock } from "../../core/isolate/run-clock";

/** A clock for which the time is up at once, or never. */
const lateIf = (is_late: boolean): RunClock & { readonly cleared: () => number } => {
  let cleared = 0;
  return {
    now_ms: () => 0,
    after(_ms, late) {
      if (is_late) queueMicrotask(late);
      return () => void cleared++;
    },
    cleared: () => cleared,
  };
};
const soon = <T>(value: T): Promise<T> => Bun.sleep(1).then(() => value);

const works: [why: string, work: () => Promise<unknown>, is_late: boolean, outcome: unknown][] = [
  ["its result", () => soon(3), false, 3],
  ["its error", () => soon(3).then(() => Promise.reject(new Error("no"))), false, "no"],
  ["that it took too long", () => new Promise(() => {}), true, "its set-up took longer than 3 s"],
];
test.each(works)("code that is timed reports %s", async (_why, work, is_late, outcome) => {
  const clock = lateIf(is_late);
  const result = await withCodeTimeout(work(), 3_000, "its set-up", clock).catch(
    ({ message }) => message,
  );
  expect([result, clock.cleared()]).toEqual([outcome, 1]);
});
