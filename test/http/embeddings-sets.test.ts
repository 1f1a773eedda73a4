/**
 * Sets of vectors: one serves while another is built, nothing of deleted documents is kept, and one
 * bad text holds up nothing.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { jsonLog } from "../../core/base/log";
import { OnlyNode } from "../../core/store/nodes";
import { SharedNotifier } from "../../core/store/shared-notifier";
import type { ReadConnection } from "../../core/store/read-connection";
import { Calibrations } from "../../plugins/search-index/vectors/calibrations";
import type { Embedder } from "../../plugins/search-index/contract";
import { DocumentEmbedder } from "../../plugins/search-index/embedding/document-embedder";
import { QueryEmbedder } from "../../plugins/search-index/vectors/query-embedder";
import { isReference, vectorOf } from "../helpers/embedder";
import { openSearcher, openTestIndex, type TestIndex } from "../helpers/search-index";

const readers: ReadConnection[] = [];
afterAll(() => {
  for (const reader of readers) reader.close();
});

type Behaviour = (texts: readonly string[], model: string, kind: string) => void | Promise<void>;
/**
 * An embedder as configured for the next start. `before` runs before each call, and can make it
 * fail.
 */
const scripted = (
  model: string,
  {
    dimensions = null,
    texts_max = 4,
    length = 64,
    before = () => {},
  }: { dimensions?: number | null; texts_max?: number; length?: number; before?: Behaviour } = {},
): Embedder => ({
  model,
  dimensions,
  texts_max,
  async embed(texts, options) {
    await before(texts, options.model, options.kind);
    return texts.map((text) =>
      text.includes("untakeable")
        ? null
        : Float32Array.from(
            vectorOf(
              text,
              options.dimensions ?? (options.model === model ? length : 64),
              options.model,
            ),
          ),
    );
  },
});

/** What a server does with the index and this embedder between two starts. */
async function serverOf(index: TestIndex, by: Embedder | undefined) {
  let queued = 0;
  const { store } = index;
  const log = jsonLog("error");
  const now_ms = () => 1_700_000_000_000;
  const calibrations = new Calibrations({
    db: store.db,
    inTransaction: store.inTransaction,
    now_ms,
    log,
  });
  const document_embedder = new DocumentEmbedder({
    backend: { vectorsChanged: async () => {}, wake: async () => {} },
    calibrations,
    node: new OnlyNode(now_ms),
    notifier: new SharedNotifier(store),
    db: store.db,
    inTransaction: store.inTransaction,
    afterCommit: store.afterCommit,
    truncateWal: store.truncateWal,
    files: { requireFreeSpace: () => {} },
    folders: {
      clearVectorsPending: async () => {},
      moveCounters: async () => {},
      listVectorsPending: async () => [],
      findRoots: async () => new Map(),
    },
    now_ms,
    embedder: () => by,
    paused: () => false,
    log,
    enqueue: async () => {
      queued = 1;
    },
    cancelJobs: async () => {
      queued = 0;
    },
  });
  await document_embedder.start();
  const query_embedder = new QueryEmbedder({
    embedder: () => by,
    calibrations,
    servingSet: () => document_embedder.servingSet(),
    now_ms,
    log,
  });
  const { searcher, connection } = openSearcher(store.read_connection);
  readers.push(connection);
  const server = {
    document_embedder,
    /** One run of the job; false when none is queued. */
    async step(): Promise<boolean> {
      if (queued === 0) return false;
      queued = 0;
      try {
        const effect = await document_embedder.run({
          id: "job_1",
          attempt: 1,
          last: true,
          signal: new AbortController().signal,
        });
        if (effect) await store.inTransaction(effect);
      } catch {
        queued = 1;
      }
      return true;
    },
    async finish(): Promise<void> {
      for (let i = 0; i < 500; i++) if (!(await server.step())) return;
      throw new Error("it never ends");
    },
    async find(query: string): Promise<string[]> {
      const request = { owner_id: "usr_ada", query, folder_ids: ["fld_a"], limit: 10 };
      const vector = await query_embedder.vectorOf(request, undefined);
      const { passages } = await searcher.search(vector ? { ...request, vector } : request);
      return passages.map(({ document_id }) => document_id);
    },
  };
  return server;
}
const sets = async (index: TestIndex) =>
  (await index.store.db.selectFrom("index_vector_sets").selectAll().orderBy("id").execute()).map(
    ({ model, asked_dimensions, dimensions, serving }) => ({
      model,
      asked_dimensions,
      dimensions,
      serving,
    }),
  );
