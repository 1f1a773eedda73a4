/**
 * The index on a real file: what is found in which scope, what each call removes, and how staged
 * and outdated rows are cleaned up.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { analyzer, hashOf, type Analyzer } from "../../plugins/search-index/analysis/analyzer";
import { Reindexer } from "../../plugins/search-index/indexing/reindexer";
import { analyzerOf } from "../../plugins/search-index/segments/segment";
import { fromStored } from "../../plugins/search-index/segments/stored-segment";
import { openTestIndex, type TestIndex } from "../helpers/search-index";
import { until } from "../helpers/server";

const tables = ["index_documents", "index_staged", "index_segments", "index_chunks", "index_scope"];
const rowsOf = async (index: TestIndex) =>
  Object.fromEntries(
    await Promise.all(tables.map(async (table) => [table, await index.count(table)])),
  );
const nothing = {
  index_documents: 0,
  index_staged: 0,
  index_segments: 0,
  index_chunks: 0,
  index_scope: 0,
};
/** Waits until background deletion has finished. */
const untilNothing = (index: TestIndex) =>
  until(async () => Bun.deepEquals(await rowsOf(index), nothing));
const paragraphs = (count: number, word: string) =>
  Array.from(
    { length: count },
    (_, i) => `${word} number ${i}. ${`filler${i % 37} `.repeat(50)}`,
  ).join("\n\n");
const tx = <R>(index: TestIndex, work: Parameters<typeof index.store.inTransaction<R>>[0]) =>
  index.store.inTransaction(work);

describe("a search finds", () => {
  test("a passage with its place, title, heading and folder", async () => {
    const index = await openTestIndex();
    const text = `🗂 First line.\n\n# Towers\n\nThe tower of 🗂 iron was built in 1889 by an engineer.`;
    await index.add("doc_1", text, ["fld_a"], { title: "Paris", version: 3 });
    const [passage] = await index.find("when was the tower built?");
    expect(passage).toMatchObject({
      document_id: "doc_1",
      version: 3,
      folder_id: "fld_a",
      title: "Paris",
      heading: "Towers",
      page: null,
      page_end: null,
    });
    expect([...text].slice(passage!.start, passage!.end).join("")).toBe(passage!.text);
    expect(passage!.text).toContain("1889");
  });
  test("every chunk of a document by its title, which is in no passage", async () => {
    const index = await openTestIndex();
    await index.add("doc_1", "Some text.", ["fld_a"], { title: "Zeppelin" });
    expect((await index.find("zeppelin")).map((passage) => passage.text)).toEqual(["Some text."]);
  });
  const index = openTestIndex();
  const cases: [string, string, string[], object, string[]][] = [
    ["documents in the given folder only", "apple", ["fld_a"], {}, ["doc_a"]],
    ["documents in several folders", "apple", ["fld_a", "fld_b"], {}, ["doc_a", "doc_b"]],
    ["a document in two folders once", "cherry", ["fld_a", "fld_b"], {}, ["doc_ab"]],
    [
      "only the given documents",
      "apple",
      ["fld_a", "fld_b"],
      { document_ids: ["doc_b", "doc_zzz"] },
      ["doc_b"],
    ],
    [
      "no document of another folder, even when given",
      "apple",
      ["fld_a"],
      { document_ids: ["doc_b"] },
      [],
    ],
    ["nothing without folders", "apple", [], {}, []],
    ["nothing without documents", "apple", ["fld_a"], { document_ids: [] }, []],
    ["nothing in an unknown folder", "apple", ["fld_zzz"], {}, []],
    ["nothing for punctuation only", "?!", ["fld_a"], {}, []],
    ["no more than the limit", "apple", ["fld_a", "fld_b"], { limit: 1 }, ["doc_a"]],
  ];
  for (const [why, query, folder_ids, more, expected] of cases)
    test(why, async () => {
      const opened = await index;
      if ((await opened.count("index_documents")) === 0) {
        await opened.add("doc_a", "apple banana", ["fld_a"]);
        await opened.add("doc_b", "apple banana date", ["fld_b"]);
        await opened.add("doc_ab", "cherry", ["fld_b", "fld_a"]);
      }
      expect(
        (await opened.find(query, folder_ids, more)).map((passage) => passage.document_id),
      ).toEqual(expected);
    });
  test("a hit in the first given folder that links it", async () => {
    const opened = await index;
    expect((await opened.find("cherry", ["fld_b", "fld_a"]))[0]!.folder_id).toBe("fld_b");
    expect((await opened.find("cherry", ["fld_c", "fld_a"]))[0]!.folder_id).toBe("fld_a");
  });
  test("words weighted by their rarity in the given folders only", async () => {
    const opened = await openTestIndex();
    await opened.add("doc_1", "apple", ["fld_a"]);
    await opened.add("doc_2", "banana", ["fld_a"]);
    const idf = async () =>
      (
        await opened.index.search({
          owner_id: "usr_ada",
          query: "apple",
          folder_ids: ["fld_a"],
          limit: 1,
        })
      ).terms;
    const before = await idf();
    for (let i = 0; i < 20; i++) await opened.add(`doc_x${i}`, "apple", ["fld_other"]);
    expect(await idf()).toEqual(before);
    expect(before).toEqual([{ term: "appl", idf: Math.log(1 + 1.5 / 1.5), others: [] }]);
  });
});

