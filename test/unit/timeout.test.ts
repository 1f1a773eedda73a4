/** Time limits: what ends them, and that nothing is left behind. */
import { describe, expect, test } from "bun:test";
import { leftUntil, settlesWithin, TimeLimit, withTimeout } from "../../core/lib/timeout";

const long_ms = 60_000;
const never = new Promise<never>(() => undefined);
const late = () => new Error("late");

describe("a time limit", () => {
  const cases: [reason: string, limit: () => TimeLimit, why: string][] = [
    ["when its time is up, with its reason", () => new TimeLimit(5, { reason: late }), "late"],
    [
      "at once with an outer signal",
      () => new TimeLimit(long_ms, { signal: AbortSignal.abort(new Error("gone")) }),
      "gone",
    ],
    [
      "after the grace period with an outer signal",
      () => new TimeLimit(Infinity, { signal: AbortSignal.abort(new Error("gone")), grace_ms: 5 }),
      "gone",
    ],
    [
      "by whichever comes first",
      () =>
        new TimeLimit(5, {
          signal: AbortSignal.abort(new Error("gone")),
          grace_ms: long_ms,
          reason: late,
        }),
      "late",
    ],
  ];
  for (const [reason, made, why] of cases)
    test(`ends ${reason}`, async () => {
      const limit = made();
      await expect(limit.race(never)).rejects.toThrow(why);
      expect(limit.signal.reason.message).toBe(why);
      limit.clear();
    });

  test("passes on the result or error of the work", async () => {
    const limit = new TimeLimit(long_ms);
    expect(await limit.race(Promise.resolve("given"))).toBe("given");
    await expect(limit.race(Promise.reject(new Error("thrown")))).rejects.toThrow("thrown");
    limit.clear();
  });

  test("never fires after it was cleared", async () => {
    const outer = new AbortController();
    const limit = new TimeLimit(1, { signal: outer.signal });
    limit.clear();
    outer.abort();
    await new TimeLimit(5).race(never).catch(() => undefined);
    expect(limit.signal.aborted).toBe(false);
  });
});

test("late work is a timeout error, and its own later error is ignored", async () => {
  const { promise: failing, reject } = Promise.withResolvers<never>();
  await expect(withTimeout(failing, 1, late)).rejects.toThrow("late");
  reject(new Error("unheard"));
  expect(await withTimeout(Promise.resolve("in time"), long_ms, late)).toBe("in time");
  expect(await withTimeout(Promise.resolve("no limit"), Infinity, late)).toBe("no limit");
  // An unhandled rejection would fail the test by now.
  await Bun.sleep(0);
});

test("settlesWithin tells whether work settles in time", async () => {
  expect(await settlesWithin(Promise.resolve(), long_ms)).toBe(true);
  expect(await settlesWithin(Promise.reject(new Error("settled too")), long_ms)).toBe(true);
  expect(await settlesWithin(never, 1)).toBe(false);
});

describe("the time left until a given time is", () => {
  const cases: [why: string, at_ms: number, now_ms: number, left_ms: number][] = [
    ["the difference to now", 1_100, 1_000, 100],
    ["the longest possible wait", 1_500, 1_000, 500],
    ["zero at that time", 1_000, 1_000, 0],
    ["zero after that time", 1_000, 1_001, 0],
    ["zero beyond the longest wait, as the clock was set back", 1_501, 1_000, 0],
  ];
  test.each(cases)("%s", (_why, at_ms, now_ms, left_ms) =>
    expect(leftUntil(at_ms, now_ms, 500)).toBe(left_ms),
  );
});
