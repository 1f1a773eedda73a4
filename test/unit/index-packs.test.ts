/**
 * Packs of segments: they change only the speed of a search, and deleted documents are in none of
 * them.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import {
  buildPack,
  PackHead,
  PackPart,
  pack_chunks_max,
  pack_parts,
  pack_postings_max,
  partOf,
} from "../../plugins/search-index/segments/pack";
import { packLoose } from "../../plugins/search-index/segments/loose-packs";
import { radixSort, release } from "../../plugins/search-index/segments/radix-sort";
import { SegmentBuilder, type Segment } from "../../plugins/search-index/segments/segment";
import { no_pauses } from "../../plugins/search-index/workers/worker-protocol";
import { openTestIndex, type TestIndex } from "../helpers/search-index";

/** The same numbers on every run. */
function randomly(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 4_294_967_296;
}

describe("a pack", () => {
  const next = randomly(3);
  /** Each chunk as its hashes, including repeated ones. */
  const chunksOf = (count: number) =>
    Array.from({ length: count }, () =>
      Array.from({ length: 1 + Math.floor(next() * 90) }, () =>
        next() < 0.3 ? Math.floor(next() * 2 ** 32) : Math.floor(next() * 40) * 107_374_182,
      ),
    );
  const segmentOf = (chunks: readonly (readonly number[])[]): Segment => {
    const builder = new SegmentBuilder();
    for (const chunk of chunks) {
      for (const hash of chunk) builder.add(hash);
      builder.endChunk(chunk.length);
    }
    return builder.finish(4);
  };

  test("contains exactly the terms of every chunk", async () => {
    const segments = Array.from({ length: 40 }, (_, i) => chunksOf(1 + (i % 5)));
    const chunks = segments.flat();
    const { head, parts, segment_ids } = await buildPack(
      segments.map((chunks, i) => ({ id: 1.7e15 + i * 977, segment: segmentOf(chunks) })),
      no_pauses,
    );
    const read = new PackHead(head);
    expect([read.analyzer, read.chunks, parts.length]).toEqual([4, chunks.length, pack_parts]);
    expect([...read.ids]).toEqual([...segment_ids]);
    expect([...read.lengths]).toEqual(chunks.map((chunk) => chunk.length));
    expect([...read.length_sums]).toEqual(
      segments.map((chunks) => chunks.reduce((sum, chunk) => sum + chunk.length, 0)),
    );
    const buffer = new Uint32Array(2_048);
    for (const hash of [...new Set(chunks.flat()), 5, 2 ** 32 - 1]) {
      const count = new PackPart(parts[partOf(hash)]!).read(hash, buffer);
      expect([...buffer.subarray(0, count)]).toEqual(
        chunks.flatMap((chunk, at) => {
          const tf = chunk.filter((word) => word === hash).length;
          return tf === 0 ? [] : [(at << 8) | tf];
        }),
      );
    }
  });
  test("with flipped bits is refused or read, and never beyond its end", async () => {
    const { parts } = await buildPack([{ id: 1, segment: segmentOf(chunksOf(60)) }], no_pauses);
    const part = parts.find(({ length }) => length > 100)!;
    const hash = new Uint32Array(part.slice(4, 8).buffer)[0]!;
    const buffer = new Uint32Array(64);
    for (let bit = 0; bit < part.length * 8; bit++) {
      const flipped = part.slice();
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      try {
        expect(new PackPart(flipped).read(hash, buffer)).toBeLessThanOrEqual(buffer.length);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }
  });
  test("can have parts of more than 64 KiB", async () => {
    const twice = Array.from({ length: 110 }, (_, hash) => [hash, hash]).flat();
    const segment = segmentOf(Array.from({ length: 256 }, () => twice));
    const members = [...Array(8).keys()].map((id) => ({ id, segment }));
    const { parts } = await buildPack(members, no_pauses);
    const buffer = new Uint32Array(2_048);
    expect(parts[0]!.length).toBeGreaterThan(2 ** 16);
    for (const hash of [0, 60, 109]) {
      expect(new PackPart(parts[0]!).read(hash, buffer)).toBe(2_048);
      expect([...buffer]).toEqual(Array.from({ length: 2_048 }, (_, at) => (at << 8) | 2));
    }
    expect(new PackPart(parts[0]!).read(110, buffer)).toBe(0);
  });
  test("is built in steps, with searches running in between", async () => {
    const members = [...Array(8).keys()].map((id) => ({ id, segment: segmentOf(chunksOf(200)) }));
    let pauses = 0;
    await buildPack(members, { due: true, pause: async () => void (pauses += 1) });
    expect(pauses).toBe(2 * members.length + pack_parts);
  });
  const limits: [why: string, segment: Segment, segments_in_pack: number][] = [
    [
      "has a limited number of chunks",
      segmentOf(Array.from({ length: 256 }, (_, n) => [n])),
      pack_chunks_max / 256,
    ],
    [
      "has a limited number of postings when chunks have many terms",
      segmentOf(Array.from({ length: 32 }, () => [...Array(1_024).keys()])),
      pack_postings_max / 2 ** 15,
    ],
  ];
  for (const [why, segment, segments_in_pack] of limits)
    test(why, async () => {
      const count = 2 * segments_in_pack + 1;
      const reader = { segments: async (ids: readonly number[]) => ids.map(() => segment) };
      const scope = { ids: Float64Array.from(Array(count).keys()), packed: new Uint8Array(count) };
      const sizes: number[] = [];
      for await (const { segment_ids } of packLoose(reader, scope, 4, no_pauses))
        sizes.push(segment_ids.length);
      expect(sizes).toEqual([segments_in_pack, segments_in_pack]);
    });
  test("leaves no large array for the garbage collector when built", () => {
    const keys = Uint32Array.of(3, 1, 2);
    const values = Uint32Array.of(0, 1, 2);
    const sorted = radixSort(keys, values);
    expect([...sorted.keys]).toEqual([1, 2, 3]);
    release(sorted);
    for (const numbers of [keys, values, sorted.keys, sorted.values])
      expect((numbers.buffer as ArrayBuffer).detached).toBe(true);
  });
  test("is sorted correctly", () => {
    const keys = Array.from({ length: 5_000 }, () => Math.floor(next() * 2 ** 32));
    const sorted = radixSort(Uint32Array.from(keys), Uint32Array.from(keys.keys()));
    const expected = [...keys.keys()].sort((a, b) => keys[a]! - keys[b]! || a - b);
    expect([...sorted.values]).toEqual(expected);
    expect([...sorted.keys]).toEqual(expected.map((at) => keys[at]!));
  });
});

const words = Array.from({ length: 60 }, (_, i) => `w${i}x`);
/** A text of a few chunks. */
function textOf(next: () => number): string {
  return Array.from({ length: 1 + Math.floor(next() * 4) }, () =>
    Array.from({ length: 90 }, () => words[Math.floor(next() ** 2 * words.length)]!).join(" "),
  ).join("\n\n");
}
const counts = async (index: TestIndex) => ({
  packs: await index.count("index_packs"),
  parts: await index.count("index_pack_parts"),
  packed: await index.count("index_packed"),
});
async function until(what: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 500 && !(await what()); i++) await Bun.sleep(5);
  expect(await what()).toBe(true);
}