test("the ranking is the same in one folder as in fifty", async () => {
  const one = await openTestIndex();
  const fifty = await openTestIndex();
  for (let i = 0; i < 100; i++) {
    const text = Array.from({ length: 3 }, (_, p) =>
      `${"abcdefghij"[(i * 7 + p) % 10]!.repeat(5)} ${"klmnopqrst"[(i * 3 + p) % 10]!.repeat(4)} `.repeat(
        12 + ((i * p) % 20),
      ),
    ).join("\n\n");
    await one.add(`doc_${i}`, text, ["fld_0"]);
    await fifty.add(`doc_${i}`, text, [`fld_${i % 50}`]);
  }
  const folders = Array.from({ length: 50 }, (_, i) => `fld_${i}`);
  for (const query of ["aaaaa kkkk", "ccccc llll bbbbb", "jjjjj"]) {
    const shape = (found: Awaited<ReturnType<typeof one.find>>) =>
      found.map(({ document_id, start, score }) => [document_id, start, score]);
    const expected = shape(await one.find(query, ["fld_0"], { limit: 50 }));
    expect(expected.length).toBeGreaterThan(20);
    expect(shape(await fifty.find(query, folders, { limit: 50 }))).toEqual(expected);
    expect(shape(await fifty.find(query, folders.toReversed(), { limit: 50 }))).toEqual(expected);
  }
});

