/** Results that several callers share. */
import { describe, expect, test } from "bun:test";
import { oncePerTurn } from "../../core/lib/cached-result";
import { nextTurn } from "../../core/lib/chunked-work";

describe("once per turn", () => {
  const counting = () => {
    let runs = 0;
    return oncePerTurn(async () => ++runs);
  };

  test("callers in one iteration of the event loop share a result", async () => {
    const request = counting();
    expect(await Promise.all([request(), request(), request()])).toEqual([1, 1, 1]);
  });

  test("the next iteration has a result of its own, even while the last one is awaited", async () => {
    let runs = 0;
    const first = Promise.withResolvers<number>();
    const request = oncePerTurn(async () => (++runs === 1 ? first.promise : runs));
    const waiting = request();
    await nextTurn();
    expect(await request()).toBe(2);
    first.resolve(1);
    expect(await waiting).toBe(1);
  });

  test("all callers get a failure, and later ones do not", async () => {
    let runs = 0;
    const request = oncePerTurn(async () => {
      if (++runs === 1) throw new Error("the disk is away");
      return runs;
    });
    const results = await Promise.allSettled([request(), request()]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await nextTurn();
    expect(await request()).toBe(2);
  });
});
