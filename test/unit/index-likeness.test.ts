/** How similar the passages in scope are to each other. */
import { expect, test } from "bun:test";
import { Likeness } from "../../plugins/search-index/vectors/likeness";
import { normalised, packVectors } from "../../plugins/search-index/vectors/vector-math";
import { cosine, withoutDirections } from "../../plugins/search-index/vectors/vector-products";
import { no_pauses } from "../../plugins/search-index/workers/worker-protocol";
import { randomNumbers } from "../helpers/random";
import { vectorsInMemory } from "../helpers/vectors";

const dimensions = 32;
/** On one subject: they have much in common. */
function passages(count: number, seed: number): Float32Array[] {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, () =>
    normalised(Float32Array.from({ length: dimensions }, () => 0.5 + random()))!,
  );
}
const segmentOf = (vectors: readonly Float32Array[]): Uint8Array =>
  packVectors(
    vectors.map((vector) => [vector]),
    dimensions,
  );
const likenessOf = (store: ReturnType<typeof vectorsInMemory>, ids = store.ids()) =>
  new Likeness(1, dimensions).of(ids, [], store.reader, no_pauses);

test("likeness is the mean cosine of two passages, within and across segments", async () => {
  const all = passages(20, 1);
  const store = vectorsInMemory({ 1: segmentOf(all.slice(0, 13)), 2: segmentOf(all.slice(13)) });
  const cosines = all.flatMap((one, at) => all.slice(at + 1).map((other) => cosine(one, other)));
  const mean = cosines.reduce((sum, one) => sum + one, 0) / cosines.length;
  expect(await likenessOf(store)).toBeCloseTo(mean, 3);
});

test("what passages have in common in the directions of languages does not count", async () => {
  const all = passages(20, 4);
  const store = vectorsInMemory({ 1: segmentOf(all.slice(0, 13)), 2: segmentOf(all.slice(13)) });
  const direction = normalised(new Float32Array(dimensions).fill(1))!;
  const rests = all.map((one) => withoutDirections(one, [direction]));
  const products = rests.flatMap((one, at) => rests.slice(at + 1).map((rest) => cosine(one, rest)));
  const mean = products.reduce((sum, product) => sum + product, 0) / products.length;
  const likeness = new Likeness(1, dimensions);
  expect(await likeness.of(store.ids(), [direction], store.reader, no_pauses)).toBeCloseTo(mean, 3);
  expect(await likenessOf(store)).toBeGreaterThan(mean + 0.5);
});

test("a query is compared with the neighbors of a passage", async () => {
  const [query, ...all] = passages(6, 3) as [Float32Array, ...Float32Array[]];
  const store = vectorsInMemory({ 1: segmentOf(all), 2: segmentOf(all.slice(0, 1)) });
  const [first, ...others] = all.map((vector) => cosine(query, vector)) as [number, ...number[]];
  const around = (id: number) =>
    new Likeness(1, dimensions).around({ id, cosine: first, query }, store.reader, no_pauses);
  expect(await around(1)).toBeCloseTo(others.reduce((sum, one) => sum + one, 0) / 4, 2);
  expect([await around(2), await around(3)]).toEqual([null, null]);
});

test("segments without vectors are skipped, and too few passages give nothing", async () => {
  const seven = vectorsInMemory({ 1: segmentOf(passages(7, 2)) });
  expect(await likenessOf(seven, Float64Array.of(1, 2))).toBeNull();
  const eight = vectorsInMemory({ 1: segmentOf(passages(8, 2)) });
  expect(await likenessOf(eight, Float64Array.of(1, 2))).toBeGreaterThan(0.8);
});

test("only a few of many segments are read, and only once", async () => {
  const all = Array.from({ length: 2_000 }, (_, at) => [at + 1, segmentOf(passages(1, at))]);
  const store = vectorsInMemory(Object.fromEntries(all) as Record<number, Uint8Array>);
  const likeness = new Likeness(1, dimensions);
  const first = await likeness.of(store.ids(), [], store.reader, no_pauses);
  const { length } = store.requested_ids;
  expect(length).toBeGreaterThan(16);
  expect(length).toBeLessThan(256);
  expect(await likeness.of(store.ids(), [], store.reader, no_pauses)).toBe(first);
  expect(store.requested_ids.length).toBe(length);
});
