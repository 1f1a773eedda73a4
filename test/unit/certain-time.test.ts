/** Nothing is removed for good because the clock was wrong for a while. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { CertainTime, nextReading, type TimeReading } from "../../core/jobs/certain-time";
import { openJobs, minute, movableClock, type JobsFixture } from "../helpers/jobs";

const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Sets the clock (`set`), runs minute by minute (`run`), or is switched off (`off`). */
type Step = readonly ["set" | "run" | "off", number];
function after(steps: readonly Step[]) {
  const clock = movableClock();
  const begun_ms = clock.now_ms();
  let boots = 0;
  const now = () => {
    const { ms } = clock.uptime();
    return { now_ms: clock.now_ms, uptime: () => ({ boot: `${boots}`, ms }) };
  };
  let seen: TimeReading = {
    certain_ms: begun_ms,
    clock_ms: begun_ms,
    boot: "0",
    uptime_ms: 0,
    doubted_ms: 0,
  };
  for (const [what, ms] of steps) {
    if (what === "set") clock.move(ms);
    if (what === "off") {
      clock.pass(ms);
      boots += 1;
    }
    for (let left = what === "run" ? ms : 0; left > 0; left -= minute) {
      clock.pass(Math.min(minute, left));
      seen = nextReading(seen, now());
    }
    seen = nextReading(seen, now());
  }
  return { certain_for: seen.certain_ms - begun_ms, behind: clock.now_ms() - seen.certain_ms };
}

describe("the certain time", () => {
  const cases: [why: string, steps: readonly Step[], behind: number][] = [
    ["equals a correct clock", [["run", 3 * day]], 0],
    [
      "follows a clock corrected by seconds",
      [
        ["run", hour],
        ["set", 20_000],
      ],
      0,
    ],
    ["doesn't follow a clock that jumps a year", [["set", year]], year],
    [
      "follows a clock that is set back",
      [
        ["run", hour],
        ["set", -30 * minute],
      ],
      0,
    ],
    [
      "is right again once the clock is",
      [
        ["set", year],
        ["run", 10 * minute],
        ["set", -year],
      ],
      0,
    ],
    [
      "accepts a jump of two days after two hours",
      [
        ["set", 2 * day],
        ["run", 2.1 * hour],
      ],
      0,
    ],
    [
      "accepts any jump after a day",
      [
        ["set", year],
        ["run", 25 * hour],
      ],
      0,
    ],
    [
      "doubts a second jump like the first",
      [
        ["set", year],
        ["run", 23 * hour],
        ["set", year],
        ["run", 2 * hour],
      ],
      2 * year - 25 * 23 * hour,
    ],
    [
      "doesn't yet count a year switched off",
      [
        ["run", hour],
        ["off", year],
      ],
      year,
    ],
    [
      "keeps up on a machine that runs an hour a day",
      Array.from({ length: 60 }, (_, n): Step => (n % 2 ? ["off", 23 * hour] : ["run", hour])),
      23 * hour,
    ],
  ];
  test.each(cases)("%s", (_why, steps, behind) => {
    expect(after(steps).behind).toBe(behind);
  });

  test("is at most a day ahead after an hour with a wrong clock", () => {
    expect(
      after([
        ["set", year],
        ["run", hour],
      ]).certain_for,
    ).toBeLessThanOrEqual(day);
  });
});

describe("the saved certain time", () => {
  let world: JobsFixture;
  beforeEach(async () => {
    world = await openJobs();
  });
  afterEach(() => world.close());
  const begin = async (): Promise<CertainTime> => {
    const time = new CertainTime(world);
    await time.read();
    return time;
  };

  test("is unknown before it was read", () => {
    expect(new CertainTime(world).now_ms()).toBe(0);
  });

  test("survives a restart with a wrong clock, and is right again once the clock is", async () => {
    const { clock } = world;
    await (await begin()).save();
    const right = clock.now_ms();
    clock.move(year);
    const later = await begin();
    expect(later.now_ms()).toBe(right);
    clock.pass(minute / 2);
    await later.save();
    expect(world.lines.join()).toContain("the clock is far ahead");
    clock.move(-year);
    expect((await begin()).now_ms()).toBe(clock.now_ms());
  });

  test("includes the time the server was stopped", async () => {
    const { clock } = world;
    await (await begin()).save();
    clock.pass(5 * day);
    expect((await begin()).now_ms()).toBe(clock.now_ms());
  });
});
