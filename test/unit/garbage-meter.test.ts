/** What large work leaves behind is collected before it is much, and not for each bit of it. */
import { expect, spyOn, test } from "bun:test";
import { GarbageMeter } from "../../core/lib/garbage-meter";
import { nextTurn } from "../../core/lib/chunked-work";
import { openTestIndex } from "../helpers/search-index";

async function collections(work: () => Promise<unknown> | void): Promise<number> {
  const collect = spyOn(Bun, "gc").mockImplementation(() => 0);
  try {
    await work();
    await nextTurn();
    return collect.mock.calls.length;
  } finally {
    collect.mockRestore();
  }
}

const cases: [why: string, bytes: readonly number[], expected: number][] = [
  ["little is left alone", [1, 2 ** 20, 2 ** 20], 0],
  ["much is collected once", Array<number>(24).fill(2 ** 20), 1],
  ["and again when there is more", Array<number>(50).fill(2 ** 20), 2],
];
for (const [why, bytes, expected] of cases)
  test(why, async () => {
    const garbage = new GarbageMeter();
    expect(await collections(() => bytes.forEach((one) => garbage.add(one)))).toBe(expected);
  });

test("a long text that is written leaves little, a short one nothing", async () => {
  const { texts } = await openTestIndex();
  expect(await collections(() => texts.prepare("The auk swims. ".repeat(20_000)))).toBe(0);
  const long = "The auk swims. ".repeat(500_000);
  expect(await collections(() => texts.prepare(long))).toBeGreaterThan(0);
});