describe("packs of an index", () => {
  let index: TestIndex;
  const document_ids = Array.from({ length: 1_700 }, (_, i) => `doc_${i}`);
  beforeAll(async () => {
    index = await openTestIndex();
    const next = randomly(11);
    await index.addAll(
      document_ids.map((document_id, i) => ({
        document_id,
        text: textOf(next),
        folder_id: i % 5 === 0 ? "fld_b" : "fld_a",
      })),
    );
    await until(async () => (await index.count("index_packs")) > 1);
  }, 60_000);

  /** Packs belong to an owner: for another owner the same segments are in no pack. */
  async function expectSameWithout(): Promise<void> {
    for (const folder_ids of [["fld_a"], ["fld_b"], ["fld_a", "fld_b"]])
      for (const query of ["w3x w9x", "w1x w50x w59x", "w58x"]) {
        const request = { query, folder_ids, limit: 30 };
        const found = await index.index.search({ owner_id: "usr_ada", ...request });
        expect(found.passages.length).toBe(30);
        expect(found).toEqual(await index.index.search({ owner_id: "usr_nobody", ...request }));
      }
  }

  test("are built when much is published, and change no results", async () => {
    const { packs, parts, packed } = await counts(index);
    expect([packs, parts, packed > 1_400]).toEqual([2, 2 * pack_parts, true]);
    await expectSameWithout();
  });

  const inTransaction = <R>(work: Parameters<typeof index.store.inTransaction<R>>[0]) =>
    index.store.inTransaction(work);
  const changes: [what: string, id: string, change: (id: string) => Promise<void>, gone: number][] =
    [
      [
        "a document is hidden from its folder",
        "doc_7",
        (id) => inTransaction((tx) => index.index.unlink(tx, [id], "fld_a")),
        0,
      ],
      [
        "a document is linked into another folder",
        "doc_8",
        (id) => inTransaction((tx) => index.index.link(tx, id, "fld_b")),
        0,
      ],
      [
        "a document is deleted",
        "doc_9",
        (id) => inTransaction(async (tx) => void (await index.index.remove(tx, [id]))),
        1,
      ],
      [
        "a document of another pack has a new version",
        "doc_1500",
        (id) => index.add(id, "w58x w3x", ["fld_b"], { version: 2 }),
        1,
      ],
    ];
  for (const [what, document_id, change, gone] of changes)
    test(`${what}: ${gone} packs are dropped, and results are correct`, async () => {
      await expectSameWithout();
      const before = await counts(index);
      const [segment] = (await index.store.db
        .selectFrom("index_segments")
        .select("id")
        .where("document_id", "=", document_id)
        .execute()) as [{ id: number }];
      await change(document_id);
      const after = await counts(index);
      expect(before.packs - after.packs).toBe(gone);
      expect(after.parts).toBe(after.packs * pack_parts);
      const held = await index.store.db
        .selectFrom("index_packed")
        .selectAll()
        .where("segment_id", "=", segment.id)
        .execute();
      expect(held.length).toBe(1 - gone);
      await expectSameWithout();
    });

  test("are rebuilt after a search finds many unpacked segments", async () => {
    const search = () =>
      index.index.search({
        owner_id: "usr_ada",
        query: "w3x",
        folder_ids: ["fld_a", "fld_b"],
        limit: 3,
      });
    await until(async () => {
      await search();
      return (await index.count("index_packs")) === 2;
    });
    await expectSameWithout();
  });

  test("contain no deleted documents", async () => {
    while (!(await inTransaction((tx) => index.index.remove(tx, document_ids)))) continue;
    expect(await counts(index)).toEqual({ packs: 0, parts: 0, packed: 0 });
    expect(await index.find("w3x w9x", ["fld_a", "fld_b"])).toEqual([]);
  });
});
