/** Vectors as they are stored and compared: rows of 8 bits with a scale. */
import { describe, expect, test } from "bun:test";
import { vectorsFault } from "../../plugins/search-index/contract";
import { NearestChunks, wholeQuery } from "../../plugins/search-index/nearest-chunks";
import { blockOfFloats, packBlock, rowCount } from "../../plugins/search-index/vector-block";
import { meanOf, normalised, packVectors } from "../../plugins/search-index/vectors";
import { chance } from "../helpers/random";

const lengths = [1, 3, 384, 1_536, 16_384];

/** Evenly distributed, or with a few numbers that stand out, as models give. */
function vectorsOf(count: number, dimensions: number, seed: number, outstanding = 1) {
  const random = chance(seed);
  return Array.from({ length: count }, () =>
    normalised(
      Float32Array.from(
        { length: dimensions },
        (_, at) => (random() - 0.5) * (at % 97 === 0 ? outstanding : 1),
      ),
    )!,
  );
}
const dot = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, number, at) => sum + number * other[at]!, 0);
/** What the index says of a row: the cosine of its chunk, 0 when it is not positive. */
function found(block: Uint8Array, query: Float32Array): Map<number, number> {
  const nearest = new NearestChunks(query, 10_000);
  nearest.add(0, block);
  return new Map(nearest.sorted().map(({ chunk, score }) => [chunk, score]));
}

describe("a row of 8 bits", () => {
  for (const dimensions of lengths)
    for (const outstanding of [1, 8])
      test(`of ${dimensions} numbers is off by half a step of each at most: ${outstanding}`, () => {
        const vectors = vectorsOf(20, dimensions, dimensions, outstanding),
          [query] = vectorsOf(1, dimensions, 7),
          block = packVectors(
            vectors.map((one) => [one]),
            dimensions,
          ),
          scores = found(block, query!);
        vectors.forEach((vector, chunk) => {
          const step = vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0) / 127,
            bound = query!.reduce((sum, number) => sum + (Math.abs(number) * step) / 2, 0);
          expect(
            Math.abs((scores.get(chunk) ?? 0) - Math.max(0, dot(vector, query!))),
          ).toBeLessThan(bound + 1e-3);
        });
      });
  test("ranks as the floats do, but for what is nearer together than a thousandth", () => {
    const vectors = vectorsOf(200, 384, 1),
      [query] = vectorsOf(1, 384, 2),
      block = packVectors(
        vectors.map((one) => [one]),
        384,
      );
    let before = Infinity;
    for (const chunk of found(block, query!).keys()) {
      const score = dot(vectors[chunk]!, query!);
      expect(score).toBeLessThan(before + 1e-3);
      before = score;
    }
  });
});