async function filled(count = 12): Promise<TestIndex> {
  const index = await openTestIndex();
  for (let i = 0; i < count; i++)
    await index.add(
      `doc_${i}`,
      i === 7 ? "The vehicle has a price." : `Herons stand in water, ${"again ".repeat(i)}.`,
    );
  return index;
}
/** Its words are in no glossary. */
const question = "Are jalopies pricey?";

describe("a change of the model", () => {
  test("keeps the old vectors in use until the new ones are complete", async () => {
    const index = await filled();
    const old = await serverOf(index, scripted("old"));
    await old.finish();
    const models: string[] = [];
    const now = await serverOf(
      index,
      scripted("new", {
        length: 48,
        texts_max: 1,
        before: (_texts, model, kind) => {
          models.push(`${kind} ${model}`);
        },
      }),
    );
    expect(await now.find(question)).toEqual(["doc_7"]);
    while (
      (await now.step()) &&
      (await sets(index)).find(({ model }) => model === "new")?.serving === 0
    ) {
      models.length = 0;
      if ((await index.count("index_vectors_waiting")) > 0)
        expect([
          await now.find(question + "!".repeat(await index.count("index_vectors_waiting"))),
          models,
        ]).toEqual([["doc_7"], ["query old"]]);
      else break;
    }
    await now.finish();
    models.length = 0;
    expect([await now.find(`${question}!`), models]).toEqual([["doc_7"], ["query new"]]);
    expect(await sets(index)).toEqual([
      { model: "new", asked_dimensions: 0, dimensions: 48, serving: 1 },
    ]);
    expect(await index.count("index_vectors")).toBe(12);
  });
  test("includes a change of only the dimensions", async () => {
    const index = await filled();
    await (await serverOf(index, scripted("old"))).finish();
    const now = await serverOf(index, scripted("old", { dimensions: 32 }));
    expect(
      (await sets(index)).map(({ asked_dimensions, serving }) => [asked_dimensions, serving]),
    ).toEqual([
      [0, 1],
      [32, 0],
    ]);
    await now.finish();
    expect(await sets(index)).toEqual([
      { model: "old", asked_dimensions: 32, dimensions: 32, serving: 1 },
    ]);
    expect(await now.find(question)).toEqual(["doc_7"]);
  });
  test("that is reverted before it is complete leaves only the first set", async () => {
    const index = await filled();
    await (await serverOf(index, scripted("old"))).finish();
    await (await serverOf(index, scripted("new"))).step();
    expect(await index.count("index_vectors")).toBeGreaterThan(12);
    const now = await serverOf(index, scripted("old"));
    await now.finish();
    expect(await sets(index)).toEqual([
      { model: "old", asked_dimensions: 0, dimensions: 64, serving: 1 },
    ]);
    expect([await index.count("index_vectors"), await now.find(question)]).toEqual([12, ["doc_7"]]);
  });
  test("when the endpoint has lost the old one: words are used until it is complete", async () => {
    const index = await filled();
    await (await serverOf(index, scripted("old"))).finish();
    const now = await serverOf(
      index,
      scripted("new", {
        before: (_texts, model) => {
          if (model === "old") throw new Error("the embedder responded with status 404");
        },
      }),
    );
    expect([await now.find(question), await now.find("vehicle")]).toEqual([[], ["doc_7"]]);
    await now.finish();
    expect(await now.find(question)).toEqual(["doc_7"]);
  });
  test("when the embedder knows it lacks the old one: new vectors are used at once", async () => {
    const index = await filled();
    const questions: string[] = [];
    await (await serverOf(index, scripted("old"))).finish();
    const now = await serverOf(index, {
      ...scripted("new", {
        texts_max: 1,
        before: (_texts, model) => {
          questions.push(model);
        },
      }),
      has: (model) => model === "new",
    });
    expect((await sets(index)).map(({ model, serving }) => [model, serving])).toEqual([
      ["old", 0],
      ["new", 1],
    ]);
    await now.finish();
    expect([await now.find(question), new Set(questions)]).toEqual([["doc_7"], new Set(["new"])]);
    expect(await sets(index)).toEqual([
      { model: "new", asked_dimensions: 0, dimensions: 64, serving: 1 },
    ]);
  });
  test("continues after an interruption", async () => {
    const index = await filled();
    await (await serverOf(index, scripted("old"))).finish();
    await (await serverOf(index, scripted("new", { texts_max: 1 }))).step();
    const done = (await index.count("index_vectors")) - 12;
    const questions: string[] = [];
    expect(done).toBeGreaterThan(0);
    await (
      await serverOf(
        index,
        scripted("new", {
          before: (texts) => {
            questions.push(...texts);
          },
        }),
      )
    ).finish();
    expect(questions.length).toBe(12 - done);
  });
  test("before the first model gave any vector takes effect at once", async () => {
    const index = await filled();
    const never = await serverOf(
      index,
      scripted("never", {
        before: () => {
          throw new Error("down");
        },
      }),
    );
    await never.step();
    expect(never.document_embedder.state().failing).toMatch(
      /^12 documents are waiting for vectors: down/,
    );
    const now = await serverOf(index, scripted("new"));
    await now.step();
    expect(await now.find("vehicle price")).toContain("doc_7");
    await now.finish();
    expect(await sets(index)).toEqual([
      { model: "new", asked_dimensions: 0, dimensions: 64, serving: 1 },
    ]);
  });
});

