/** Binary search in sorted lists. */
import { expect, test } from "bun:test";
import { countLeading, lowerBound } from "../../core/lib/binary-search";

interface BoundCase {
  readonly why: string;
  readonly ascending: ArrayLike<number>;
  readonly value: number;
  readonly index: number;
}
const bounds: readonly BoundCase[] = [
  { why: "nothing to search", ascending: [], value: 1, index: 0 },
  { why: "below all", ascending: [2, 4], value: 1, index: 0 },
  { why: "the first", ascending: [2, 4], value: 2, index: 0 },
  { why: "between two", ascending: [2, 4], value: 3, index: 1 },
  { why: "the last", ascending: [2, 4], value: 4, index: 1 },
  { why: "above all", ascending: [2, 4], value: 5, index: 2 },
  { why: "the first of equal ones", ascending: [1, 2, 2, 2, 3], value: 2, index: 1 },
  { why: "typed", ascending: new Float64Array([1, 2 ** 40]), value: 2 ** 40, index: 1 },
];
for (const { why, ascending, value, index } of bounds)
  test(`lower bound: ${why}`, () => expect(lowerBound(ascending, value)).toBe(index));

test("the elements that lead are counted, wherever the first other one is", () => {
  const sorted = Array.from({ length: 20 }, (_, at) => at);
  for (let limit = 0; limit <= 20; limit++)
    expect(countLeading(sorted, (element) => element < limit)).toBe(limit);
});
test("the index is passed, and few elements are looked at", () => {
  const sorted = Array.from({ length: 1_000 }, (_, at) => 2 * at);
  const looked_at: number[] = [];
  const count = countLeading(sorted, (element, index) => {
    looked_at.push(index);
    return element - index < 700;
  });
  expect(count).toBe(700);
  expect(looked_at.length).toBeLessThanOrEqual(10);
});
