/** Stored segments: each reads back the same, including those of earlier versions. */
import { describe, expect, test } from "bun:test";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import { encodeDocument } from "../../plugins/search-index/indexing/encoder";
import {
  postingCount,
  segment_chunks_max,
  segment_terms_max,
  SegmentBuilder,
  termCount,
  type Segment,
} from "../../plugins/search-index/segments/segment";
import {
  fromStoredOrNull,
  fromStored,
  toStored,
} from "../../plugins/search-index/segments/stored-segment";
import { makeText, seededRandom } from "../../scripts/bench/text";

/** A segment of these chunks, each given as a list of hashes. */
function segmentOf(chunks: readonly (readonly number[])[], version = 1): Segment {
  const builder = new SegmentBuilder();
  for (const hashes of chunks) {
    for (const hash of hashes) builder.add(hash);
    builder.endChunk(hashes.length);
  }
  return builder.finish(version);
}
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const random = seededRandom(7);
const anyHash = (): number => Math.floor(random() * 2 ** 32);

describe("a segment reads back the same", () => {
  const cases: readonly (readonly [why: string, segment: Segment])[] = [
    ["without chunks", segmentOf([])],
    ["with a chunk without words", segmentOf([[], [5], []])],
    ["with the lowest and the highest hash", segmentOf([[0, 2 ** 32 - 1]])],
    [
      "with hashes that differ only in the highest byte",
      segmentOf([times(256, (i) => (i << 24) >>> 0)]),
    ],
    [
      "with hashes that differ only in the lowest byte",
      segmentOf([times(256, (i) => 0xabcdef00 + i)]),
    ],
    ["with a word that is frequent in a chunk", segmentOf([times(7, () => 9), times(8, () => 9)])],
    ["with a word beyond the maximum count", segmentOf([times(300, () => 9)])],
    ["with words that skip chunks", segmentOf(times(40, (i) => (i % 16 === 0 ? [1, 2] : [2, 3])))],
    [
      "with a word in the last chunk only",
      segmentOf(times(segment_chunks_max, (i) => (i === 255 ? [4] : []))),
    ],
    ["of a later analyzer", segmentOf([[1, 2, 3]], 0xffff)],
    ["with as many words as fit", segmentOf([times(segment_terms_max, anyHash)])],
    [
      "with large numbers only",
      segmentOf(times(250, () => times(9, () => times(20, () => anyHash() & 7)).flat())),
    ],
  ];
  for (const [why, segment] of cases)
    test(why, () => {
      expect(fromStored(toStored(segment))).toEqual(segment);
    });
});

test("a segment stored uncompressed can be read", () => {
  const segment = segmentOf([
    [1, 2],
    [2, 3],
  ]);
  expect(fromStored(new Uint8Array(segment.buffer))).toEqual(segment);
});

test("stored segments take a third less space, whatever the text length", () => {
  for (const [seed, length] of [600, 4_000, 30_000, 200_000].entries()) {
    const [segment] = [
      ...encodeDocument({ title: "T", text: makeText(seed, length), pages: [] }, analyzer),
    ];
    const { data } = segment!;
    expect(termCount(data)).toBeLessThanOrEqual(postingCount(data));
    expect(toStored(data).byteLength).toBeLessThan(0.7 * data.byteLength);
    expect(fromStored(toStored(data))).toEqual(data);
  }
});

test("any flipped bit of a stored segment is decoded or refused, and never read past its end", () => {
  const stored = toStored(segmentOf(times(6, () => times(30, anyHash))));
  let refused = 0;
  for (let bit = 0; bit < stored.length * 8; bit++) {
    const flipped = stored.slice();
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    if (fromStoredOrNull(flipped) === null) refused++;
  }
  expect(fromStoredOrNull(stored)).not.toBeNull();
  expect(refused).toBeGreaterThan(0);
});