test("a passage of several vectors ranks by its nearest, and is listed once", async () => {
  const index = await filled();
  const halves = scripted("halves");
  const herons = "Herons stand in shallow water. ".repeat(20);
  await index.add("doc_long", `${herons} Then again: medics and herons. Then again: a medic.`);
  const now = await serverOf(index, {
    ...halves,
    async embed(texts, options) {
      const parts = texts.map((text) => text.split("Then again:"));
      const vectors = await halves.embed(parts.flat(), options);
      let at = 0;
      return parts.map((part) => vectors.slice(at, (at += part.length)) as Float32Array[]);
    },
  });
  await now.finish();
  const found = await now.find("Who is the physician?");
  expect([found[0], new Set(found).size]).toEqual(["doc_long", found.length]);
  const rows: any[] = await index.store.db.selectFrom("index_vectors").select("data").execute();
  expect(rows.map(({ data }) => Buffer.from(data).readUInt32LE(4)).sort()).toEqual([
    ...Array(12).fill(1),
    3,
  ]);
});

describe("a published document", () => {
  test("without an embedder gets its vectors when there is one again", async () => {
    const index = await filled();
    await (await serverOf(index, scripted("small"))).finish();
    const off = await serverOf(index, undefined);
    await index.add("doc_new", "A medic.");
    expect([await off.find(question), await off.step()]).toEqual([[], false]);
    const now = await serverOf(index, scripted("small"));
    expect(await index.count("index_vectors_waiting")).toBe(1);
    await now.finish();
    expect(await now.find("doctor physician")).toEqual(["doc_new"]);
  });
  test("that is deleted or replaced during embedding keeps no vectors", async () => {
    const index = await filled(2);
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const now = await serverOf(
      index,
      scripted("small", {
        before: () => {
          begun.resolve();
          return gate.promise;
        },
      }),
    );
    const step = now.step();
    await begun.promise;
    await index.store.inTransaction((tx) => index.index.remove(tx, ["doc_0"]));
    await index.add("doc_1", "Another text.", ["fld_a"], { version: 2 });
    gate.resolve();
    await step;
    expect([
      await index.count("index_vectors"),
      await index.count("index_vectors_waiting"),
    ]).toEqual([0, 0]);
  });
  test("of great length is embedded in full calls, with its title and headings", async () => {
    const index = await openTestIndex();
    const calls: (readonly string[])[] = [];
    await index.add(
      "doc_1",
      `# Boats\n\n${Array.from({ length: 30 }, (_, i) => `Paragraph ${i}. ${"The harbour is full of ships. ".repeat(16)}`).join("\n\n")}`,
      ["fld_a"],
      { title: "Sea" },
    );
    const now = await serverOf(
      index,
      scripted("small", {
        texts_max: 8,
        before: (texts) => {
          if (!texts.every(isReference)) calls.push(texts);
        },
      }),
    );
    await now.finish();
    expect(calls.map((texts) => texts.length)).toEqual([8, 8, 8, calls.flat().length - 24]);
    expect(calls.flat().every((text) => text.startsWith("Sea\n") && text.includes("Boats"))).toBe(
      true,
    );
  });
});

