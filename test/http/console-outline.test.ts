/** The pages and headings of a document, as the console requests them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { styledPieces, type LookRange } from "../../plugins/console/web/reader/styled-pieces";
import { indicesOf } from "../../plugins/console/web/reader/text-ranges";
import { signedIn, type Browser } from "../helpers/browser";
import { startTestServer, type TestServer } from "../helpers/host";
import { person } from "../helpers/person";

let server: TestServer;
let ada: Browser;
let bob: Browser;
let notes: string;
let plain: string;
const markdown = "# 🙂 First\n\nSome text.\n\n## Second\n\nMore text.\n";

beforeAll(async () => {
  server = await startTestServer();
  ada = await signedIn(server, "ada");
  bob = await signedIn(server, "bob");
  const me = await person(server, "ada");
  const folder = await me.folder();
  notes = (await me.upload(folder, "notes.md", markdown)).body.id;
  plain = (await me.newText(folder, "No headings, no pages.", "plain")).id;
  await server.settle();
});
afterAll(() => server.stop());

test("headings have their position in the content, in code points", async () => {
  const { content } = (await ada.send("GET", `/documents/${notes}`)).body;
  const { body } = await ada.send("GET", `/documents/${notes}/outline`);
  const text = [...content];
  expect(body.version).toBe(1);
  expect(
    body.headings.map(({ start, end, level }: { start: number; end: number; level: number }) => [
      text.slice(start, end).join("").replace(/^#+ /, ""),
      level,
    ]),
  ).toEqual([
    ["🙂 First", 1],
    ["Second", 2],
  ]);
});

test.each([
  ["a text without headings has none", () => ada.send("GET", `/documents/${plain}/outline`), 200],
  ["another user's document is refused", () => bob.send("GET", `/documents/${notes}/outline`), 403],
  [
    "an unknown document is not found",
    () => ada.send("GET", "/documents/doc_00000000000000000000000000/outline"),
    404,
  ],
] as const)("%s", async (_why, ask, status) => {
  const answer = await ask();
  expect(answer.status).toBe(status);
  if (status === 200) expect(answer.body).toEqual({ version: 1, pages: [], headings: [] });
});

test("the outline is available in the console only", async () => {
  expect((await server.send("ada", "GET", `/documents/${notes}/outline`)).status).toBe(404);
});

describe("a text with an outline", () => {
  test("code points become indices", () =>
    expect(indicesOf("a🙂b🙂c", [0, 1, 2, 4, 5])).toEqual([0, 1, 3, 6, 7]));

  test.each([
    ["neither heading nor mark", [], null, ["....."]],
    ["a heading", [{ from: 100, to: 102 }], null, ["HH", "..."]],
    [
      "a mark over the end of a heading",
      [{ from: 100, to: 102 }],
      { from: 101, to: 104 },
      ["H", "X", "m", "m", "."],
    ],
    ["a mark that starts before the block", [], { from: 50, to: 101 }, ["m", "...."]],
  ] as const)("pieces of a block: %s", (_why, headings, mark, expected) => {
    const ranges: LookRange[] = headings.map((range) => ({ ...range, look: "heading" }));
    if (mark) ranges.push({ ...mark, look: "mark" });
    const letters: Readonly<Record<string, string>> = {
      "heading mark": "X",
      heading: "H",
      mark: "m",
    };
    const pieces = styledPieces({ from: 100, to: 105 }, ranges);
    const shown = pieces.map(({ from, to, looks }) =>
      (letters[looks.join(" ")] ?? ".").repeat(to - from),
    );
    expect(shown.join("")).toBe(expected.join(""));
    expect(pieces.at(-1)!.to).toBe(105);
  });
});
