/** Statements compiled once per shape of their arguments; each call has its own values. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { sql } from "kysely";
import { withFixedPlan } from "../../core/store/fixed-plan";
import { prepared, preparedFirst } from "../../core/store/prepared-statements";
import type { Db, Store } from "../../core/store/store";
import { onSqlite } from "../helpers/databases";
import { openTestStore, type TestStore } from "../helpers/store";

interface Note {
  readonly id: string;
  readonly words: string | null;
  readonly size: number;
}
type NotesDb = Db<{ notes: Note }>;

let opened: TestStore;
let store: Store;
beforeEach(async () => {
  opened = await openTestStore();
  store = opened.store;
  await sql`create table notes (id text primary key, words text, size integer)`.execute(store.db);
});
afterEach(() => opened.close());

let built = 0;
const insert = prepared((db: NotesDb, row: Note) => {
  built += 1;
  return db.insertInto("notes").values(row);
});
const find = preparedFirst((db: NotesDb, { id }: Pick<Note, "id">) =>
  db.selectFrom("notes").selectAll().where("id", "=", id).where("size", ">", 0),
);
let builtLists = 0;
const findAmong = prepared(
  (
    db: NotesDb,
    { ids, not }: { readonly ids: readonly string[]; readonly not: readonly string[] },
  ) => {
    builtLists += 1;
    return db
      .selectFrom("notes")
      .select("id")
      .where("id", "in", ids)
      .where("id", "not in", not)
      .orderBy("id");
  },
);
const change = preparedFirst((db: NotesDb, { id, ...values }: Partial<Note>) =>
  db.updateTable("notes").set(values).where("id", "=", id!).returningAll(),
);

test("each call uses its own values, whatever their order or type", async () => {
  const before = built;
  const rows: Note[] = [
    { id: "a", words: "one", size: 1 },
    { id: "b", words: null, size: 2 },
    { id: "c'; drop table notes; --", words: "?", size: 3 },
  ];
  for (const row of rows) await insert(store.db, row);
  expect(built - before).toBe(1);
  await insert(store.db, { size: 4, words: "turned", id: "d" });
  for (const row of rows) expect(await find(store.db, row)).toEqual(row);
  expect(await find(store.db, { id: "d" })).toEqual({ id: "d", words: "turned", size: 4 });
  expect(await find(store.db, { id: "nobody" })).toBeUndefined();
});

test("only the given columns are written", async () => {
  await insert(store.db, { id: "a", words: "one", size: 1 });
  expect(await change(store.db, { id: "a", size: 7 })).toMatchObject({ words: "one", size: 7 });
  expect(await change(store.db, { id: "a", words: "two" })).toMatchObject({
    words: "two",
    size: 7,
  });
  expect(await change(store.db, { id: "a", words: null, size: 8 })).toMatchObject({
    words: null,
    size: 8,
  });
  expect(await change(store.db, { id: "b", size: 9 })).toBeUndefined();
});

test("prepared statements are rolled back with their transaction", async () => {
  const undone = store.inTransaction(async (tx) => {
    await insert(tx, { id: "a", words: null, size: 1 });
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  expect(await find(store.db, { id: "a" })).toBeUndefined();
  await store.inTransaction((tx) => insert(tx, { id: "a", words: null, size: 1 }));
  expect(await find(store.db, { id: "a" })).toBeDefined();
});

test("lists may have any length; statements are kept for a few lengths only", async () => {
  const before = builtLists;
  for (const id of "abcdefghi") await insert(store.db, { id, words: null, size: 1 });
  const among = async (ids: string, ...not: string[]) =>
    (await findAmong(store.db, { ids: [...ids], not })).map(({ id }) => id).join("");
  expect(await among("a", "b")).toBe("a");
  expect(await among("ab", "b")).toBe("a");
  expect(await among("abc", "x", "y")).toBe("abc");
  expect(await among("abcd", "d", "a")).toBe("bc");
  expect(await among("hgf", "f", "f", "f")).toBe("gh");
  expect(await among("abcdefghi?", "a")).toBe("bcdefghi");
  // Compiled for these lengths of `ids` and `not`: 1, 1; 2, 1; 4, 2; 4, 4; 16, 1.
  expect(builtLists - before).toBe(5);
});

test("a statement can't bypass a transaction or run after its end", async () => {
  const row = { id: "a", words: null, size: 1 };
  const around = store.inTransaction(() => insert(store.db, row));
  await expect(around).rejects.toThrow("went around the open transaction");
  let ended: NotesDb | undefined;
  await store.inTransaction(async (tx) => {
    ended = tx;
  });
  await expect(insert(ended!, row)).rejects.toThrow("the transaction has ended");
  expect(await find(store.db, row)).toBeUndefined();
});

onSqlite("connection").test(
  "a query on the database reads what is committed, without waiting for an open transaction",
  async () => {
    const row = { id: "a", words: null, size: 1 };
    const inserted = Promise.withResolvers<void>();
    const may_end = Promise.withResolvers<void>();
    const done = store.inTransaction(async (tx) => {
      await insert(tx, row);
      inserted.resolve();
      await may_end.promise;
    });
    await inserted.promise;
    expect(await find(store.db, row)).toBeUndefined();
    may_end.resolve();
    await done;
    expect(await find(store.db, row)).toEqual(row);
  },
);

onSqlite("plans").describe("a value hidden from the planner", () => {
  const cases: [why: string, sql: string, fixed: string][] = [
    [
      "of a limit",
      "select id from notes limit ? offset ?",
      "select id from notes limit +? offset +?",
    ],
    ["of a list", "delete from notes where id in (?, ?)", "delete from notes where id in (+?, +?)"],
    [
      "beside texts and comments with question marks, which stay",
      `select '?''s' as "a ?" -- why?\nfrom notes where words = ? and id != 'it''s ?'`,
      `select '?''s' as "a ?" -- why?\nfrom notes where words = +? and id != 'it''s ?'`,
    ],
  ];
  for (const [why, values, fixed] of cases)
    test(why, () => {
      expect(withFixedPlan(values)).toBe(fixed);
    });

  test("keeps its type", async () => {
    const { reads } = store;
    const types = "select typeof(?) as a, typeof(?) as b, typeof(?) as c, typeof(?) as d";
    expect(await reads.get<object>(types, "7", 7, null, new Uint8Array(1))).toEqual({
      a: "text",
      b: "integer",
      c: "null",
      d: "blob",
    });
  });
});
