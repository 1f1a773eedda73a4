/** Garbage from large work is collected in time, but not for every small amount. */
import { expect, spyOn, test } from "bun:test";
import { collector } from "../../core/lib/collector";
import { GarbageMeter } from "../../core/lib/garbage-meter";
import { nextTurn } from "../../core/lib/chunked-work";
import { openTestIndex } from "../helpers/search-index";

async function collections(work: () => Promise<unknown> | void): Promise<number> {
  const collect = spyOn(collector, "collect").mockImplementation(() => {});
  try {
    await work();
    await nextTurn();
    return collect.mock.calls.length;
  } finally {
    collect.mockRestore();
  }
}

const cases: [why: string, bytes: readonly number[], expected: number][] = [
  ["a little is not collected", [1, 2 ** 20, 2 ** 20], 0],
  ["a lot is collected once", Array<number>(8).fill(2 ** 20), 1],
  ["more is collected again", Array<number>(18).fill(2 ** 20), 2],
];
for (const [why, bytes, expected] of cases)
  test(why, async () => {
    const garbage = new GarbageMeter();
    expect(await collections(() => bytes.forEach((size) => garbage.add(size)))).toBe(expected);
  });

test("writing a long text triggers a collection, a short one doesn't", async () => {
  const { texts } = await openTestIndex();
  expect(await collections(() => texts.prepare("The auk swims. ".repeat(20_000)))).toBe(0);
  const long = "The auk swims. ".repeat(500_000);
  expect(await collections(() => texts.prepare(long))).toBeGreaterThan(0);
});
