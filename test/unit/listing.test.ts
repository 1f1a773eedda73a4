/** Pages of lists: which rows they contain and from which end they are read. */
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { listInParts, listInStretches, listPage, nearerEnd } from "../../core/store/listing";
import type { Store } from "../../core/store/store";
import { openTestStore, type TestStore } from "../helpers/store";

let opened: TestStore;
let store: Store;
const count = 11;

beforeAll(async () => {
  opened = await openTestStore();
  store = opened.store;
  await store.db.schema
    .createTable("notes")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("created_at", "integer")
    .execute();
  // Several rows share a time, so that the id decides their order.
  for (let i = 0; i < count; i++)
    await store.db
      .insertInto("notes")
      .values({ id: `note-${String(i).padStart(2, "0")}`, created_at: i >> 2 })
      .execute();
});
afterAll(() => opened.close());

const all = Array.from({ length: count }, (_, i) => `note-${String(i).padStart(2, "0")}`);
const notes = () => store.db.selectFrom("notes").select("id");
const idsOf = ({ rows }: { readonly rows: readonly { readonly id: string }[] }) =>
  rows.map(({ id }) => id);

describe("every page of every size is the matching slice of the whole list", () => {
  for (let limit = 1; limit <= count + 1; limit++)
    test(`${limit} rows`, async () => {
      for (let offset = 0; offset <= count + 1; offset++) {
        const window = { limit, offset };
        const part = [offset, offset + limit] as const;
        const newest = await listPage(notes(), window);
        expect([idsOf(newest), newest.total]).toEqual([all.toReversed().slice(...part), count]);
        const order = { columns: ["id"], direction: "asc" } as const;
        expect(idsOf(await listPage(notes(), { ...window, order }))).toEqual(all.slice(...part));
      }
    });
});

describe("a filter without an index is searched in batches and finds", () => {
  const many = 2_345;
  beforeAll(async () => {
    const rows = Array.from({ length: many }, (_, i) => ({
      id: `many-${String(i).padStart(4, "0")}`,
      created_at: 100 + (i >> 3),
    }));
    await store.db.insertInto("notes").values(rows).execute();
  });
  const inner = () => store.db.selectFrom("notes").where("created_at", ">=", 100);
  const cases: [why: string, pattern: string][] = [
    ["all rows", "many-%"],
    ["a few rows", "%77"],
    ["one row at the end", "many-0000"],
    ["no rows", "%x"],
  ];
  for (const [why, pattern] of cases)
    test(why, async () => {
      const like = sql<boolean>`id like ${pattern} escape '!'`;
      const every = await inner().where(like).select("id").orderBy("id", "desc").execute();
      for (const offset of [0, 1, 499, 500, 501, 1_600, many - 3, many, many + 1]) {
        const found = await listInStretches(inner().where(like).select("id"), inner(), {
          limit: 7,
          offset,
        });
        expect(found).toEqual({ rows: every.slice(offset, offset + 7), total: every.length });
      }
    });
});

describe("a page is read in parts", () => {
  beforeAll(() =>
    store.db.schema
      .createTable("letters")
      .addColumn("id", "text", (c) => c.primaryKey())
      .addColumn("created_at", "integer")
      .addColumn("text", "text")
      .execute(),
  );
  beforeEach(() => store.db.deleteFrom("letters").execute());
  const short = 10;
  const long = 200_000;
  const write = async (lengths: readonly number[]) => {
    for (const [at, length] of lengths.entries())
      await store.db
        .insertInto("letters")
        .values({ id: `letter-${at}`, created_at: -at, text: "x".repeat(length) })
        .execute();
  };
  const letters = () => store.db.selectFrom("letters").select(["id", "text"]);
  const times = (count: number, length: number) => Array.from({ length: count }, () => length);
  const cases: [why: string, lengths: number[], part_sizes: number[]][] = [
    ["an empty list has none", [], []],
    ["a short list is one part", times(3, short), [3]],
    ["short rows come in larger and larger parts", times(190, short), [8, 32, 128, 22]],
    ["after long rows, each is a part", times(11, long), [8, 1, 1, 1]],
    [
      "a part with one long row is followed by a smaller one",
      [long, ...times(19, short)],
      [8, 5, 7],
    ],
  ];
  test.each(cases)("%s", async (_why, lengths, part_sizes) => {
    await write(lengths);
    const { parts, total } = await listInParts(letters(), { limit: 200, offset: 0 });
    const read = await Array.fromAsync(parts);
    expect([read.map((rows) => rows.length), total]).toEqual([part_sizes, lengths.length]);
    expect(read.flat().map(({ id }) => id)).toEqual(lengths.map((_, at) => `letter-${at}`));
  });

  test("without a row that was deleted after an earlier part", async () => {
    await write(times(20, short));
    const { parts } = await listInParts(letters(), { limit: 200, offset: 0 });
    await parts.next();
    await store.db.deleteFrom("letters").where("id", "=", "letter-10").execute();
    const { value } = await parts.next();
    expect(value!.map(({ id }) => id).slice(0, 3)).toEqual(["letter-8", "letter-9", "letter-11"]);
  });
});

test("a known total is not counted again", async () => {
  const page = await listPage(notes(), { limit: 2, offset: 2, total: 5 });
  // With a total of five, the page is the two rows before the oldest one.
  expect([idsOf(page), page.total]).toEqual([["note-02", "note-01"], 5]);
  expect(await listPage(notes(), { limit: 2, offset: 0, total: 0 })).toEqual({
    rows: [],
    total: 0,
  });
});

describe("a page is read from the nearer end", () => {
  const cases: [why: string, offset: number, skip: number, is_backward: boolean][] = [
    ["the first page", 0, 0, false],
    ["just before the middle", 450, 450, false],
    ["just after the middle", 500, 450, true],
    ["the last page", 950, 0, true],
    ["beyond the end", 1_000, 1_000, false],
  ];
  for (const [why, offset, skip, is_backward] of cases)
    test(why, () => {
      expect(nearerEnd({ limit: 50, offset }, 1_000)).toEqual({
        size: offset < 1_000 ? 50 : 0,
        skip,
        is_backward,
      });
    });
});
