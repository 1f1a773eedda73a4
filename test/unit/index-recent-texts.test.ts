/** The cache of shown texts: valid until something is written, and limited in size. */
import { expect, test } from "bun:test";
import { RecentTexts, type SegmentText } from "../../plugins/search-index/segments/recent-texts";

const textOf = (segment_id: number, units: number): SegmentText => ({
  text_id: segment_id,
  places: new Uint8Array(8),
  first: "x".repeat(units),
});
/** Requests these segments and returns those that had to be read. */
function readsOf(texts: RecentTexts, segment_ids: readonly number[], units = 10): number[] {
  const read: number[] = [];
  for (const id of segment_ids)
    texts.get(id, (segment_id) => {
      read.push(segment_id);
      return textOf(segment_id, units);
    });
  return read;
}

test("a text is read only once", () => {
  const texts = new RecentTexts(10_000);
  texts.beginAt(1);
  expect(readsOf(texts, [1, 2, 1])).toEqual([1, 2]);
  texts.beginAt(1);
  expect(readsOf(texts, [2, 3])).toEqual([3]);
});

test("a text read before a write is read again", () => {
  const texts = new RecentTexts(10_000);
  texts.beginAt(1);
  readsOf(texts, [1, 2]);
  texts.beginAt(2);
  expect(readsOf(texts, [1, 2])).toEqual([1, 2]);
});

test("a missing text is requested each time", () => {
  const texts = new RecentTexts(10_000);
  let asked = 0;
  for (let time = 0; time < 2; time++) expect(texts.get(7, () => void asked++)).toBeUndefined();
  expect(asked).toBe(2);
});

test("least recently used texts go first, and only the current version counts", () => {
  const texts = new RecentTexts(3_000);
  texts.beginAt(1);
  readsOf(texts, [1, 2, 1, 3], 400);
  expect(readsOf(texts, [1, 3, 2], 400)).toEqual([2]);
  texts.beginAt(2);
  expect(readsOf(texts, [4, 5, 4, 5], 400)).toEqual([4, 5]);
});

test("a text larger than the cache is not kept", () => {
  const texts = new RecentTexts(3_000);
  expect(readsOf(texts, [1, 1], 4_000)).toEqual([1, 1]);
});
