/** Vectors that an earlier version stored as floats: searchable at once, and converted in steps. */
import { expect, test } from "bun:test";
import { blockOfFloats } from "../../plugins/search-index/vectors/vector-block";
import { VectorConverter } from "../../plugins/search-index/vectors/vector-converter";
import { normalised } from "../../plugins/search-index/vectors/vector-math";
import { vectorOf } from "../helpers/embedder";
import { openSearcher, openTestIndex } from "../helpers/search-index";

const dimensions = 512;
const set_id = 7;

/** An index whose vectors are stored as before 0009_int8_vectors. */
async function ofFloats(documents: number) {
  const index = await openTestIndex();
  const { db } = index.store;
  for (let i = 0; i < documents; i++)
    await index.add(
      `doc_${i}`,
      i === 7 ? "The vehicle has a price." : `Herons stand in lake ${i}.`,
    );
  await db
    .insertInto("index_vector_sets")
    .values({ id: set_id, model: "small", asked_dimensions: 0, dimensions, serving: 1, adopted: 0 })
    .execute();
  const segments: any[] = await db
    .selectFrom("index_segments")
    .select(["id", "document_id"])
    .execute();
  for (const { id, document_id } of segments) {
    const text = document_id === "doc_7" ? "vehicle price" : "heron lake";
    await db
      .insertInto("index_float_vectors")
      .values({ set_id, segment_id: id, data: new Uint8Array(floatsOf(text).buffer) })
      .execute();
  }
  const { searcher, connection } = openSearcher(index.store.read_connection);
  const query = { owner_id: "usr_ada", query: "expensive", folder_ids: ["fld_a"], limit: 3 };
  const vector = { set_id, data: floatsOf("expensive") };
  let queued = 0;
  const converter = new VectorConverter({
    db,
    afterCommit: index.store.afterCommit,
    truncateWal: index.store.truncateWal,
    enqueue: async () => {
      queued = 1;
    },
  });
  return {
    index,
    converter,
    connection,
    first: async () => (await searcher.search({ ...query, vector })).passages[0]?.document_id,
    /** One run of the job; false when none is queued. */
    async step(): Promise<boolean> {
      if (queued === 0) return false;
      queued = 0;
      const effect = await converter.run();
      if (effect) await index.store.inTransaction(effect);
      return true;
    },
    counts: async () => [
      await index.count("index_float_vectors"),
      await index.count("index_vectors"),
    ],
  };
}
const floatsOf = (text: string): Float32Array<ArrayBuffer> =>
  Float32Array.from(normalised(Float32Array.from(vectorOf(text, dimensions)))!);

test("vectors are found before, during and after the conversion", async () => {
  const { converter, connection, counts, first, step } = await ofFloats(150);
  expect(await first()).toBe("doc_7");
  await converter.start();
  const states: number[][] = [await counts()];
  while (await step()) {
    states.push(await counts());
    expect(await first()).toBe("doc_7");
  }
  // A batch at a time, each vector always in exactly one table.
  expect(states).toEqual([
    [150, 0],
    [86, 64],
    [22, 128],
    [0, 150],
  ]);
  connection.close();
});

test("a converted vector equals the one read from the floats", async () => {
  const { connection, converter, index, step } = await ofFloats(3);
  const floats: any[] = await index.store.db
    .selectFrom("index_float_vectors")
    .selectAll()
    .execute();
  await converter.start();
  await step();
  for (const { segment_id, data } of floats)
    expect(
      await index.store.db
        .selectFrom("index_vectors")
        .select("data")
        .where("segment_id", "=", segment_id)
        .executeTakeFirst(),
    ).toEqual({ data: blockOfFloats(data, dimensions) } as never);
  connection.close();
});

test("a run that crashes changes nothing, and the next one continues", async () => {
  const { connection, converter, counts, index } = await ofFloats(5);
  const effect = await converter.run();
  const crash = index.store.inTransaction(async (tx) => {
    await effect!(tx);
    throw new Error("kill -9");
  });
  await expect(crash).rejects.toThrow("kill -9");
  expect(await counts()).toEqual([5, 0]);
  await index.store.inTransaction((await converter.run())!);
  expect(await counts()).toEqual([0, 5]);
  connection.close();
});

test("a document deleted during its conversion leaves nothing", async () => {
  const { connection, converter, counts, index } = await ofFloats(2);
  const effect = await converter.run();
  await index.store.inTransaction((tx) => index.index.remove(tx, ["doc_0"]));
  await index.store.inTransaction(effect!);
  expect(await counts()).toEqual([0, 1]);
  connection.close();
});

test("large vectors are converted a few at a time", async () => {
  const { connection, converter, counts, index } = await ofFloats(4);
  await index.store.db
    .updateTable("index_float_vectors")
    .set({ data: new Uint8Array(2 ** 20) })
    .execute();
  await index.store.inTransaction((await converter.run())!);
  expect(await counts()).toEqual([2, 2]);
  connection.close();
});
