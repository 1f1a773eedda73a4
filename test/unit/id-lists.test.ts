/** Lists of ids as one string each: the lists, their texts, and which of them are remembered. */
import { expect, test } from "bun:test";
import { listOfIds, setOfIds, textOfIds } from "../../core/lib/id-lists";

/** As many ids as in a large account, different for each name. */
const manyIds = (name: string): string[] =>
  Array.from({ length: 10_000 }, (_, at) => `fld_${name}${String(at).padStart(20, "0")}`);
/** Equal to `text`, but another string, as it comes from the database or from another thread. */
const copyOf = (text: string): string => new TextDecoder().decode(new TextEncoder().encode(text));

const lists = [
  ["none", []],
  ["one", ["a"]],
  ["several", ["a", "b", "c"]],
  ["thousands", manyIds("x")],
] as const;
test.each(lists)("text and list are the same ids: %s", (_, ids) => {
  const list = listOfIds(copyOf(textOfIds(ids)));
  expect(list).toEqual(ids);
  expect(textOfIds(list)).toBe(ids.join(" "));
  expect([...setOfIds(list)]).toEqual([...ids]);
});

test("a long list is remembered, until others take its place", () => {
  const [text, ...others] = ["a", "b", "c", "d", "e"].map((name) => manyIds(name).join(" "));
  const list = listOfIds(text!);
  expect(listOfIds(copyOf(text!))).toBe(list);
  expect(setOfIds(list)).toBe(setOfIds(list));
  for (const other of others) listOfIds(other);
  expect(listOfIds(text!)).not.toBe(list);
});

test("what is used stays, what isn't goes first", () => {
  const [used, unused, ...others] = ["f", "g", "h", "i", "j", "k"].map((name) =>
    manyIds(name).join(" "),
  );
  const lists = { used: listOfIds(used!), unused: listOfIds(unused!) };
  for (const other of others) {
    listOfIds(used!);
    listOfIds(other);
  }
  expect(listOfIds(copyOf(used!))).toBe(lists.used);
  expect(listOfIds(copyOf(unused!))).not.toBe(lists.unused);
});
