/** Equal rows of both engines have the same hash, and rows that differ have another. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { digestOf, type Column, type Row, type Value } from "../../core/store/move/rows";
import { SqliteSide } from "../../core/store/move/sqlite-side";
import { compare, type MoveEnds } from "../../core/store/move/mover";
import { temporaryDirectory } from "../helpers/data-directory";

const columns: readonly Column[] = [
  { name: "a", kind: "integer" },
  { name: "b", kind: "double" },
  { name: "c", kind: "text" },
  { name: "d", kind: "bytes" },
];
const base: Row = [1n, 1.5, "text", new Uint8Array([1, 2])];
const with_ = (at: number, value: Value): Row => base.toSpliced(at, 1, value);

describe("rows are equal", () => {
  const cases: [why: string, one: Row, other: Row][] = [
    ["integers as a bigint and as a number", base, with_(0, 1)],
    ["integers beyond 2^53", with_(0, 9007199254740993n), with_(0, 9007199254740993n)],
    ["zero and negative zero", with_(1, 0), with_(1, -0)],
    ["bytes as a Uint8Array and as a Buffer", base, with_(3, Buffer.from([1, 2]))],
    ["null values", [null, null, null, null], [null, null, null, null]],
  ];
  test.each(cases)("%s", (_, one, other) =>
    expect(digestOf(one, columns)).toBe(digestOf(other, columns)),
  );
});

describe("rows differ", () => {
  const cases: [why: string, one: Row, other: Row][] = [
    ["integers in their last digit", with_(0, 9007199254740993n), with_(0, 9007199254740992n)],
    ["null and zero", with_(0, null), with_(0, 0n)],
    ["null and an empty text", with_(2, null), with_(2, "")],
    ["null and a dash", with_(2, null), with_(2, "-")],
    ["a composed and a decomposed letter", with_(2, "ä"), with_(2, "a\u0308")],
    ["a trailing zero byte", with_(3, new Uint8Array([1, 2, 0])), base],
    ["bytes in another order", with_(3, new Uint8Array([2, 1])), base],
  ];
  test.each(cases)("%s", (_, one, other) =>
    expect(digestOf(one, columns)).not.toBe(digestOf(other, columns)),
  );
});

describe("the comparison names differences:", () => {
  const schema = [
    "create table keyed (a text, n integer, d blob, primary key (a, n))",
    "create table keyless (t text)",
    "insert into keyed values ('x', 1, x'00'), ('x', 2, null), ('y', 1, x'01')",
    "insert into keyless values ('same'), ('same'), ('other')",
  ];
  const cases: [why: string, sql: string, found: string[]][] = [
    ["none", "select 1", []],
    ["a changed value", "update keyed set d = x'02' where n = 2", ["keyed x 2: differs"]],
    ["a missing row", "delete from keyed where a = 'y'", ["keyed y 1: missing in the target"]],
    [
      "an additional row",
      "insert into keyed values ('z', 9, null)",
      ["keyed z 9: not in the source"],
    ],
    [
      "one of two equal rows missing",
      "delete from keyless where rowid = 1",
      ["keyless has 1 row that is missing in the target"],
    ],
  ];
  test.each(cases)("%s", async (_, sql, found) => {
    const directory = temporaryDirectory();
    const side = (name: string, more: readonly string[]): SqliteSide => {
      using database = new Database(`${directory}/${name}`, { create: true });
      for (const statement of [...schema, ...more]) database.run(statement);
      return new SqliteSide(`${directory}/${name}`, { reads: true });
    };
    const ends = {
      source: side("one", []),
      target: side("two", [sql]),
    } satisfies Partial<MoveEnds>;
    expect(await compare(ends, await ends.source.tables(), () => undefined)).toEqual(found);
    await Promise.all([ends.source.close(), ends.target.close()]);
  });
});
