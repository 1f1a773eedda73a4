/**
 * Word documents, presentations and workbooks: the visible text is extracted once, in order, with
 * its pages and headings.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { compound, doc } from "../helpers/compound";
import type { Extracted } from "../../plugins/extraction/contract";
import { testExtraction } from "../helpers/extraction";
import {
  ap,
  cellStyles,
  chart,
  diagram,
  docx,
  pptx,
  relations,
  shape,
  sharedStrings,
  slide,
  w,
  wp,
  wtable,
  xlsx,
  type Relations,
  type ZipContent,
} from "../helpers/office";

const extraction = testExtraction();
afterAll(() => extraction.stop());
const { read } = extraction;

const run = (inside: string): string => `<w:r>${inside}</w:r>`;
const field = (kind: string): string => run(`<w:fldChar w:fldCharType="${kind}"/>`);
const box = (text: string): string => `<w:txbxContent>${wp(text)}</w:txbxContent>`;
/** The same content in a new version and an old one. */
const alternatives = (choice: string, fallback: string): string =>
  `<mc:AlternateContent>${choice}<mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;

describe("Word", () => {
  const cases: [reason: string, body: string, text: string][] = [
    ["paragraphs stand apart", wp("One") + wp("Two"), "One\n\nTwo"],
    ["empty paragraphs leave no trace", wp("One") + wp("") + wp(" ") + wp("Two"), "One\n\nTwo"],
    [
      "a word split into runs stays one word",
      `<w:p>${run("<w:t>Har</w:t>")}${run("<w:t>bour</w:t>")}</w:p>`,
      "Harbour",
    ],
    [
      "tabs and line breaks are kept, tab stops are ignored",
      `<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr>${run("<w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t>")}</w:p>`,
      "a\tb\nc",
    ],
    [
      "hyphens of Word are characters",
      `<w:p>${run("<w:t>e</w:t><w:noBreakHyphen/><w:t>mail, ware</w:t><w:softHyphen/><w:t>house</w:t>")}</w:p>`,
      "e\u2011mail, ware\u00adhouse",
    ],
    [
      "a drop cap belongs to its paragraph",
      wp("H", '<w:framePr w:dropCap="drop"/>') + wp("arbour") + wp("Two"),
      "Harbour\n\nTwo",
    ],
    [
      "superscripts and subscripts become characters, equations lines",
      `<w:p>${run('<w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>-6</w:t>')}${run("<w:t> at </w:t>")}` +
        `<m:oMath xmlns:m="m"><m:sSub><m:e><m:r><m:t>H</m:t></m:r></m:e><m:sub><m:r><m:t>2</m:t></m:r></m:sub></m:sSub></m:oMath>` +
        `<m:oMath xmlns:m="m"><m:r><m:t>O</m:t></m:r></m:oMath></w:p>`,
      "⁻⁶ at H₂ O",
    ],
    [
      "a table is a pipe table",
      wtable(["Buoy", "Depth"], ["Puffin Ring", "7.25"]),
      "| Buoy | Depth |\n| --- | --- |\n| Puffin Ring | 7.25 |",
    ],
    [
      "paragraphs of a cell stay in its row",
      wtable([`${wp("one")}${wp("two")}`, "three"], ["a|b", ""]),
      String.raw`| one<br>two | three |${"\n"}| --- | --- |${"\n"}| a\|b |  |`,
    ],
    [
      "a nested table stays in its cell",
      wtable(
        ["x", "y", "z"],
        ["1", "2", "3"],
        ["outside", wtable(["a", "b"], ["c", ""]) + wp("d")],
      ),
      "| x | y | z |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| outside | a b<br>c<br>d |  |",
    ],
    [
      "a layout table becomes paragraphs",
      wtable([wp("long ".repeat(100)) + wp("words ".repeat(100))]),
      `${"long ".repeat(100).trim()}\n\n${"words ".repeat(100).trim()}`,
    ],
    [
      "deleted text is left out, inserted text is kept",
      `<w:p><w:ins>${run("<w:t>new</w:t>")}</w:ins><w:del>${run("<w:delText>old</w:delText>")}</w:del></w:p>`,
      "new",
    ],
    [
      "moved text appears only at its new place",
      `<w:p><w:moveFrom>${run("<w:t>moved</w:t>")}</w:moveFrom></w:p>${wp("x")}<w:p><w:moveTo>${run("<w:t>moved</w:t>")}</w:moveTo></w:p>`,
      "x\n\nmoved",
    ],
    [
      "hidden text is hidden",
      `<w:p>${run("<w:rPr><w:vanish/></w:rPr><w:t>secret</w:t>")}${run(`<w:rPr><w:vanish w:val="0"/></w:rPr><w:t>shown</w:t>`)}</w:p>`,
      "shown",
    ],
    [
      "a field gives its result",
      `<w:p>${field("begin")}${run("<w:instrText>DATE</w:instrText><w:t>DATE</w:t>")}` +
        `${field("separate")}${run("<w:t>12 June</w:t>")}${field("end")}` +
        `${run("<w:t> 2031</w:t>")}</w:p>`,
      "12 June 2031",
    ],
    [
      "an unclosed field loses only its own paragraph",
      `<w:p>${field("begin")}${run("<w:t>DATE</w:t>")}</w:p>${wp("after")}`,
      "after",
    ],
    [
      "a simple field keeps its result",
      `<w:p><w:fldSimple w:instr="AUTHOR">${run("<w:t>Halloway</w:t>")}</w:fldSimple></w:p>`,
      "Halloway",
    ],
    [
      "a text box in two versions is read once, after its paragraph",
      `<w:p>${run(
        "<w:t>before </w:t>" +
          alternatives(`<mc:Choice Requires="wps">${box("boxed")}</mc:Choice>`, box("boxed")) +
          "<w:t>after</w:t>",
      )}</w:p>`,
      "before after\n\nboxed",
    ],
    [
      "the old version is read when the new one has no text",
      `<w:p>${run(alternatives('<mc:Choice Requires="x"/>', box("fallback")))}</w:p>`,
      "fallback",
    ],
    [
      "a ruby annotation is left out",
      `<w:p><w:ruby><w:rt>${run("<w:t>こう</w:t>")}</w:rt><w:rubyBase>${run("<w:t>港</w:t>")}</w:rubyBase></w:ruby></w:p>`,
      "港",
    ],
    [
      "Greek letters in the Symbol font",
      `<w:p>${run(`<w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0FC"/><w:t>-rays</w:t>`)}</w:p>`,
      "α-rays",
    ],
    ["characters by their numbers", wp("Dvo&#345;&#xE1;k &lt;&amp;&gt;"), "Dvořák <&>"],
  ];
  for (const [reason, body, text] of cases)
    test(reason, async () => {
      expect((await read(docx(body))).text).toBe(text);
    });

  test("headers, notes, comments and footers appear once, around the text", async () => {
    const part = (element: string, text: string): string =>
      `<w:${element} ${w}>${text}</w:${element}>`;
    const related: Relations = {
      r1: ["header", "header1.xml"],
      r2: ["header", "header2.xml"],
      r3: ["footer", "footer1.xml"],
      r4: ["footnotes", "footnotes.xml"],
      r5: ["comments", "/word/comments.xml"],
    };
    const more: ZipContent = {
      "word/header1.xml": part("hdr", wp("Harbour Board")),
      "word/header2.xml": part("hdr", wp("Harbour Board")),
      "word/footer1.xml": part("ftr", wp("Confidential")),
      "word/footnotes.xml": part("footnotes", `<w:footnote>${wp("See the chart.")}</w:footnote>`),
      "word/comments.xml": part("comments", `<w:comment>${wp("Is that so?")}</w:comment>`),
    };
    expect((await read(docx(wp("Body"), more, related))).text).toBe(
      "Harbour Board\n\nBody\n\nSee the chart.\n\nIs that so?\n\nConfidential",
    );
  });

  test("lists are numbered, and headings are recognised by style", async () => {
    const level = (at: number, format: string, text: string): string =>
      `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
    const abstract = (id: number, levels: string): string =>
      `<w:abstractNum w:abstractNumId="${id}">${levels}</w:abstractNum>`;
    const numbers = level(0, "decimal", "%1.") + level(1, "lowerLetter", "%1.%2)");
    const numbering = `<w:numbering ${w}>${abstract(0, numbers)}${abstract(1, level(0, "bullet", "\uf0b7"))}
      <w:num w:numId="5"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="6"><w:abstractNumId w:val="1"/></w:num></w:numbering>`;
    const styles =
      `<w:styles ${w}><w:style w:type="paragraph" w:styleId="T1"><w:name w:val="heading ` +
      `2"/></w:style><w:style w:type="paragraph" w:styleId="T2"><w:basedOn w:val="T1"/>` +
      `</w:style></w:styles>`;
    const item = (text: string, number: number, at = 0): string =>
      wp(text, `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${number}"/></w:numPr>`);
    const body =
      wp("Moorings", `<w:pStyle w:val="T2"/>`) +
      item("first", 5) +
      item("deeper", 5, 1) +
      item("second", 5) +
      item("deeper", 5, 1) +
      item("point", 6) +
      wp("goes on", `<w:ind w:left="720"/>`) +
      item("none", 0);
    const { text, headings } = await read(
      docx(
        body,
        { "word/numbering.xml": numbering, "word/styles.xml": styles },
        { r1: ["numbering", "numbering.xml"], r2: ["styles", "styles.xml"] },
      ),
    );
    expect(text).toBe(
      "## Moorings\n\n1. first\n\n1.a) deeper\n\n2. second\n\n2.a) deeper\n\n- point\n\n  goes on\n\nnone",
    );
    expect(headings).toEqual([{ start: 3, end: 11, level: 2 }]);
  });

  test("there are no pages: they depend on the printer", async () => {
    const { pages, page_count } = await read(docx(wp("One") + wp("Two")));
    expect([pages, page_count]).toEqual([[], null]);
  });
});

