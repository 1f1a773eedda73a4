/** Which parts of a document are a table of contents or an index, and how that affects ranking. */
import { describe, expect, test } from "bun:test";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import { encodeDocument } from "../../plugins/search-index/indexing/encoder";
import { Listings } from "../../plugins/search-index/chunks/listings";
import { parseQuery } from "../../plugins/search-index/analysis/query";
import { lengthOf, lengthSum, listing_length } from "../../plugins/search-index/segments/segment";
import { rank, rankPacked } from "../helpers/rank";

const body = "A paragraph that says something about the paper of the printer. ".repeat(200);
/** A document of twenty pages that starts with `part` and has these headings in its body. */
function documentOf(part: string, headings: readonly string[] = []) {
  const text = [part, ...headings.flatMap((heading) => [heading, body.slice(0, 600)]), body].join(
    "\n\n",
  );
  const page_length = Math.ceil(text.length / 20);
  const pages = Array.from({ length: 20 }, (_, at) => ({
    page: at + 1,
    start: at * page_length,
    end: Math.min(text.length, (at + 1) * page_length),
  }));
  return {
    text,
    pages,
    headings: headings.map((heading) => {
      const start = text.indexOf(`\n\n${heading}\n\n`, part.length) + 2;
      return { start, end: start + heading.length, level: 1 };
    }),
  };
}

describe("is it part of a listing?", () => {
  const titles = ["1 Installation", "2 Paper size", "3 Landscape", "4 Duplex printing"];
  const cases: [string, string, readonly string[], boolean][] = [
    [
      "entries with dot leaders",
      "Contents\nPaper size . . . . . . . 12\nLandscape . . . . . . . . 14",
      [],
      true,
    ],
    ["one entry of a continued list", "Index . . . . . . . . . . 57", [], true],
    [
      "an index whose two columns were merged",
      "landscape . . . . . . 21\n. . . . . 34 margins, setting . . . . . 8\npaper . . . . . . . . 3",
      [],
      true,
    ],
    [
      "entries that match headings, with pages",
      titles.map((title, at) => `${title} ${at * 3 + 1}`).join("\n"),
      titles,
      true,
    ],
    [
      "entries that match headings, without pages",
      titles.map((title) => `• ${title}`).join("\n"),
      titles,
      true,
    ],
    [
      "links within a Markdown document",
      titles.map((title) => `- [${title}](#${title.slice(2)})`).join("\n"),
      [],
      true,
    ],
    [
      "ascending page numbers, without leaders or headings",
      "Figures\nA tray 2\nA page 2\nThe lid 4\nA lamp 7\nThe fuser 11\nThe drum 11\nA belt 19",
      [],
      true,
    ],
    [
      "entries in alphabetical order",
      "belt, 19\ndrum, 3, 11–12\nfuser, 11\nlamp, 7\nlid, 4\npage, 2\ntray, 2",
      [],
      true,
    ],
    ["a paragraph", body.slice(0, 600), titles, false],
    [
      "paragraphs that end with a number",
      `It was 1998.\nIt cost 12\n${body.slice(0, 300)}`,
      [],
      false,
    ],
    [
      "a table whose numbers are not pages",
      "Austria 83871\nBelgium 30528\nCroatia 56594\nDenmark 42933\nEstonia 45227\nFrance 551695",
      [],
      false,
    ],
    ["an unordered table", "Tray 12\nLid 3\nDrum 14\nBelt 2\nFuser 16\nArm 1\nLamp 9", [], false],
    ["code with dots", "foo <- function(...) {\n  ......\n  bar(...)\n}", [], false],
    [
      "a list of options",
      "--duplex print both sides\n--tray N take paper from tray N\n--help",
      [],
      false,
    ],
  ];
  for (const [why, part, headings, expected] of cases)
    test(`${why}: ${expected ? "yes" : "no"}`, () => {
      expect(new Listings(documentOf(part, headings)).isPart(part, { start: 0 })).toBe(expected);
    });

  test("consecutive headings in the body: no", () => {
    const text = `${titles.join("\n\n")}\n\n${body}`;
    const headings = titles.map((title) => ({
      start: text.indexOf(title),
      end: text.indexOf(title) + title.length,
      level: 1,
    }));
    const listings = new Listings({ text, pages: [], headings });
    expect(listings.isPart(titles.join("\n\n"), { start: 0 })).toBe(false);
  });
  test("a lookalike in the middle of a document, without leaders or headings: no", () => {
    const part = "belt, 19\ndrum, 3\nfuser, 11\nlamp, 7\nlid, 4\npage, 2\ntray, 2";
    const text = `${body}\n\n${part}\n\n${body}`;
    const pages = [{ page: 20, start: 0, end: text.length }];
    expect(new Listings({ text, pages }).isPart(part, { start: body.length + 2 })).toBe(false);
  });
});

describe("a listing", () => {
  const contents = "Duplex printing . . . . . . 3\nSquirrels and duplex . . . . . . 9";
  const text = `${contents}\n\n${"\n".repeat(80)}${body.slice(0, 900)} Duplex is for two sides.`;
  const segments = [...encodeDocument({ title: "m", text, pages: [] }, analyzer)].map(
    ({ data }) => data,
  );
  const query = (words: string) =>
    parseQuery(words, undefined, new Map([[analyzer.version, analyzer]]), analyzer.version);

  test("has a marker length that is left out of the mean", () => {
    expect(segments).toHaveLength(1);
    expect(lengthOf(segments[0]!, 0)).toBe(listing_length);
    expect(lengthSum(segments[0]!)).toBeLessThan(1_000);
  });
  for (const [how, ranking] of [
    ["by itself", (words: string) => rank(segments, query(words), 10)],
    ["in a pack", (words: string) => rankPacked(segments, query(words), 10, 4)],
  ] as const) {
    test(`ranks after all body text, ${how}`, async () => {
      const { hits } = await ranking("duplex duplex printing");
      expect(hits.map(({ chunk }) => chunk)[0]).toBe(1);
      expect(hits.at(-1)).toMatchObject({ chunk: 0, document_score: 0 });
    });
    test(`is found for a word that occurs nowhere else, ${how}`, async () => {
      const { hits } = await ranking("squirrels");
      expect(hits.map(({ chunk }) => chunk)).toEqual([0]);
    });
  }
  test("is found in a scope of nothing else, where lengths have no mean", async () => {
    const alone = [...encodeDocument({ title: "m", text: contents, pages: [] }, analyzer)];
    const listed = alone.map(({ data }) => data);
    for (const { hits } of [
      await rank(listed, query("squirrels"), 10),
      await rankPacked(listed, query("squirrels"), 10, 4),
    ])
      expect(hits.map(({ chunk, score }) => [chunk, score > 0.1])).toEqual([[0, true]]);
  });
});
