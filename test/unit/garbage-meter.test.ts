/** Garbage from large work is collected in time, but not for every small amount. */
import { expect, spyOn, test } from "bun:test";
import { collector } from "../../core/lib/collector";
import { GarbageMeter } from "../../core/lib/garbage-meter";
import { nextTurn } from "../../core/lib/chunked-work";
import { openTestIndex } from "../helpers/search-index";

/** How many collections the work triggers, of all memory (`collect`) or of what is new. */
async function collections(
  work: () => Promise<unknown> | void,
  kind: "collect" | "collectNew" = "collect",
): Promise<number> {
  const collect = spyOn(collector, kind).mockImplementation(() => {});
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
    for (const [collected, kind] of [
      ["all", "collect"],
      ["new", "collectNew"],
    ] as const) {
      const garbage = new GarbageMeter(collected);
      const work = () => bytes.forEach((size) => garbage.add(size));
      expect(await collections(work, kind)).toBe(expected);
    }
  });

test("writing a long text triggers a collection, a short one doesn't", async () => {
  const { texts } = await openTestIndex();
  const short = "The auk swims. ".repeat(20_000);
  expect(await collections(() => texts.prepare(short), "collectNew")).toBe(0);
  const long = "The auk swims. ".repeat(500_000);
  expect(await collections(() => texts.prepare(long), "collectNew")).toBeGreaterThan(0);
});