describe("embedded documents", () => {
  const chunk = (id: string): string => `<w:altChunk r:id="${id}"/>`;
  const embedded = (name: string, bytes: string | Uint8Array): Promise<Extracted> =>
    read(
      docx(
        wp("Before") + chunk("c1") + wp("After"),
        { [`word/${name}`]: bytes },
        { c1: ["aFChunk", name] },
      ),
    );
  const cases: [string, string, string | Uint8Array, string][] = [
    [
      "a web page",
      "chunk.html",
      "<html><body><h1>Inside</h1><p>caf&eacute;</p></body></html>",
      "# Inside\n\ncafé",
    ],
    [
      "a web page in an old encoding",
      "chunk.htm",
      Uint8Array.from([
        ...new TextEncoder().encode('<meta charset="windows-1251"><p>'),
        0xcf,
        0xee,
        0xf0,
        0xf2,
      ]),
      "Порт",
    ],
    ["RTF", "chunk.rtf", "{\\rtf1\\ansi In\\'e9side\\par}", "Inéside"],
    ["plain text", "chunk.txt", "one\r\n\r\ntwo", "one\n\ntwo"],
    [
      "text in UTF-16",
      "chunk.txt",
      new Uint8Array(Buffer.from("\ufeffИнside", "utf16le")),
      "Инside",
    ],
    ["a Word document", "chunk.docx", docx(wp("Inside")), "Inside"],
    ["a Word document of before 2007", "chunk.doc", doc("Inside\r"), "Inside"],
    [
      "a Word document wrapped as an OLE object",
      "object.bin",
      compound({ Package: docx(wp("Inside")) }),
      "Inside",
    ],
    [
      "a Word document in a Word document",
      "chunk.docx",
      docx(chunk("d1"), { "word/deep.html": "<p>Deep" }, { d1: ["aFChunk", "deep.html"] }),
      "Deep",
    ],
  ];
  for (const [why, name, bytes, text] of cases)
    test(`${why} stands where it was put`, async () => {
      expect(await embedded(name, bytes)).toMatchObject({
        text: `Before\n\n${text}\n\nAfter`,
        warnings: [],
      });
    });

  test("a workbook that is an object follows its paragraph; objects of other programs are passed over", async () => {
    const object = (id: string): string =>
      `<w:p><w:r><w:t>See:</w:t></w:r><w:r><w:object><o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" r:id="${id}"/></w:object></w:r></w:p>`;
    const parts: ZipContent = {
      "word/embeddings/table.xlsx": xlsx({ Depths: `<row r="1"><c r="A1"><v>3.9</v></c></row>` }),
      "word/embeddings/formula.bin": new Uint8Array(9),
    };
    const found = await read(
      docx(object("o1") + object("o2"), parts, {
        o1: ["package", "embeddings/table.xlsx"],
        o2: ["oleObject", "embeddings/formula.bin"],
      }),
    );
    expect(found).toMatchObject({ text: "See:\n\n# Depths\n\n3.9\n\nSee:", warnings: [] });
  });

  const nest = (depth: number): Uint8Array =>
    depth === 0
      ? docx(wp("innermost"))
      : docx(
          wp(`depth ${depth}`) + chunk("n1"),
          { "word/n.docx": nest(depth - 1) },
          { n1: ["aFChunk", "n.docx"] },
        );
  const unread: [string, string, string | Uint8Array][] = [
    ["one that is no document", "chunk.dat", Uint8Array.from([1, 0, 2, 0])],
    ["one that is damaged", "chunk.docx", docx(wp("Inside")).subarray(0, 40)],
    [
      "a zip bomb",
      "chunk.docx",
      docx(
        wp("Inside"),
        { "word/styles.xml": new Uint8Array(80 * 1024 ** 2) },
        { s1: ["styles", "styles.xml"] },
      ),
    ],
    ["one that is too deep inside others", "chunk.docx", nest(4)],
  ];
  for (const [why, name, bytes] of unread)
    test(`${why} is left out with a warning`, async () => {
      const { text, warnings } = await embedded(name, bytes);
      expect([
        text.startsWith("Before\n\n"),
        text.endsWith("\n\nAfter"),
        text.includes("innermost"),
      ]).toEqual([true, true, false]);
      expect(warnings.map(({ code }) => code)).toEqual(["embedded_unreadable"]);
    });
});

