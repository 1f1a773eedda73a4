/** How much runs at the same time, and whose turn is next. */
import { describe, expect, test } from "bun:test";
import { FairLimiter, Limiter, LimiterRefusal } from "../../core/lib/limiter";

const never = new AbortController().signal;

test("a fair limiter runs one at a time, in request order, even if one fails", async () => {
  const limiter = new FairLimiter({ concurrency: 1, patience_ms: 60_000, overflow_max: 1 });
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} begins`);
    await Bun.sleep(1);
    seen.push(`${name} ends`);
    if (name === "a") throw new Error("a fails");
    return name;
  };
  const all = await Promise.allSettled([
    limiter.run("ada", never, work("a")),
    limiter.run("eve", never, work("b")),
    limiter.run("ada", never, work("c")),
  ]);
  expect(
    all.map((result) => (result.status === "fulfilled" ? result.value : result.reason.message)),
  ).toEqual(["a fails", "b", "c"]);
  expect(seen).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test("a slow caller lets others start, but gets no second turn meanwhile", async () => {
  const limiter = new FairLimiter({ concurrency: 1, patience_ms: 5, overflow_max: 1 });
  const { promise: blocked, resolve: go } = Promise.withResolvers<void>();
  let second = false;
  const first = limiter.run("ada", never, () => blocked);
  const next = limiter.run("ada", never, async () => {
    second = true;
  });
  expect(await limiter.run("eve", never, async () => "eve")).toBe("eve");
  expect(second).toBe(false);
  go();
  await Promise.all([first, next]);
  expect(second).toBe(true);
});

test("an aborted caller leaves the queue", async () => {
  const limiter = new FairLimiter({ concurrency: 1, patience_ms: 60_000, overflow_max: 1 });
  const { promise: blocked, resolve: go } = Promise.withResolvers<void>();
  const first = limiter.run("ada", never, () => blocked);
  const disconnection = new AbortController();
  let worked = false;
  const waiting = limiter
    .run("eve", disconnection.signal, async () => {
      worked = true;
    })
    .catch((error: Error) => error.message);
  await Bun.sleep(1);
  disconnection.abort(new Error("The task was stopped."));
  expect([await waiting, worked]).toEqual(["The task was stopped.", false]);
  go();
  await first;
});

test("a limiter respects its total concurrency and the limit per key", async () => {
  const limiter = new Limiter({ concurrency: 3, per_key: 2, wait_ms_max: 60_000 });
  const running: string[] = [];
  const begun: string[] = [];
  const gates: (() => void)[] = [];
  const work = (who: string) =>
    limiter.run(
      async () => {
        running.push(who);
        begun.push(who);
        await new Promise<void>((resolve) => {
          gates.push(resolve);
        });
        running.splice(running.indexOf(who), 1);
      },
      { key: who },
    );
  const all = [work("a"), work("a"), work("a"), work("b"), work("b"), work("c")];
  await Bun.sleep(0);
  expect(running).toEqual(["a", "a", "b"]);
  while (begun.length < 6) {
    gates.shift()!();
    await Bun.sleep(0);
  }
  expect(begun).toEqual(["a", "a", "b", "a", "b", "c"]);
  for (const open of gates) open();
  await Promise.all(all);
});

describe("with takes_turns, the next to run is", () => {
  /** `asked` has the keys in request order, one letter each, all requested while the first ran. */
  const cases: [why: string, asked: string, concurrency: number, begun: string][] = [
    ["the key served longest ago, not the first to ask", "aaaab", 1, "abaaa"],
    ["each of three busy keys in turn", "aaabbbccc", 1, "abcabcabc"],
    ["the key with the fewest runs", "aaaabc", 3, "aaabca"],
    ["in request order within one key", "aaa", 1, "aaa"],
  ];
  for (const [why, keys, concurrency, expected] of cases)
    test(why, async () => {
      const limiter = new Limiter({ concurrency, takes_turns: true });
      const begun: string[] = [];
      const gates: (() => void)[] = [];
      const all = [...keys].map((key) =>
        limiter.run(
          () => {
            begun.push(key);
            return new Promise<void>((resolve) => {
              gates.push(resolve);
            });
          },
          { key },
        ),
      );
      await Bun.sleep(0);
      while (begun.length < keys.length) {
        gates.shift()!();
        await Bun.sleep(0);
      }
      for (const open of gates) open();
      await Promise.all(all);
      expect(begun.join("")).toBe(expected);
    });
});

describe("runs that can be paused", () => {
  /** `asked`: the keys in request order; those in small letters can be paused. */
  const cases: [
    why: string,
    asked: string,
    concurrency: number,
    paused_max: number,
    begun: string,
    paused: string,
  ][] = [
    ["make room for a key of which none is active", "aab", 2, 9, "aab", "a"],
    ["make room for several keys", "aaabc", 3, 9, "aaabc", "aa"],
    ["make no room for one of their own key", "aaa", 2, 9, "aa", ""],
    ["make no room beyond the limit of paused runs", "aaabc", 3, 1, "aaab", "a"],
    ["make room where others can't be paused", "Aab", 2, 9, "Aab", "a"],
    ["are the only ones that make room", "AAb", 2, 9, "AA", ""],
  ];
  for (const [why, asked, concurrency, paused_max, begun_at_last, paused_at_last] of cases)
    test(why, async () => {
      const limiter = new Limiter({
        ...{ concurrency, patience_ms: 1, overflow_max: 0, takes_turns: true },
        ...{ slice_ms: 1, paused_max },
      });
      const { promise: end, resolve: endAll } = Promise.withResolvers<void>();
      const begun: string[] = [];
      const paused: string[] = [];
      const all = [...asked].map((letter) => {
        const key = letter.toLowerCase();
        const turns = {
          pause: () => paused.push(key) > 0,
          resume: () => void paused.splice(paused.indexOf(key), 1),
        };
        const work = () => {
          begun.push(letter);
          return end;
        };
        return limiter.run(work, { key, pausable: letter === key ? turns : undefined });
      });
      await Bun.sleep(50);
      expect([begun.join(""), paused.join("")]).toEqual([begun_at_last, paused_at_last]);
      endAll();
      await Promise.all(all);
      expect(limiter.saturated).toBe(false);
    });

  test("take turns with one another", async () => {
    const limiter = new Limiter({
      ...{ concurrency: 1, patience_ms: 1, overflow_max: 0, takes_turns: true },
      ...{ slice_ms: 1 },
    });
    const { promise: end, resolve: endAll } = Promise.withResolvers<void>();
    const resumed: string[] = [];
    const enough = Promise.withResolvers<void>();
    const all = ["a", "b", "c"].map((key) => {
      const resume = () => void (resumed.push(key) === 6 && enough.resolve());
      return limiter.run(() => end, { key, pausable: { pause: () => true, resume } });
    });
    await enough.promise;
    expect(resumed.slice(0, 6)).toEqual(["a", "b", "c", "a", "b", "c"]);
    endAll();
    await Promise.all(all);
  });
});

test("a caller that waits too long is refused, and the slot goes to the next", async () => {
  const limiter = new Limiter({ concurrency: 1, wait_ms_max: 5 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = limiter.run(() => promise, { key: "a" });
  await expect(limiter.run(async () => "never", { key: "b" })).rejects.toMatchObject({
    reason: "timeout",
  });
  await Bun.sleep(20);
  resolve();
  await first;
  expect(await limiter.run(async () => "in", { key: "c" })).toBe("in");
});

test("callers beyond the limit of waiting ones are refused", async () => {
  const limiter = new Limiter({ concurrency: 1, waiting_max: 1 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = limiter.run(() => promise);
  const second = limiter.run(async () => "second");
  await expect(limiter.run(async () => "third")).rejects.toEqual(new LimiterRefusal("full"));
  resolve();
  await first;
  expect(await second).toBe("second");
  expect(limiter.saturated).toBe(false);
});