describe("a passage", () => {
  const [a, b, c, query] = vectorsOf(4, 96, 3).map((one) => one) as [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const cosine = (one: Float32Array): number => Math.max(0, dot(one, query));
  test("of several vectors is as near as the nearest of them", () => {
    const scores = found(packVectors([[a, b, c, query], [a], [b, c]], 96), query);
    expect(scores.get(0)).toBeCloseTo(1, 2);
    expect(scores.get(1) ?? 0).toBeCloseTo(cosine(a), 2);
    expect(scores.get(2) ?? 0).toBeCloseTo(Math.max(cosine(b), cosine(c)), 2);
  });
  test("without a vector, and with one of zeros, is not found by it", () => {
    const block = packVectors([[], [new Float32Array(96)], [query]], 96);
    expect([rowCount(block), [...found(block, query).keys()]]).toEqual([1, [2]]);
  });
  test("takes one place among the best, whatever the number of its vectors", () => {
    const nearest = new NearestChunks(query, 2);
    nearest.add(0, packVectors([[query, query, query], [b], [query]], 96));
    expect(nearest.sorted().map(({ chunk }) => chunk)).toEqual([0, 2]);
  });
});

test("the nearest vectors are those of the largest cosine, whatever their length", () => {
  const numbers = Array.from({ length: 40 }, (_, i) =>
    Float32Array.from({ length: 7 }, (_, j) => Math.sin(i * 13 + j * 7) * 10 ** (i % 5)),
  );
  const question = normalised(Float32Array.from([3, -1, 4, 1, -5, 9, 2]))!,
    cosine = (one: Float32Array) =>
      one.reduce((sum, x, j) => sum + x * question[j]!, 0) / Math.hypot(...one);
  const nearest = new NearestChunks(question, 100),
    listed = (some: readonly Float32Array[]) => some.map((one) => [one]);
  nearest.add(0, packVectors(listed(numbers.slice(0, 25)), 7));
  nearest.add(2, packVectors([...listed(numbers.slice(25)), []], 7));
  const hits = nearest.sorted().map(({ segment, chunk, score }) => ({
    at: segment === 0 ? chunk : 25 + chunk,
    score,
  }));
  expect(hits.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual(
    [...numbers.keys()].filter((i) => cosine(numbers[i]!) > 0),
  );
  for (const { at, score } of hits)
    expect(Math.abs(score - cosine(numbers[at]!))).toBeLessThan(0.01);
});

test("vectors of numbers beyond the squares of a float keep their direction", () => {
  for (const size of [1e-30, 1, 1e38])
    expect(
      [...normalised(Float32Array.of(3 * size, 1 * size, 0))!].map((x) => x.toFixed(3)),
    ).toEqual(["0.949", "0.316", "0.000"]);
  expect(normalised(Float32Array.of(0, 0))).toBeUndefined();
});

test("a question of several vectors is compared by their mean", () => {
  expect([...meanOf([Float32Array.of(2, 0), Float32Array.of(0, 5)])!]).toEqual([
    Math.fround(Math.SQRT1_2),
    Math.fround(Math.SQRT1_2),
  ]);
  expect(meanOf([])).toBeUndefined();
});

test.each(lengths)(
  "sums with the largest numbers of a row stay within 32 bits: %d",
  (dimensions) => {
    const { numbers } = wholeQuery(new Float32Array(dimensions).fill(1));
    expect(numbers.reduce((sum, number) => sum + number * 128, 0)).toBeLessThan(2 ** 31);
  },
);

describe("a block", () => {
  const vectors = vectorsOf(3, 20, 5),
    block = packBlock(
      vectors.map((vector, at) => ({ chunk: at * 2, vector })),
      20,
    );
  test("of floats that an earlier version stored has their vectors, and none for zeros", () => {
    const floats = new Float32Array(5 * 20);
    vectors.forEach((vector, at) => floats.set(vector, at * 40));
    // Behind another byte: not where numbers may begin.
    const bytes = new Uint8Array(1 + floats.byteLength);
    bytes.set(new Uint8Array(floats.buffer), 1);
    expect(blockOfFloats(bytes.subarray(1), 20)).toEqual(block);
  });
  test("begins its rows where SIMD instructions like it", () => {
    expect([block.length % 16, packBlock([], 20).length]).toEqual([0, 16]);
  });
  const patched = (at: number, ...bytes: number[]) => {
    const changed = block.slice();
    changed.set(bytes, at);
    return changed;
  };
  const cases: [string, Uint8Array, number, number, RegExp | null][] = [
    ["nothing is wrong with it", block, 5, 20, null],
    ["empty, it is a block", packBlock([], 20), 5, 20, null],
    ["cut off", block.subarray(0, 15), 5, 20, /cut off/],
    ["cut off at its end", block.subarray(0, -1), 5, 20, /length is wrong/],
    ["in a layout of its own", patched(0, 2), 5, 20, /header/],
    ["with something in its header", patched(12, 1), 5, 20, /header/],
    ["of other vectors", block, 5, 21, /20 numbers each, not 21/],
    ["of fewer passages", block, 4, 20, /no passage/],
    ["not in order", patched(16 + 12, 3), 5, 20, /no passage/],
    ["of more rows than a segment has", patched(4, 0, 0, 0, 1), 5, 20, /16777216 vectors/],
    ["with a scale that is no number", patched(16, 0, 0, 0xc0, 0x7f), 5, 20, /length 1/],
    ["with a scale below zero", patched(16, 0, 0, 0, 0xbf), 5, 20, /length 1/],
    ["of vectors that are longer than 1", patched(16, 0, 0, 0, 0x3f), 5, 20, /length 1/],
  ];
  test.each(cases)("from elsewhere is looked at: %s", (_why, bytes, chunks, dimensions, fault) => {
    const said = vectorsFault(bytes, chunks, dimensions);
    if (fault === null) expect(said).toBeNull();
    else expect(said).toMatch(fault);
  });
});
