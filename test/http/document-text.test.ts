/** The text of a document in parts: from a position or a page up to its end. */
import { beforeAll, describe, expect, test } from "bun:test";
import { startTestServer, type TestServer } from "../helpers/host";
import { pdf } from "../helpers/pdf";
import { person, type Person } from "../helpers/person";

let server: TestServer;
let ada: Person;
let bob: Person;
let paged: string;
let plain: string;
let empty: string;
const plain_text = "The 🚢 leaves at nine. ".repeat(3_000);

beforeAll(async () => {
  server = await startTestServer();
  [ada, bob] = [await person(server, "ada"), await person(server, "bob")];
  const folder = await ada.folder();
  const pages = pdf([["Cover of the book"], ["The first rule"], ["The second rule"]]);
  paged = (await ada.upload(folder, "rules.pdf", pages)).body.id;
  plain = (await ada.newText(folder, plain_text)).id;
  empty = (await ada.newText(folder, "")).id;
  await server.settle();
}, 60_000);
const read = (id: string, query = "", who = ada) =>
  who.send("GET", `/documents/${id}/text?${query}`);

describe("a document with pages", () => {
  const rows: [query: string, text: RegExp, page: number, page_end: number, more: boolean][] = [
    ["", /^Cover[\s\S]*second rule\s*$/, 1, 3, false],
    ["page=2", /^The first rule\s*$/, 2, 2, false],
    ["page=2&page_end=3", /^The first rule\s+The second rule\s*$/, 2, 3, false],
    ["page=2&page_end=9", /second rule\s*$/, 2, 3, false],
    ["page=2&length=3", /^The$/, 2, 2, true],
    ["start=4&length=2", /^r |^ o/, 1, 1, true],
  ];
  test.each(rows)("%s", async (query, text, page, page_end, more) => {
    const { body } = await read(paged, query);
    expect(body.text).toMatch(text);
    expect(body).toMatchObject({ page, page_end, version: 1 });
    expect([body.next_start !== null, body.end - body.start]).toEqual([
      more,
      [...body.text].length,
    ]);
  });
});

test("a long text is read to its end, in code points", async () => {
  let text = "";
  for (let start: number | null = 0; start !== null;) {
    const { body } = await read(plain, `start=${start}&length=17001`);
    text += body.text;
    expect([body.length, body.page]).toEqual([[...plain_text].length, null]);
    start = body.next_start;
  }
  expect(text).toBe(plain_text);
});

const refused: [
  why: string,
  () => ReturnType<typeof read>,
  status: number,
  names: string | null,
][] = [
  ["a missing page", () => read(paged, "page=4"), 404, "?page"],
  ["a page of a text without pages", () => read(plain, "page=1"), 404, "?page"],
  ["page 0", () => read(paged, "page=0"), 400, "?page"],
  ["a length of 0", () => read(paged, "length=0"), 400, "?length"],
  ["another user's document", () => read(paged, "", bob), 403, null],
  ["an unknown document", () => read("doc_0"), 404, null],
];
test.each(refused)("%s is refused", async (_why, run, status, names) => {
  const { body, status: actual_status } = await run();
  expect([actual_status, body.errors?.[0].pointer ?? null]).toEqual([status, names]);
});

test("an empty text, and a start beyond the end, give an empty part", async () => {
  expect((await read(empty)).body).toMatchObject({ text: "", length: 0, next_start: null });
  const { body } = await read(plain, "start=999999999");
  expect([body.text, body.next_start, body.start === body.length]).toEqual(["", null, true]);
});
