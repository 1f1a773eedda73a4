/** Local copies of remote files: fetched once, limited in size, and deleted with their file. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalCopies } from "../../core/store/objects/local-copies";
import { temporaryDirectory } from "../helpers/data-directory";

let directory: string;
let copies: LocalCopies;
let fetched: string[];
beforeEach(() => {
  directory = temporaryDirectory();
  copies = new LocalCopies(join(directory, "copies"), 10);
  fetched = [];
});
afterEach(() => copies.clear());

const read = (name: string, text = name) =>
  copies.use(
    name,
    async (path) => {
      fetched.push(name);
      await Bun.write(path, text);
    },
    (path) => Bun.file(path).text(),
  );
const there = () => readdirSync(join(directory, "copies")).length;

test("a copy is fetched once, by the first reader", async () => {
  expect(await Promise.all([read("a"), read("a"), read("a")])).toEqual(["a", "a", "a"]);
  expect([await read("a"), fetched, there()]).toEqual(["a", ["a"], 1]);
});

test("the most recently used copies stay up to a size; a larger one is not kept", async () => {
  for (const name of ["aaaa", "bbbb", "aaaa", "cccc"]) await read(name);
  expect([copies.bytes, there()]).toEqual([8, 2]);
  await read("bbbb");
  expect(fetched).toEqual(["aaaa", "bbbb", "cccc", "bbbb"]);
  expect(await read("large", "more than ten bytes")).toBe("more than ten bytes");
  expect(copies.bytes).toBeLessThanOrEqual(10);
});

test("a failed fetch is retried by the next reader", async () => {
  const fails = copies.use(
    "a",
    () => Promise.reject(new Error("no")),
    async () => {},
  );
  await expect(fails).rejects.toThrow("no");
  expect([await read("a"), there()]).toEqual(["a", 1]);
});

test("the copy of a deleted file is removed after its last reader", async () => {
  const reading = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const use = copies.use(
    "a",
    (path) => Bun.write(path, "a").then(() => {}),
    async (path) => {
      reading.resolve();
      await done.promise;
      return Bun.file(path).text();
    },
  );
  await reading.promise;
  await copies.drop(["a"]);
  done.resolve();
  expect([await use, there()]).toEqual(["a", 0]);
});

test("a local file is adopted as a copy, unless it is too large or being fetched", async () => {
  const at_hand = (name: string) => {
    const path = join(directory, name);
    writeFileSync(path, name);
    return path;
  };
  expect(await copies.adopt("a", 1, at_hand("a"))).toBe(true);
  expect([await read("a"), fetched]).toEqual(["a", []]);
  const [, adopted] = await Promise.all([read("b"), copies.adopt("b", 1, at_hand("b"))]);
  expect([adopted, there()]).toEqual([false, 2]);
  expect(await copies.adopt("c", 11, at_hand("c"))).toBe(false);
});
