/** Vectors as stored and compared: 8-bit rows with a scale. */
import { describe, expect, test } from "bun:test";
import { vectorsFault } from "../../plugins/search-index/contract";
import { nearestChunks } from "../../plugins/search-index/vectors/nearest-chunks";
import { openKernel, plainKernel } from "../../plugins/search-index/vectors/nearest-kernel";
import {
  blockOfFloats,
  packBlock,
  wholeQuery,
} from "../../plugins/search-index/vectors/vector-block";
import { VectorMemory } from "../../plugins/search-index/vectors/vector-memory";
import { no_pauses } from "../../plugins/search-index/workers/worker-protocol";
import { meanOf, normalised, packVectors } from "../../plugins/search-index/vectors/vector-math";
import { randomNumbers } from "../helpers/random";
import { nearestOf, vectorsInMemory } from "../helpers/vectors";

const lengths = [1, 3, 384, 1_536, 16_384];

/** Evenly distributed, or with a few outliers, as models produce. */
function vectorsOf(count: number, dimensions: number, seed: number, outstanding = 1) {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, () =>
    normalised(
      Float32Array.from(
        { length: dimensions },
        (_, at) => (random() - 0.5) * (at % 97 === 0 ? outstanding : 1),
      ),
    )!,
  );
}
const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, number, at) => sum + number * b[at]!, 0);
/** The cosines of a segment's chunks according to the index, best first. */
async function found(block: Uint8Array, query: Float32Array, limit = 10_000) {
  const hits = await nearestOf(vectorsInMemory({ 1: block }), query, limit);
  return new Map(hits.map(({ chunk, score }) => [chunk, score]));
}

describe("an 8-bit row", () => {
  for (const dimensions of lengths)
    for (const outstanding of [1, 8])
      test(`of ${dimensions} numbers is off by at most half a step: ${outstanding}`, async () => {
        const vectors = vectorsOf(20, dimensions, dimensions, outstanding);
        const [query] = vectorsOf(1, dimensions, 7);
        const block = packVectors(
          vectors.map((vector) => [vector]),
          dimensions,
        );
        const scores = await found(block, query!);
        vectors.forEach((vector, chunk) => {
          const step = vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0) / 127;
          const bound = query!.reduce((sum, number) => sum + (Math.abs(number) * step) / 2, 0);
          expect(
            Math.abs((scores.get(chunk) ?? 0) - Math.max(0, dot(vector, query!))),
          ).toBeLessThan(bound + 1e-3);
        });
      });
  test("ranks like floats, except for differences below a thousandth", async () => {
    const vectors = vectorsOf(200, 384, 1);
    const [query] = vectorsOf(1, 384, 2);
    const block = packVectors(
      vectors.map((vector) => [vector]),
      384,
    );
    let before = Infinity;
    for (const chunk of (await found(block, query!)).keys()) {
      const score = dot(vectors[chunk]!, query!);
      expect(score).toBeLessThan(before + 1e-3);
      before = score;
    }
  });
});

