/** The windows that count requests: exact, aligned to the clock, bounded in memory. */
import { describe, expect, test } from "bun:test";
import { FixedWindows } from "../../plugins/rate-limit/fixed-windows";

const minute_ms = 60_000;
/** A Tuesday, 12:00:00 UTC: the start of a window of any usual length. */
const noon_ms = Date.UTC(2026, 2, 3, 12);

function windows({ requests_max = 3, window_ms = minute_ms, unbounded_max = 2 } = {}) {
  const clock = { now_ms: noon_ms };
  const counter = new FixedWindows({
    limits: () => ({ requests_max, window_ms }),
    unbounded_prefix: "address:",
    unbounded_max,
    now_ms: () => clock.now_ms,
  });
  return {
    take: (subject: string, count: number) => counter.take(subject, count),
    size: () => counter.size,
    clock,
  };
}

describe("one subject, step by step", () => {
  // `at_ms`: milliseconds after noon; `charge`; then the expected answer.
  type Step = [
    at_ms: number,
    charge: 0 | 1,
    allowed: boolean,
    remaining: number,
    reset_after_noon_s: number,
  ];
  const cases: [string, Step[]][] = [
    [
      "three are allowed, the fourth is not",
      [
        [0, 1, true, 2, 60],
        [1, 1, true, 1, 60],
        [2, 1, true, 0, 60],
        [3, 1, false, 0, 60],
        [59_999, 1, false, 0, 60],
      ],
    ],
    [
      "the next window starts on the minute, whenever the first request came",
      [
        [59_999, 1, true, 2, 60],
        [60_000, 1, true, 2, 120],
      ],
    ],
    [
      "a refused request is not counted against the next window",
      [
        [0, 1, true, 2, 60],
        [0, 1, true, 1, 60],
        [0, 1, true, 0, 60],
        [1, 1, false, 0, 60],
        [60_000, 1, true, 2, 120],
      ],
    ],
    [
      "a check without a charge costs nothing",
      [
        [0, 0, true, 3, 60],
        [1, 1, true, 2, 60],
        [2, 0, true, 2, 60],
      ],
    ],
    [
      "a check of a full window reports it",
      [
        [0, 1, true, 2, 60],
        [0, 1, true, 1, 60],
        [0, 1, true, 0, 60],
        [1, 0, false, 0, 60],
      ],
    ],
    [
      "unused windows are skipped",
      [
        [0, 1, true, 2, 60],
        [600_001, 1, true, 2, 660],
      ],
    ],
    [
      "a clock that is set back does not lock anybody out",
      [
        [0, 1, true, 2, 60],
        [0, 1, true, 1, 60],
        [0, 1, true, 0, 60],
        [-3_600_000, 1, true, 2, -3_540],
      ],
    ],
  ];
  for (const [why, steps] of cases)
    test(why, async () => {
      const { take, clock } = windows();
      for (const [at_ms, charge, allowed, remaining, reset_s] of steps) {
        clock.now_ms = noon_ms + at_ms;
        expect(await take("owner:ada", charge)).toEqual({
          limit: 3,
          remaining,
          reset_s: noon_ms / 1_000 + reset_s,
          allowed,
        });
      }
    });
});

test("the reset time of a window under a second is rounded up to a full second", async () => {
  const { take, clock } = windows({ window_ms: 250 });
  clock.now_ms = noon_ms + 300;
  expect((await take("owner:ada", 1)).reset_s).toBe(noon_ms / 1_000 + 1);
});

test("subjects do not share a count", async () => {
  const { take } = windows();
  for (let i = 0; i < 3; i++) await take("owner:ada", 1);
  expect((await take("owner:ada", 1)).allowed).toBe(false);
  expect(await take("owner:bob", 1)).toMatchObject({ allowed: true, remaining: 2 });
  expect(await take("address:192.0.2.1", 1)).toMatchObject({ allowed: true, remaining: 2 });
});

test("exactly the limit is allowed of 1,000 requests in one window", async () => {
  const { take } = windows({ requests_max: 600 });
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => take("owner:ada", 1)));
  const allowed = answers.filter((answer) => answer.allowed);
  expect(allowed.length).toBe(600);
});

describe("a flood of distinct addresses", () => {
  test("does not grow memory: addresses beyond the bound share one count", async () => {
    const { take, size } = windows({ unbounded_max: 100 });
    for (let i = 0; i < 10_000; i++) await take(`address:2001:db8::${i.toString(16)}`, 1);
    expect(size()).toBe(101);
    expect((await take("address:198.51.100.1", 1)).allowed).toBe(false);
  });

  test("does not evict the count of an owner or a known address", async () => {
    const { take } = windows({ unbounded_max: 100 });
    for (let i = 0; i < 3; i++) {
      await take("owner:ada", 1);
      await take("address:192.0.2.1", 1);
    }
    for (let i = 0; i < 10_000; i++) await take(`address:2001:db8::${i.toString(16)}`, 1);
    expect((await take("owner:ada", 1)).allowed).toBe(false);
    expect((await take("address:192.0.2.1", 1)).allowed).toBe(false);
  });

  test("does not keep a new owner out", async () => {
    const { take } = windows({ unbounded_max: 100 });
    for (let i = 0; i < 10_000; i++) await take(`address:2001:db8::${i.toString(16)}`, 1);
    expect(await take("owner:bob", 1)).toMatchObject({ allowed: true, remaining: 2 });
  });

  test("is forgotten with its window", async () => {
    const { take, size, clock } = windows({ unbounded_max: 100 });
    for (let i = 0; i < 10_000; i++) await take(`address:2001:db8::${i.toString(16)}`, 1);
    clock.now_ms += minute_ms;
    expect(await take("address:198.51.100.1", 1)).toMatchObject({ allowed: true, remaining: 2 });
    expect(size()).toBe(1);
  });
});