describe("removal:", () => {
  test("a new version replaces the old one at once", async () => {
    const index = await openTestIndex();
    await index.add("doc_1", "old words", ["fld_a"]);
    await index.find("old");
    await index.add("doc_1", "fresh words", ["fld_a"], { version: 2 });
    expect(await index.find("old")).toEqual([]);
    expect((await index.find("fresh"))[0]!.version).toBe(2);
    expect(await rowsOf(index)).toEqual({
      ...nothing,
      index_documents: 1,
      index_segments: 1,
      index_scope: 1,
    });
  });
  test("unlinking removes a document from one folder; linking restores it", async () => {
    const index = await openTestIndex();
    await index.add("doc_1", "apple", ["fld_a", "fld_b"]);
    await tx(index, (inside) => index.index.unlink(inside, ["doc_1"], "fld_a"));
    expect([
      await index.find("apple", ["fld_a"]),
      (await index.find("apple", ["fld_b"])).length,
    ]).toEqual([[], 1]);
    await tx(index, (inside) => index.index.unlink(inside, ["doc_1"], "fld_b"));
    expect(await index.find("apple", ["fld_a", "fld_b"])).toEqual([]);
    await tx(index, (inside) => index.index.link(inside, "doc_1", "fld_a"));
    await tx(index, (inside) => index.index.link(inside, "doc_1", "fld_a"));
    expect((await index.find("apple", ["fld_a"])).length).toBe(1);
    expect(await index.count("index_scope")).toBe(1);
  });
  test("linking an unpublished document shows nothing", async () => {
    const index = await openTestIndex();
    await tx(index, (inside) => index.index.link(inside, "doc_1", "fld_a"));
    expect(await index.count("index_scope")).toBe(0);
  });
  test("removing leaves no row, and no word in any file once the log is truncated", async () => {
    const index = await openTestIndex();
    await index.add("doc_1", `${paragraphs(30, "canarybird")}`, ["fld_a", "fld_b"], {
      keeps_text: true,
    });
    await index.add("doc_2", "another one", ["fld_a"]);
    await tx(index, (inside) => index.index.remove(inside, ["doc_1"]));
    expect(await index.find("canarybird")).toEqual([]);
    await tx(index, (inside) => index.index.remove(inside, ["doc_2"]));
    expect(await rowsOf(index)).toEqual(nothing);
    index.store.truncateWal();
    const files = () =>
      ["", "-wal"].map((end) => readFileSync(index.path + end).includes("canarybird"));
    for (let i = 0; i < 100 && files().includes(true); i++) await Bun.sleep(20);
    expect(files()).toEqual([false, false]);
  });
  test("hundreds of documents are removed in several transactions", async () => {
    const index = await openTestIndex();
    const ids = Array.from({ length: 600 }, (_, i) => `doc_${i}`);
    const prepared = await Promise.all(
      ids.map((document_id) =>
        index.index.prepare({
          owner_id: "usr_ada",
          document_id,
          version: 1,
          title: "",
          text: "apple",
          pages: [],
        }),
      ),
    );
    await tx(index, async (inside) => {
      for (const document of prepared) await index.index.publish(inside, document, ["fld_a"]);
    });
    expect(await index.count("index_documents")).toBe(600);
    let parts = 1;
    while (!(await tx(index, (inside) => index.index.remove(inside, ids)))) parts++;
    expect(parts).toBeGreaterThan(2);
    expect(await rowsOf(index)).toEqual(nothing);
  });
  test("a failed transaction changes nothing", async () => {
    const index = await openTestIndex();
    await index.add("doc_1", "apple");
    await expect(
      tx(index, async (inside) => {
        await index.index.remove(inside, ["doc_1"]);
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect((await index.find("apple")).length).toBe(1);
  });
});

describe("a very large document", () => {
  const large = paragraphs(1_400, "whale");
  test("is staged invisibly and published in one step", async () => {
    const index = await openTestIndex();
    await index.add("doc_1", "small whale", ["fld_a"]);
    const prepared = await index.index.prepare({
      owner_id: "usr_ada",
      document_id: "doc_1",
      version: 2,
      title: "t",
      text: large,
      pages: [],
    });
    expect(await index.count("index_segments")).toBeGreaterThan(5);
    expect((await index.find("whale")).map((passage) => passage.version)).toEqual([1]);
    await tx(index, (inside) => index.index.publish(inside, prepared, ["fld_a"]));
    expect((await index.find("whale number 777"))[0]).toMatchObject({
      version: 2,
      document_id: "doc_1",
    });
    expect([await index.count("index_documents"), await index.count("index_staged")]).toEqual([
      1, 0,
    ]);
    expect((await index.find("small")).length).toBe(0);
    for (const passage of await index.find("whale number 1399"))
      expect(large.slice(passage.start, passage.end)).toBe(passage.text);
  });
  const ends: [string, (index: TestIndex, signal: AbortController) => Promise<unknown>][] = [
    ["a restart", async (index) => index.index.start()],
    ["its removal", async (index) => tx(index, (inside) => index.index.remove(inside, ["doc_1"]))],
    [
      "another publication of the document",
      async (index) => {
        await index.add("doc_1", "small");
        await tx(index, (inside) => index.index.remove(inside, ["doc_1"]));
      },
    ],
    ["the end of its job", async (_index, job) => job.abort()],
  ];
  for (const [why, end] of ends)
    test(`is dropped if unpublished by ${why}, and can't be published later`, async () => {
      const index = await openTestIndex();
      const job = new AbortController();
      const prepared = await index.index.prepare(
        {
          owner_id: "usr_ada",
          document_id: "doc_1",
          version: 1,
          title: "t",
          text: large,
          pages: [],
        },
        job.signal,
      );
      await end(index, job);
      await untilNothing(index);
      await expect(
        tx(index, (inside) => index.index.publish(inside, prepared, ["fld_a"])),
      ).rejects.toThrow("prepare it again");
      expect(await rowsOf(index)).toEqual(nothing);
    });
  test("stops on a nearly full disk, leaving nothing", async () => {
    let segments = 0;
    const index = await openTestIndex({
      requireFreeSpace: () => {
        if (++segments > 2) throw new Error("the disk is full");
      },
    });
    await expect(
      index.index.prepare({
        owner_id: "usr_ada",
        document_id: "doc_1",
        version: 1,
        title: "",
        text: large,
        pages: [],
      }),
    ).rejects.toThrow("the disk is full");
    expect(segments).toBe(3);
    await untilNothing(index);
  });
  test("stops when another process removes the document while it is staged", async () => {
    const index = await openTestIndex();
    const preparing = index.index.prepare({
      owner_id: "usr_ada",
      document_id: "doc_1",
      version: 1,
      title: "t",
      text: `${large}\n\n${large}\n\n${large}`,
      pages: [],
    });
    const why = preparing.then(
      () => "nothing",
      (error: Error) => error.message,
    );
    while ((await index.count("index_segments")) < 1) await Bun.sleep(0);
    await tx(index, async (inside) => {
      for (const table of tables) await inside.deleteFrom(table).execute();
    });
    expect(await why).toContain("prepare it again");
    await untilNothing(index);
  });
  test("stops when removed while being staged", async () => {
    const index = await openTestIndex();
    const preparing = index.index.prepare({
      owner_id: "usr_ada",
      document_id: "doc_1",
      version: 1,
      title: "t",
      text: `${large}\n\n${large}\n\n${large}`,
      pages: [],
    });
    // Preparing may end before the removal does.
    preparing.catch(() => undefined);
    while ((await index.count("index_staged")) < 1) await Bun.sleep(0);
    // Preparing may reject before the transaction has ended.
    const why = preparing.then(
      () => "nothing",
      (error: Error) => error.message,
    );
    await tx(index, (inside) => index.index.remove(inside, ["doc_1"]));
    expect(await why).toContain("deleted");
    await untilNothing(index);
  });
});

describe("with a new analyzer", () => {
  /** Reverses every word, so that no term matches the current analyzer's. */
  const backwards: Analyzer = {
    version: 2,
    tokenize: (text, sink) => {
      for (const match of text.matchAll(/\p{L}+/gu)) {
        const term = [...match[0].toLowerCase()].reverse().join("");
        sink(hashOf(term), match.index, match.index + match[0].length, term);
      }
    },
  };
  const both = new Map([
    [1, analyzer],
    [2, backwards],
  ]);

  async function upgraded(count: number) {
    const before = await openTestIndex();
    for (let i = 0; i < count; i++)
      await before.add(`doc_${i}`, `apple ${i} pear\n\n\n  ${"filler ".repeat(60)}`, [
        "fld_a",
        ...(i % 2 ? ["fld_b"] : []),
      ]);
    await tx(before, (inside) => before.index.unlink(inside, ["doc_0"], "fld_a"));
    const directory = before.directory;
    await before.close(true);
    const index = await openTestIndex({ analyzer: backwards, analyzers: both, directory });
    const steps: number[] = [];
    const reindexer = new Reindexer({
      db: index.store.db,
      index: index.index,
      analyzer_version: 2,
      enqueue: async (_db, _job, payload) => {
        steps.push((payload as { step: number }).step);
      },
    });
    const step = async (at = 0) => {
      const effect = await reindexer.run(at, {
        id: "job_1",
        attempt: 1,
        last: false,
        signal: new AbortController().signal,
      });
      if (effect) await tx(index, effect);
      return effect !== undefined;
    };
    return { index, reindexer, steps, step };
  }
  const places = (found: Awaited<ReturnType<TestIndex["find"]>>) =>
    found.map(({ document_id, start, end, text }) => [document_id, start, end, text]).sort();

  test("the old rows are searched until they are replaced", async () => {
    const { index, reindexer, steps, step } = await upgraded(120);
    const before = places(await index.find("apple", ["fld_a"], { limit: 50 }));
    expect(before.length).toBe(50);
    expect(await index.index.countOutdated(1_000)).toBe(120);
    expect(await index.index.countOutdated(100)).toBe(100);
    await reindexer.start();
    expect(steps).toEqual([0]);
    await step();
    expect([await index.index.countOutdated(1_000), steps]).toEqual([70, [0, 1]]);
    const half = await index.find("apple", ["fld_a"], { limit: 200 });
    expect(half.length).toBe(119);
    while (await step());
    expect(await index.index.countOutdated(1_000)).toBe(0);
    expect((await index.find("apple", ["fld_a"], { limit: 200 })).length).toBe(119);
    const documents = await index.store.db.selectFrom("index_segments").select("data").execute();
    expect(new Set(documents.map((row) => analyzerOf(fromStored(row.data))))).toEqual(new Set([2]));
    expect((await index.find("apple", ["fld_b"], { limit: 200 })).length).toBe(60);
  });
  test("the rarity of a word is counted over old and new rows", async () => {
    const { index, step } = await upgraded(60);
    const idf = async () =>
      (
        await index.index.search({
          owner_id: "usr_ada",
          query: "apple 7",
          folder_ids: ["fld_a"],
          limit: 1,
        })
      ).terms.find((candidate) => candidate.term === "elppa")!.idf;
    const before = await idf();
    await step();
    expect(await idf()).toBeCloseTo(before, 9);
  });
  test("passages keep their offsets", async () => {
    const { index, step } = await upgraded(5);
    const before = places(await index.find("filler", ["fld_a"], { limit: 50 }));
    while (await step());
    expect(places(await index.find("filler", ["fld_a"], { limit: 50 }))).toEqual(before);
  });
  test("an unlinked document stays hidden and can be linked afterwards", async () => {
    const { index, step } = await upgraded(3);
    while (await step());
    expect(
      (await index.find("apple", ["fld_a"])).some((passage) => passage.document_id === "doc_0"),
    ).toBe(false);
    await tx(index, (inside) => index.index.link(inside, "doc_0", "fld_a"));
    expect(
      (await index.find("apple", ["fld_a"])).some((passage) => passage.document_id === "doc_0"),
    ).toBe(true);
  });
  const meanwhile: [string, (index: TestIndex) => Promise<unknown>, string[]][] = [
    ["deleted", (index) => tx(index, (inside) => index.index.remove(inside, ["doc_1"])), ["doc_2"]],
    [
      "overwritten",
      (index) => index.add("doc_1", "apple anew", ["fld_a"], { version: 2 }),
      ["doc_1", "doc_2"],
    ],
  ];
  for (const [what, change, expected] of meanwhile)
    test(`a document ${what} meanwhile is left alone`, async () => {
      const { index, reindexer } = await upgraded(3);
      const effect = await reindexer.run(0, {
        id: "job_1",
        attempt: 1,
        last: false,
        signal: new AbortController().signal,
      });
      await change(index);
      await tx(index, effect!);
      expect(
        (await index.find("apple", ["fld_a"])).map((passage) => passage.document_id).sort(),
      ).toEqual(expected);
      expect(await index.count("index_staged")).toBe(0);
      expect(await index.count("index_documents")).toBe(what === "deleted" ? 2 : 3);
    });
});
