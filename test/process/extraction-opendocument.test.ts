/**
 * OpenDocument files and e-books: the visible text is extracted once, in order, with its pages and
 * headings.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { testExtraction } from "../helpers/extraction";
import { epub, opendocument } from "../helpers/office";

const extraction = testExtraction();
afterAll(() => extraction.stop());
const { read, fail } = extraction;

const tp = (text: string): string => `<text:p>${text}</text:p>`;

describe("text", () => {
  const item = (text: string): string => `<text:list-item>${text}</text:list-item>`;
  const cases: [reason: string, inside: string, text: string][] = [
    [
      "white space collapses, explicit spaces and tabs are kept",
      tp('\n  one \n two<text:s text:c="3"/>three<text:tab/>four<text:line-break/>five'),
      "one two   three\tfour\nfive",
    ],
    ["a million spaces are no text", tp(`a<text:s text:c="1000000"/>b`), `a${" ".repeat(10)}b`],
    [
      "a table is a pipe table",
      `<table:table>${[
        ["Buoy", "Depth"],
        ["Skua", "3.9"],
      ]
        .map(
          (row) =>
            `<table:table-row>${row.map((cell) => `<table:table-cell>${tp(cell)}</table:table-cell>`).join("")}</table:table-row>`,
        )
        .join("")}</table:table>`,
      "| Buoy | Depth |\n| --- | --- |\n| Skua | 3.9 |",
    ],
    [
      "a note follows its paragraph, without its number",
      tp(
        "before<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>the " +
          "note</text:p></text:note-body></text:note> after",
      ) + tp("next"),
      "before after\n\nthe note\n\nnext",
    ],
    [
      "a comment follows its paragraph, without its author",
      tp(
        "said<office:annotation><dc:creator>Ada</dc:creator><dc:date>2031</dc:date><text:p>really?</text:p></office:annotation>",
      ),
      "said\n\nreally?",
    ],
    [
      "a box follows its paragraph",
      tp(
        "before<draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box><svg:desc>a " +
          "box</svg:desc></draw:frame> after",
      ),
      "before after\n\nboxed",
    ],
    [
      "deleted text is left out",
      `<text:tracked-changes><text:changed-region>${tp("deleted")}</text:changed-region>` +
        `</text:tracked-changes>${tp("kept")}`,
      "kept",
    ],
    [
      "lists have the markers of their style",
      `<text:list text:style-name="N">${item(tp("one"))}` +
        `${item(`${tp("two")}${tp("more")}<text:list>${item(tp("deeper"))}</text:list>`)}</text:list>` +
        `<text:list text:style-name="B">${item(tp("point"))}</text:list>`,
      "1. one\n2. two\n\n   more\n\n2.a) deeper\n\n- point",
    ],
  ];
  const automatic = `<text:list-style style:name="N">
      <text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
      <text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"
        text:display-levels="2"/>
    </text:list-style>
    <text:list-style style:name="B">
      <text:list-level-style-bullet text:level="1" text:bullet-char="\uf0b7"/>
    </text:list-style>`;
  for (const [reason, inside, text] of cases)
    test(reason, async () => {
      expect((await read(opendocument("text", inside, { automatic }))).text).toBe(text);
    });

  test("headings are recognised; headers and footers appear once", async () => {
    const page = (text: string): string =>
      `<style:master-page><style:header>${tp("Harbour Board")}</style:header><style:footer>${tp(text)}</style:footer></style:master-page>`;
    const { text, headings, pages, page_count, media_type } = await read(
      opendocument("text", `<text:h text:outline-level="2">Moorings</text:h>${tp("Body")}`, {
        styles: `<office:master-styles>${page("left")}${page("right")}</office:master-styles>`,
      }),
    );
    expect(text).toBe("Harbour Board\n\n## Moorings\n\nBody\n\nleft\n\nright");
    expect(headings).toEqual([{ start: 18, end: 26, level: 2 }]);
    expect([pages, page_count, media_type]).toEqual([
      [],
      null,
      "application/vnd.oasis.opendocument.text",
    ]);
  });

  test("an embedded chart is read in its place", async () => {
    const chart =
      `<office:document-content ` +
      `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" ` +
      `xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body>` +
      `<office:chart>${tp("Ships by year")}</office:chart></office:body>` +
      `</office:document-content>`;
    expect(
      (
        await read(
          opendocument(
            "text",
            tp(`before <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>after`),
            { more: { "Object 1/content.xml": chart } },
          ),
        )
      ).text,
    ).toBe("before after\n\nShips by year");
  });

  test("a password-protected file is reported as such", async () => {
    const manifest =
      `<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">` +
      `<m:file-entry m:full-path="content.xml"><m:encryption-data/></m:file-entry>` +
      `</m:manifest>`;
    expect(
      (
        await fail(
          opendocument("text", "", {
            more: { "META-INF/manifest.xml": manifest, "content.xml": "\u0012\u0013noise" },
          }),
        )
      ).code,
    ).toBe("encrypted");
  });
});

test("slides: one page each, title first, notes and master text last", async () => {
  const frame = (inside: string, attributes = ""): string =>
    `<draw:frame ${attributes}><draw:text-box>${inside}</draw:text-box></draw:frame>`;
  const title = `presentation:class="title"`;
  const notes = `<draw:page-thumbnail/>${frame(tp("Thank them."))}`;
  const first =
    `${frame(tp("Points"))}${frame(tp("Welcome"), title)}` +
    `<presentation:notes>${notes}</presentation:notes>`;
  const last = `<draw:custom-shape>${tp("Last")}</draw:custom-shape>`;
  const footed = `draw:master-page-name="M" presentation:use-footer-name="f1"`;
  const slides = `
    <presentation:footer-decl presentation:name="f1">Pilots' meeting</presentation:footer-decl>
    <draw:page ${footed}>${first}</draw:page>
    <draw:page draw:master-page-name="M"/>
    <draw:page ${footed}>${last}</draw:page>`;
  const master =
    `${frame(tp("Harbour Board"))}` +
    `${frame(tp("Click"), `${title} presentation:placeholder="true"`)}` +
    `${frame(tp("Click to edit"), `presentation:class="outline"`)}`;
  const styles =
    `<office:master-styles><style:master-page style:name="M">${master}</style:master-page>` +
    `</office:master-styles>`;
  const { text, pages, page_count, headings } = await read(
    opendocument("presentation", slides, { styles }),
  );
  expect(text).toBe(
    "# Welcome\n\nPoints\n\nThank them.\n\nHarbour Board\n\nPilots' meeting\n\nLast",
  );
  expect(pages).toEqual([
    { page: 1, label: "Slide 1 · Welcome", start: 0, end: 62 },
    { page: 3, label: "Slide 3", start: 64, end: 68 },
  ]);
  expect([page_count, headings]).toEqual([3, [{ start: 2, end: 9, level: 1 }]]);
});

describe("sheets", () => {
  const cell = (text: string, attributes = ""): string =>
    `<table:table-cell ${attributes}>${text === "" ? "" : tp(text)}</table:table-cell>`;
  const row = (cells: string, attributes = ""): string =>
    `<table:table-row ${attributes}>${cells}</table:table-row>`;
  const sheet = (name: string, rows: string): string =>
    `<table:table table:name="${name}">${rows}</table:table>`;

  test("one page each, its name first, values as displayed", async () => {
    const rows = row(
      cell("", `table:number-columns-repeated="1000"`) +
        cell("14 March 2031", `office:value-type="date" office:date-value="2031-03-14"`) +
        cell("", `office:value-type="float" office:value="7.25"`),
    );
    const { text, pages, page_count } = await read(
      opendocument(
        "spreadsheet",
        sheet("Moorings", rows) + sheet("Empty", "") + sheet("Причалы", row(cell("x"))),
      ),
    );
    expect(text).toBe(
      "# Moorings\n\n| 14 March 2031 | 7.25 |\n| --- | --- |\n\n# Empty\n\n# Причалы\n\nx",
    );
    expect([pages.map(({ page }) => page), page_count]).toEqual([[1, 2, 3], 3]);
  });

  test("a million repeated rows are cut to a few", async () => {
    const rows =
      row(
        cell("a", `table:number-columns-repeated="16384"`),
        `table:number-rows-repeated="1048576"`,
      ) +
      row(cell(""), `table:number-rows-repeated="1048576"`) +
      row(cell("end"));
    const { text } = await read(opendocument("spreadsheet", sheet("S", rows)));
    expect(text.match(/a/g)?.length).toBe(50 * 50);
    expect(text).toEndWith(" a |\n\nend");
  });
});

describe("e-books", () => {
  const cases: [reason: string, body: string, text: string][] = [
    [
      "paragraphs, line breaks, white space",
      "<p>One\n  <b>bold</b> word</p>\n<p>Two<br/>lines</p>",
      "One **bold** word\n\nTwo\nlines",
    ],
    [
      "lists have markers",
      "<ul><li>point</li></ul><ol start='3'><li><p>third</p></li><li>fourth</li></ol>",
      "- point\n\n3. third\n4. fourth",
    ],
    [
      "a table is a pipe table",
      "<table><tr><th>Buoy</th><th>Depth</th></tr><tr><td>Skua</td><td>3.9</td></tr></table>",
      "| Buoy | Depth |\n| --- | --- |\n| Skua | 3.9 |",
    ],
    ["preformatted text keeps its lines", "<pre>a\n  b</pre>", "```\na\n  b\n```"],
    ["named characters", "<p>caf&eacute; &mdash; &hellip; &nosuch;</p>", "café — … &nosuch;"],
    [
      "scripts and styles are left out",
      "<style>p { }</style><script>if (a < b) x();</script><p>text</p>",
      "text",
    ],
    ["elements that are never closed", "<p>one<br>two<p>three", "one\ntwo\n\nthree"],
    [
      "a ruby annotation is left out",
      "<p><ruby>港<rp>(</rp><rt>こう</rt><rp>)</rp></ruby></p>",
      "港",
    ],
  ];
  for (const [reason, body, text] of cases)
    test(reason, async () => {
      expect((await read(epub([body]))).text).toBe(text);
    });

  test("one page per part, in reading order; headings are recognised", async () => {
    const { text, pages, page_count, headings, media_type } = await read(
      epub(["<h1>First</h1><p>a</p>", "<img src='x'/>", "<h2>Third</h2>"]),
    );
    expect(text).toBe("# First\n\na\n\n## Third");
    expect(pages).toEqual([
      { page: 1, start: 0, end: 10 },
      { page: 3, start: 12, end: 20 },
    ]);
    expect(headings).toEqual([
      { start: 2, end: 7, level: 1 },
      { start: 15, end: 20, level: 2 },
    ]);
    expect([page_count, media_type]).toEqual([3, "application/epub+zip"]);
  });

  test("one that is protected against copying is said to be; garbled fonts do not matter", async () => {
    const encryption = (uri: string): string =>
      `<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData>` +
      `<e:CipherData><e:CipherReference URI="${uri}"/></e:CipherData></e:EncryptedData>` +
      `</encryption>`;
    expect(
      (
        await fail(
          epub(["<p>a</p>"], { "META-INF/encryption.xml": encryption("OPS/text%201.xhtml") }),
        )
      ).code,
    ).toBe("encrypted");
    expect(
      (await read(epub(["<p>a</p>"], { "META-INF/encryption.xml": encryption("OPS/font.otf") })))
        .text,
    ).toBe("a");
  });
});
