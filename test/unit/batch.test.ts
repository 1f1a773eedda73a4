/** Lists are split into batches of a given size, in order, or cut at a total size. */
import { expect, test } from "bun:test";
import { batchesOf, firstWithin } from "../../core/lib/batch";

const cases: [list: number[], size: number, batches: number[][]][] = [
  [[], 2, []],
  [[1], 2, [[1]]],
  [[1, 2], 2, [[1, 2]]],
  [[1, 2, 3, 4, 5], 2, [[1, 2], [3, 4], [5]]],
];
for (const [list, size, batches] of cases)
  test(`${list.length} in batches of ${size}`, () =>
    expect([...batchesOf(list, size)]).toEqual(batches));

const totals: [reason: string, list: number[], size_max: number, first: number[]][] = [
  ["an empty list", [], 5, []],
  ["all that fit", [2, 3], 5, [2, 3]],
  ["those before the first that does not fit, not smaller ones after it", [2, 4, 1], 5, [2]],
  ["a first one that is too large comes alone", [6, 0], 5, [6]],
];
test.each(totals)("%s", (_reason, list, size_max, first) =>
  expect(firstWithin(list, size_max, (size) => size)).toEqual(first),
);
