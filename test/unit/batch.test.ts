/** Lists are split into batches of a given size, in order. */
import { expect, test } from "bun:test";
import { batchesOf } from "../../core/lib/batch";

const cases: [list: number[], size: number, batches: number[][]][] = [
  [[], 2, []],
  [[1], 2, [[1]]],
  [[1, 2], 2, [[1, 2]]],
  [[1, 2, 3, 4, 5], 2, [[1, 2], [3, 4], [5]]],
];
for (const [list, size, batches] of cases)
  test(`${list.length} in batches of ${size}`, () =>
    expect([...batchesOf(list, size)]).toEqual(batches));