describe("a table of contents", () => {
  const contents = "Harbour . . . . . . . . 3\nShips . . . . . . . . . 7";
  const body = "The harbour is full of ships. ".repeat(16);
  const cases: [string, string, readonly string[]][] = [
    ["has no vector", `${contents}${"\n".repeat(80)}${body}`, [body.trim()]],
    ["alone leaves nothing waiting", contents, []],
  ];
  for (const [why, text, expected] of cases)
    test(why, async () => {
      const index = await openTestIndex();
      const questions: string[] = [];
      await index.add("doc_1", text, ["fld_a"], { title: "Sea" });
      const now = await serverOf(
        index,
        scripted("small", {
          before: (texts) => {
            if (!texts.every(isReference)) questions.push(...texts);
          },
        }),
      );
      await now.finish();
      expect(questions).toEqual(expected.map((text) => `Sea\n${text}`));
      expect(await index.count("index_vectors_waiting")).toBe(0);
    });
});

describe("one text that the embedder fails on", () => {
  test("holds up no other, is tried alone, and doesn't block a new model", async () => {
    const index = await filled();
    const sizes: number[] = [];
    await (await serverOf(index, scripted("old"))).finish();
    const now = await serverOf(
      index,
      scripted("new", {
        texts_max: 8,
        before: (texts) => {
          sizes.push(texts.length);
          if (texts.some((text) => text.startsWith("doc_3\n")))
            throw new Error("the embedder responded with status 500");
        },
      }),
    );
    for (let i = 0; i < 60; i++) await now.step();
    expect(await sets(index)).toEqual([
      { model: "new", asked_dimensions: 0, dimensions: 64, serving: 1 },
    ]);
    expect([
      await index.count("index_vectors"),
      await index.count("index_vectors_waiting"),
      sizes.at(-1),
    ]).toEqual([11, 1, 1]);
    expect(now.document_embedder.state().failing).toMatch(/^1 document/);
    expect(await now.find(question)).toEqual(["doc_7"]);
  });
  test("permanently is skipped, and found by its words", async () => {
    const index = await filled();
    await index.add("doc_odd", "untakeable words");
    const now = await serverOf(index, scripted("small"));
    await now.finish();
    expect([await index.count("index_vectors"), await now.find("untakeable")]).toEqual([
      13,
      ["doc_odd"],
    ]);
  });
});

describe("combined ranking", () => {
  test("without vectors equals the ranking by words", async () => {
    const index = await filled();
    const { searcher, connection } = openSearcher(index.store.read_connection);
    readers.push(connection);
    const request = {
      owner_id: "usr_ada",
      query: "herons again water",
      folder_ids: ["fld_a"],
      limit: 10,
    };
    const places = async (vector?: { set_id: number; data: Float32Array }) =>
      (await searcher.search({ ...request, ...(vector && { vector }) })).passages.map(
        ({ document_id }) => document_id,
      );
    expect(await places({ set_id: 1, data: new Float32Array(64).fill(0.1) })).toEqual(
      await places(),
    );
    expect((await places()).length).toBe(10);
  });
});