describe("a passage", () => {
  const [a, b, c, query] = vectorsOf(4, 96, 3).map((vector) => vector) as [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const cosine = (vector: Float32Array): number => Math.max(0, dot(vector, query));
  test("with several vectors is as near as the nearest of them", async () => {
    const scores = await found(packVectors([[a, b, c, query], [a], [b, c]], 96), query);
    expect(scores.get(0)).toBeCloseTo(1, 2);
    expect(scores.get(1) ?? 0).toBeCloseTo(cosine(a), 2);
    expect(scores.get(2) ?? 0).toBeCloseTo(Math.max(cosine(b), cosine(c)), 2);
  });
  test("without a vector, or with one of zeros, is not found", async () => {
    const block = packVectors([[], [new Float32Array(96)], [query]], 96);
    expect([block.length, [...(await found(block, query)).keys()]]).toEqual([32 + 96, [2]]);
  });
  test("appears once among the best, regardless of its number of vectors", async () => {
    const block = packVectors([[query, query, query], [b], [query]], 96);
    expect([...(await found(block, query, 2)).keys()]).toEqual([0, 2]);
  });
});

test("the nearest vectors have the largest cosine, regardless of length", async () => {
  const numbers = Array.from({ length: 40 }, (_, i) =>
    Float32Array.from({ length: 7 }, (_, j) => Math.sin(i * 13 + j * 7) * 10 ** (i % 5)),
  );
  const question = normalised(Float32Array.from([3, -1, 4, 1, -5, 9, 2]))!;
  const cosine = (vector: Float32Array) =>
    vector.reduce((sum, x, j) => sum + x * question[j]!, 0) / Math.hypot(...vector);
  const listed = (vectors: readonly Float32Array[]) => vectors.map((vector) => [vector]);
  // A segment without vectors lies between them.
  const ids = Float64Array.of(3, 4, 9);
  const stored = vectorsInMemory({
    3: packVectors(listed(numbers.slice(0, 25)), 7),
    9: packVectors([...listed(numbers.slice(25)), []], 7),
  });
  const hits = (await nearestOf(stored, question, 100, ids)).map(({ segment, chunk, score }) => ({
    at: segment === 0 ? chunk : 25 + chunk,
    score,
  }));
  expect(hits.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual(
    [...numbers.keys()].filter((i) => cosine(numbers[i]!) > 0),
  );
  for (const { at, score } of hits)
    expect(Math.abs(score - cosine(numbers[at]!))).toBeLessThan(0.01);
});

test("the mean covers all chunks with vectors, each by its best", async () => {
  const [query, ...others] = vectorsOf(6, 32, 11) as [Float32Array, ...Float32Array[]];
  const cosines = others.map((other) => dot(other, query));
  const { reader } = vectorsInMemory({
    1: packVectors([[others[0]!], [], [others[1]!, others[2]!]], 32),
    2: packVectors([[others[3]!], [others[4]!]], 32),
  });
  const { compared, mean } = await nearestChunks(
    Float64Array.of(1, 2, 3),
    { set_id: 1, data: query },
    { memory: new VectorMemory(32, 2 ** 20), reader, limit: 1, pauses: no_pauses },
  );
  expect(compared).toBe(4);
  const [a, b, c, d, e] = cosines as [number, number, number, number, number];
  expect(mean).toBeCloseTo((a + Math.max(b, c) + d + e) / 4, 2);
});

describe("SIMD and a plain loop are bit-identical:", () => {
  const page = 65_536;
  const at = { blocks: page, query: 2 * page, hits: 4 * page, first: 8 * page };
  test.each(lengths.map((dimensions) => [dimensions]))("%d numbers", (dimensions) => {
    const memory = new WebAssembly.Memory({ initial: 64 });
    const bytes = new Uint8Array(memory.buffer);
    const blocks = [0, 1, 7, 40].map((rows, i) =>
      packVectors(
        vectorsOf(rows, dimensions, i + 1, 5).map((vector, row) =>
          row % 3 === 0 ? [vector, vector.toReversed()] : [vector],
        ),
        dimensions,
      ),
    );
    let next = at.first;
    blocks.forEach((block, i) => {
      bytes.set(block, next);
      new Uint32Array(memory.buffer)[at.blocks / 4 + i] = next;
      next += block.length;
    });
    const [query] = vectorsOf(1, dimensions, 99);
    const { numbers, scale } = wholeQuery(query!);
    new Int16Array(memory.buffer, at.query).set(numbers);
    const hitsOf = (kernel: typeof simd, threshold: number) => {
      const hits = kernel(at.blocks, blocks.length, at.query, scale, threshold, at.hits);
      return [...bytes.slice(at.hits, at.hits + 16 + hits * 12)];
    };
    const simd = openKernel(memory);
    const plain = plainKernel(memory);
    const all = hitsOf(simd, 0);
    expect(all.length).toBeGreaterThan(16);
    for (const threshold of [0, Math.fround(0.01), 0.5])
      expect(hitsOf(simd, threshold)).toEqual(hitsOf(plain, threshold));
  });
});

test("vectors whose squares overflow a float keep their direction", () => {
  for (const size of [1e-30, 1, 1e38])
    expect(
      [...normalised(Float32Array.of(3 * size, 1 * size, 0))!].map((x) => x.toFixed(3)),
    ).toEqual(["0.949", "0.316", "0.000"]);
  expect(normalised(Float32Array.of(0, 0))).toBeUndefined();
});

test("a question with several vectors is compared by their mean", () => {
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
  const vectors = vectorsOf(3, 20, 5);
  const block = packBlock(
    vectors.map((vector, at) => ({ chunk: at * 2, vector })),
    20,
  );
  test("of floats from an earlier version gives its vectors, and none for zeros", () => {
    const floats = new Float32Array(5 * 20);
    vectors.forEach((vector, at) => floats.set(vector, at * 40));
    // After an extra byte, so the numbers are not aligned.
    const bytes = new Uint8Array(1 + floats.byteLength);
    bytes.set(new Uint8Array(floats.buffer), 1);
    expect(blockOfFloats(bytes.subarray(1), 20)).toEqual(block);
  });
  test("aligns its rows for SIMD instructions", () => {
    expect([block.length % 16, packBlock([], 20).length]).toEqual([0, 16]);
  });
  const patched = (at: number, ...bytes: number[]) => {
    const changed = block.slice();
    changed.set(bytes, at);
    return changed;
  };
  const cases: [string, Uint8Array, number, number, RegExp | null][] = [
    ["valid", block, 5, 20, null],
    ["valid and empty", packBlock([], 20), 5, 20, null],
    ["truncated early", block.subarray(0, 15), 5, 20, /cut off/],
    ["truncated at its end", block.subarray(0, -1), 5, 20, /length is wrong/],
    ["with an unknown layout", patched(0, 2), 5, 20, /header/],
    ["with unexpected data in its header", patched(12, 1), 5, 20, /header/],
    ["with other dimensions", block, 5, 21, /20 numbers each, not 21/],
    ["with passages beyond the segment", block, 4, 20, /no passage/],
    ["out of order", patched(16 + 12, 3), 5, 20, /no passage/],
    ["with too many rows", patched(4, 0, 0, 0, 1), 5, 20, /16777216 vectors/],
    ["with a scale that isn't a number", patched(16, 0, 0, 0xc0, 0x7f), 5, 20, /length 1/],
    ["with a negative scale", patched(16, 0, 0, 0, 0xbf), 5, 20, /length 1/],
    ["with vectors longer than 1", patched(16, 0, 0, 0, 0x3f), 5, 20, /length 1/],
  ];
  test.each(cases)("is validated: %s", (_why, bytes, chunks, dimensions, fault) => {
    const said = vectorsFault(bytes, chunks, dimensions);
    if (fault === null) expect(said).toBeNull();
    else expect(said).toMatch(fault);
  });
});
