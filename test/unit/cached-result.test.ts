/** Results that several callers share. */
import { describe, expect, test } from "bun:test";
import { cached } from "../../core/lib/cached-result";

describe("a result is shared", () => {
  const cases: [why: string, later_ms: number, result: number][] = [
    ["at once", 0, 1],
    ["while it is young", 99, 1],
    ["no longer than it may be", 100, 2],
    ["not for ever when the clock was set back", -1, 2],
  ];
  test.each(cases)("%s", async (_why, later_ms, result) => {
    let runs = 0;
    let now_ms = 5_000;
    const request = cached(
      async () => ++runs,
      100,
      () => now_ms,
    );
    expect(await request()).toBe(1);
    now_ms += later_ms;
    expect(await request()).toBe(result);
  });

  test("only if it is worth keeping", async () => {
    let runs = 0;
    const request = cached(
      async () => ++runs,
      100,
      () => 0,
      (result) => result === 2,
    );
    const results: number[] = [];
    for (let n = 0; n < 4; n++) results.push(await request());
    expect(results).toEqual([1, 2, 2, 2]);
  });

  test("by all who wait for it", async () => {
    let runs = 0;
    const made = Promise.withResolvers<string>();
    const request = cached(
      () => {
        runs++;
        return made.promise;
      },
      100,
      () => 0,
    );
    const waiting = [request(), request()];
    made.resolve("well");
    expect([await Promise.all(waiting), runs]).toEqual([["well", "well"], 1]);
  });

  test("but a failure only by those who wait for it", async () => {
    let runs = 0;
    const request = cached(
      async () => {
        if (++runs === 1) throw new Error("the disk is away");
        return runs;
      },
      100,
      () => 0,
    );
    const results = await Promise.allSettled([request(), request()]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await request()).toBe(2);
  });
});
