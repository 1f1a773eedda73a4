/** What a search keeps in memory of the texts it has shown: until something is written, and no more. */
import { expect, test } from "bun:test";
import { ShownTexts, type SegmentText } from "../../plugins/search-index/segments/shown-texts";

const textOf = (segment_id: number, units: number): SegmentText => ({
  text_id: segment_id,
  places: new Uint8Array(8),
  first: "x".repeat(units),
});
/** Asks for these segments, and tells which of them had to be read. */
function readsOf(texts: ShownTexts, segment_ids: readonly number[], units = 10): number[] {
  const read: number[] = [];
  for (const id of segment_ids)
    texts.get(id, (segment_id) => {
      read.push(segment_id);
      return textOf(segment_id, units);
    });
  return read;
}

test("a text is read once", () => {
  const texts = new ShownTexts(10_000);
  texts.beginAt(1);
  expect(readsOf(texts, [1, 2, 1])).toEqual([1, 2]);
  texts.beginAt(1);
  expect(readsOf(texts, [2, 3])).toEqual([3]);
});

test("what was read before a write is read again", () => {
  const texts = new ShownTexts(10_000);
  texts.beginAt(1);
  readsOf(texts, [1, 2]);
  texts.beginAt(2);
  expect(readsOf(texts, [1, 2])).toEqual([1, 2]);
});

test("what is not there is asked for each time", () => {
  const texts = new ShownTexts(10_000);
  let asked = 0;
  for (let time = 0; time < 2; time++) expect(texts.get(7, () => void asked++)).toBeUndefined();
  expect(asked).toBe(2);
});

test("the longest unused go first, and those of one version alone count", () => {
  const texts = new ShownTexts(3_000);
  texts.beginAt(1);
  readsOf(texts, [1, 2, 1, 3], 400);
  expect(readsOf(texts, [1, 3, 2], 400)).toEqual([2]);
  texts.beginAt(2);
  expect(readsOf(texts, [4, 5, 4, 5], 400)).toEqual([4, 5]);
});

test("a text larger than all room is not kept", () => {
  const texts = new ShownTexts(3_000);
  expect(readsOf(texts, [1, 1], 4_000)).toEqual([1, 1]);
});