describe("PowerPoint", () => {
  const related = (part: string, all: Relations): ZipContent => ({
    [`ppt/slides/_rels/${part}.rels`]: relations(all),
  });

  test("slides come in show order, titles first, hidden slides included", async () => {
    const slides = [
      slide(shape(ap("Points")) + shape(ap("Welcome"), "title") + shape(ap("1"), "sldNum")),
      slide(""),
      slide(shape(ap("Thanks"), "ctrTitle")).replace("<p:sld ", `<p:sld show="0" `),
    ];
    const { text, pages, page_count, headings, media_type } = await read(pptx(slides));
    expect(text).toBe("# Welcome\n\nPoints\n\n# Thanks");
    expect(pages).toEqual([
      { page: 1, label: "Slide 1 · Welcome", start: 0, end: 17 },
      { page: 3, label: "Slide 3 · Thanks", start: 19, end: 27 },
    ]);
    expect(headings).toEqual([
      { start: 2, end: 9, level: 1 },
      { start: 21, end: 27, level: 1 },
    ]);
    expect([page_count, media_type]).toEqual([
      3,
      "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ]);
  });

  test("tables, lists and line breaks", async () => {
    const table = `<p:graphicFrame><a:tbl>${[
      ["Buoy", "Depth"],
      ["Skua", "3.9"],
    ]
      .map(
        (row) =>
          `<a:tr>${row.map((cell) => `<a:tc><a:txBody>${ap(cell)}</a:txBody></a:tc>`).join("")}</a:tr>`,
      )
      .join("")}</a:tbl></p:graphicFrame>`;
    const numbered = `<a:pPr><a:buAutoNum type="arabicParenR"/></a:pPr>`;
    const list = shape(
      ap("first", numbered) +
        ap("second", numbered) +
        ap("point", `<a:pPr><a:buChar char="•"/></a:pPr>`) +
        `<a:p><a:r><a:t>one</a:t></a:r><a:br/><a:r><a:t>two</a:t></a:r></a:p>`,
    );
    expect((await read(pptx([slide(table + list)]))).text).toBe(
      "| Buoy | Depth |\n| --- | --- |\n| Skua | 3.9 |\n\n1) first\n2) second\n\n- point\n\none\ntwo",
    );
  });

  test("charts, diagrams, notes, comments and what the layout writes belong to their slide", async () => {
    const values = (name: string, ...all: readonly string[]): string =>
      `<c:${name}><c:strCache>${all.map((value, at) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`).join("")}</c:strCache></c:${name}>`;
    const series = (name: string, ...all: readonly string[]): string =>
      `<c:ser>${values("tx", name)}${values("cat", "2030", "2031")}${values("val", ...all)}</c:ser>`;
    const { text, pages } = await read(
      pptx(
        [
          slide(shape(ap("Plain"))),
          slide(
            `<p:graphicFrame><c:chart r:id="c1"/></p:graphicFrame><p:graphicFrame><dgm:relIds r:dm="d1"/></p:graphicFrame>`,
          ),
        ],
        {
          ...related("slide1.xml", {
            c1: ["chart", "../charts/chart1.xml"],
            d1: ["diagramData", "../diagrams/data1.xml"],
            n1: ["notesSlide", "../notesSlides/n.xml"],
            k1: ["comments", "../comments/c.xml"],
            l1: ["slideLayout", "../slideLayouts/l.xml"],
          }),
          "ppt/charts/chart1.xml": chart(
            `<c:title>${ap("Ships")}</c:title>${series("Arrived", "12", "0.30000000000000004")}${series("Left", "11", "15")}`,
          ),
          "ppt/diagrams/data1.xml": diagram("Pilot", "Harbour"),
          "ppt/notesSlides/n.xml": slide(
            shape(ap("Thank the pilots."), "body") + shape(ap("2"), "sldNum"),
            "notes",
          ),
          "ppt/comments/c.xml":
            `<p:cmLst xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:cm>` +
            `<p:text>Check this.</p:text></p:cm></p:cmLst>`,
          "ppt/slideLayouts/l.xml": slide(
            shape(ap("Harbour Board")) + shape(ap("Click to edit"), "title"),
            "sldLayout",
          ),
        },
      ),
    );
    expect(text).toBe(
      "Plain\n\nShips\n\n|  | 2030 | 2031 |\n| --- | --- | --- |\n| Arrived | 12 | 0.3 |\n| Left | 11 | 15 |\n\nPilot\n\nHarbour\n\nHarbour " +
        "Board\n\nThank the pilots.\n\nCheck this.",
    );
    expect(pages).toEqual([
      { page: 1, label: "Slide 1", start: 0, end: 5 },
      { page: 2, label: "Slide 2", start: 7, end: text.length },
    ]);
  });

  test("bullets inherited from the layout or the master", async () => {
    const levels = (...bullets: readonly string[]): string =>
      bullets.map((bullet, at) => `<a:lvl${at + 1}pPr>${bullet}</a:lvl${at + 1}pPr>`).join("");
    const placeholder = (index: number, inside: string, style = ""): string =>
      `<p:sp><p:nvSpPr><p:nvPr><p:ph idx="${index}"/></p:nvPr></p:nvSpPr><p:txBody><a:lstStyle>${style}</a:lstStyle>${inside}</p:txBody></p:sp>`;
    const of = (...related: readonly [type: string, target: string][]): string =>
      relations(Object.fromEntries(related.map((relation, at) => [`r${at}`, relation])));
    const bodies = `<p:txStyles><p:bodyStyle>${levels('<a:buChar char="•"/>', '<a:buChar char="–"/>')}</p:bodyStyle></p:txStyles>`;
    const { text } = await read(
      pptx(
        [
          slide(
            placeholder(1, ap("One") + ap("Two", '<a:pPr lvl="1"/>') + ap("Three")) +
              placeholder(2, ap("Numbered") + ap("") + ap("On")) +
              placeholder(3, ap("Plain")) +
              placeholder(1, ap("Said", "<a:pPr><a:buNone/></a:pPr>")) +
              placeholder(4, ap("Own"), levels('<a:buAutoNum type="arabicParenR"/>')) +
              shape(ap("Beside")),
          ),
        ],
        {
          "ppt/slides/_rels/slide1.xml.rels": of(["slideLayout", "../slideLayouts/l.xml"]),
          "ppt/slideLayouts/_rels/l.xml.rels": of(["slideMaster", "../slideMasters/m.xml"]),
          "ppt/slideLayouts/l.xml": slide(
            placeholder(2, ap("Edit"), levels('<a:buAutoNum type="arabicPeriod"/>')) +
              placeholder(3, ap("Edit"), levels("<a:buNone/>")),
            "sldLayout",
          ),
          "ppt/slideMasters/m.xml": slide("", "sldMaster").replace(
            "</p:cSld>",
            `</p:cSld>${bodies}`,
          ),
        },
      ),
    );
    expect(text).toBe(
      "- One\n  - Two\n- Three\n\n1. Numbered\n2. On\n\nPlain\n\nSaid\n\n1) Own\n\nBeside",
    );
  });
});

describe("Excel", () => {
  const row = (number: number, cells: string): string => `<row r="${number}">${cells}</row>`;
  const cases: [reason: string, data: string, text: string][] = [
    [
      "numbers as Excel shows them",
      row(1, `<c r="A1"><v>11.500000000000002</v></c><c r="B1"><v>1E3</v></c>`),
      "# Data\n\n| 11.5 | 1000 |\n| --- | --- |",
    ],
    [
      "inline texts, booleans, errors, formula results",
      row(
        1,
        `<c r="A1" t="inlineStr"><is><t>own</t></is></c><c r="B1" t="b"><v>1</v></c><c ` +
          `r="C1" t="e"><v>#N/A</v></c><c r="D1" t="str"><f>A1&amp;"!"</f><v>own!</v></c>`,
      ),
      "# Data\n\n| own | TRUE | #N/A | own! |\n| --- | --- | --- | --- |",
    ],
    [
      "inner empty columns and rows stay, outer ones are left out",
      row(3, `<c r="C3"><v>1</v></c><c r="F3"><v>2</v></c>`) +
        row(4, `<c r="F4"><v>3</v></c>`) +
        row(9, `<c r="C9"><v>4</v></c><c r="E9"/>`),
      "# Data\n\n| 1 |  |  | 2 |\n| --- | --- | --- | --- |\n|  |  |  | 3 |\n|  |  |  |  |\n|  |  |  |  |\n|  |  |  |  |\n|  |  |  |  |\n| 4 |  |  |  |",
    ],
    [
      "cells and rows without references follow each other",
      `<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row>`,
      "# Data\n\n| 1 | 2 |\n| --- | --- |\n| 3 |  |",
    ],
  ];
  for (const [reason, data, text] of cases)
    test(reason, async () => {
      expect((await read(xlsx({ Data: data }))).text).toBe(text);
    });

  test("shared texts, dates, times and percentages", async () => {
    const more: ZipContent = {
      "xl/sharedStrings.xml": sharedStrings(
        "Gannet",
        `<r><t>Puffin </t></r><r><t>Ring</t></r><rPh><t>x</t></rPh>`,
      ),
      "xl/styles.xml": cellStyles(
        { 164: "dd/mm/yyyy\\ hh:mm", 165: "[Red]0.0&quot;d&quot;" },
        0,
        14,
        164,
        20,
        10,
        165,
        46,
      ),
    };
    const cells = `<c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>${[
      ["C", 1, "47921"],
      ["D", 2, "47921.5"],
      ["E", 3, "0.75"],
      ["F", 4, "0.07"],
      ["G", 5, "2.5"],
      ["H", 6, "1.5"],
    ]
      .map(([at, style, value]) => `<c r="${at}1" s="${style}"><v>${value}</v></c>`)
      .join("")}`;
    expect(
      (
        await read(
          xlsx({ Data: row(1, cells) }, more, {
            s1: ["sharedStrings", "sharedStrings.xml"],
            s2: ["styles", "styles.xml"],
          }),
        )
      ).text,
    ).toBe(
      "# Data\n\n| Gannet | Puffin Ring | 2031-03-14 | 14/03/2031 12:00 | 18:00 | 7.00% | 2.5d | " +
        "36:00:00 |\n| --- | --- | --- | --- | --- | --- | --- | --- |",
    );
  });

  test("one page per sheet, its name first, comments last", async () => {
    const more: ZipContent = {
      "xl/worksheets/_rels/sheet2.xml.rels": relations({ c1: ["comments", "../comments1.xml"] }),
      "xl/comments1.xml":
        `<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
        `<commentList><comment ref="A1"><text><t>Measured twice.</t></text></comment>` +
        `</commentList></comments>`,
    };
    const { text, pages, page_count, headings } = await read(
      xlsx(
        { Moorings: row(1, `<c r="A1"><v>1</v></c>`), Причалы: row(1, `<c r="A1"><v>2</v></c>`) },
        more,
      ),
    );
    expect(text).toBe("# Moorings\n\n1\n\n# Причалы\n\n2\n\nMeasured twice.");
    expect(pages).toEqual([
      { page: 1, label: "Sheet Moorings", start: 0, end: 13 },
      { page: 2, label: "Sheet Причалы", start: 15, end: text.length },
    ]);
    expect([page_count, headings?.length]).toEqual([2, 2]);
  });
});
