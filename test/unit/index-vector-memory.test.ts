/** Which vectors stay in memory: as many as fit, preferring those in use. */
import { describe, expect, test } from "bun:test";
import { packVectors } from "../../plugins/search-index/vectors/vector-math";
import { unknown, VectorDirectory } from "../../plugins/search-index/vectors/vector-directory";
import { VectorMemory } from "../../plugins/search-index/vectors/vector-memory";
import { randomNumbers } from "../helpers/random";
import { nearestOf, vectorsInMemory } from "../helpers/vectors";

const dimensions = 384;
const per_segment = 100;
const mebibyte = 2 ** 20;
const random = randomNumbers(1);
const vector = (): Float32Array => Float32Array.from({ length: dimensions }, () => random() - 0.5);
/** About 39 kB. */
const block = packVectors(
  Array.from({ length: per_segment }, () => [vector()]),
  dimensions,
);
const query = vector();

/** Segments with these ids, all with the same vectors. */
const storeOf = (first: number, count: number) =>
  vectorsInMemory(Object.fromEntries(Array.from({ length: count }, (_, i) => [first + i, block])));
const range = (first: number, count: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => first + i);

describe("vectors that fit", () => {
  test("are read once", async () => {
    const store = storeOf(1, 300);
    const memory = new VectorMemory(dimensions, 16 * mebibyte);
    const first = await nearestOf(store, query, 10, store.ids(), memory);
    expect(store.requested_ids).toEqual([...store.ids()]);
    store.requested_ids.length = 0;
    expect([await nearestOf(store, query, 10, store.ids(), memory), store.requested_ids]).toEqual([
      first,
      [],
    ]);
    expect(memory.held_bytes).toBe(300 * block.length);
  });
  test("cost nothing when they are not in scope", async () => {
    const store = storeOf(1, 100);
    const hits = await nearestOf(store, query, 10, Float64Array.of(7, 50));
    expect([store.requested_ids, new Set(hits.map(({ segment }) => segment))]).toEqual([
      [7, 50],
      new Set([0, 1]),
    ]);
  });
  test("give the same results, however few are compared at once", async () => {
    const small = vectorsInMemory(
      Object.fromEntries(
        Array.from({ length: 1_000 }, (_, i) => [i * 3, packVectors([[vector()]], dimensions)]),
      ),
    );
    const memory = new VectorMemory(dimensions, 16 * mebibyte);
    const all = await nearestOf(small, query, 1_000, small.ids(), memory);
    const seen = await nearestOf(
      small,
      query,
      1_000,
      small.ids().filter((id) => id % 2 === 0),
      memory,
    );
    expect(seen.map(({ score }) => score)).toEqual(
      all.filter(({ segment }) => (segment * 3) % 2 === 0).map(({ score }) => score),
    );
  });
});

describe("vectors that don't fit", () => {
  test("don't evict the cached ones of the same search, and are read each time", async () => {
    const store = storeOf(1, 200);
    const memory = new VectorMemory(dimensions, 4 * mebibyte);
    const expected = await nearestOf(store, query, 10);
    const reads: number[] = [];
    for (let round = 0; round < 4; round++) {
      store.requested_ids.length = 0;
      expect(await nearestOf(store, query, 10, store.ids(), memory)).toEqual(expected);
      reads.push(store.requested_ids.length);
      expect(memory.held_bytes).toBeLessThanOrEqual(4 * mebibyte);
    }
    const held = Math.floor(mebibyte / block.length) * 4;
    expect(reads).toEqual([200, 200 - held, 200 - held, 200 - held]);
  });
  test("replace the least recently used", async () => {
    const store = storeOf(1, 300);
    const memory = new VectorMemory(dimensions, 6 * mebibyte);
    const readsOf = async (first: number, count: number): Promise<number> => {
      store.requested_ids.length = 0;
      await nearestOf(store, query, 10, range(first, count), memory);
      return store.requested_ids.length;
    };
    const per_slab = Math.floor(mebibyte / block.length);
    expect([
      await readsOf(1, 3 * per_slab),
      await readsOf(101, 3 * per_slab),
      // Nothing is evicted before the end of the search that needs the space.
      await readsOf(201, 2 * per_slab),
      await readsOf(101, 3 * per_slab),
      await readsOf(201, 2 * per_slab),
      await readsOf(201, 2 * per_slab),
      await readsOf(101, 3 * per_slab),
    ]).toEqual([3, 3, 2, 0, 2, 0, 0].map((slabs) => slabs * per_slab));
  });
  test("are compared even when one segment exceeds the limit", async () => {
    const store = storeOf(1, 3);
    const memory = new VectorMemory(dimensions, 0);
    expect(await nearestOf(store, query, 10, store.ids(), memory)).toEqual(
      await nearestOf(store, query, 10),
    );
    expect(memory.held_bytes).toBe(0);
  });
});

describe("a segment without vectors", () => {
  test("is read once, and again when it has vectors", async () => {
    const store = storeOf(1, 2);
    const memory = new VectorMemory(dimensions, 16 * mebibyte);
    const readsOf = async (): Promise<number[]> => {
      store.requested_ids.length = 0;
      await nearestOf(store, query, 10, range(1, 6), memory);
      return [...store.requested_ids];
    };
    expect(await readsOf()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await readsOf()).toEqual([]);
    store.add(5, block);
    expect(await readsOf()).toEqual([5]);
    expect(await readsOf()).toEqual([]);
  });
});

test("concurrent searches find the same as alone", async () => {
  const store = storeOf(1, 200);
  const memory = new VectorMemory(dimensions, 2 * mebibyte);
  const pauses = { due: true, pause: () => Bun.sleep(0) };
  const scopes = [range(1, 120), range(60, 140), range(1, 200)];
  const alone = await Promise.all(scopes.map((ids) => nearestOf(store, query, 20, ids)));
  expect(
    await Promise.all(scopes.map((ids) => nearestOf(store, query, 20, ids, memory, pauses))),
  ).toEqual(alone);
});

test("an aborted search ends and doesn't affect others", async () => {
  const store = storeOf(1, 200);
  const memory = new VectorMemory(dimensions, 16 * mebibyte);
  let pauses = 0;
  const cancelled = nearestOf(store, query, 10, store.ids(), memory, {
    due: true,
    pause: async () => {
      if (++pauses === 2) throw new Error("Nobody waits for this any more.");
    },
  });
  await expect(cancelled).rejects.toThrow("Nobody waits");
  expect(store.requested_ids.length).toBeLessThan(200);
  expect(await nearestOf(store, query, 10, store.ids(), memory)).toEqual(
    await nearestOf(store, query, 10),
  );
});

test("positions are found by id, as in a map, in any insertion order", () => {
  const directory = new VectorDirectory();
  const expected = new Map<number, number>();
  const next = randomNumbers(5);
  const of = (id: number): number => expected.get(id) ?? unknown;
  for (let round = 0; round < 40; round++) {
    for (let i = 0; i < 400; i++) {
      const id = Math.floor(next() * 20_000);
      const place = Math.floor(next() * 1_000);
      directory.set(id, place);
      expected.set(id, place);
    }
    if (round % 10 === 9) {
      directory.rebuild((place) => place % 7 !== 0);
      for (const [id, place] of expected) if (place % 7 === 0) expected.delete(id);
    }
    const ids = Float64Array.from({ length: 300 }, () => Math.floor(next() * 20_000)).sort();
    const places = new Uint32Array(300);
    directory.fill(ids, 20, 300, places);
    expect([...places.subarray(0, 280)]).toEqual([...ids.subarray(20)].map(of));
  }
});
