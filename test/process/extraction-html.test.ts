/**
 * Web pages: visible content becomes text with headings, lists and tables, whatever the encoding
 * and however broken the markup.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { readPage, readXhtml } from "../../plugins/extraction/html/page";
import { assemble } from "../../plugins/extraction/child/text-assembly";
import { encodeAs, utf16 } from "../helpers/encode";
import { testExtraction } from "../helpers/extraction";

const extraction = testExtraction();
afterAll(() => extraction.stop());
const { read, fail } = extraction;

const page = (html: string) => assemble([{ page: null, blocks: readPage(html) }], 1e9);

describe("what a page shows", () => {
  const cases: [string, string, string][] = [
    ["paragraphs", "<p>One.</p>\n<p>Two\n  lines.</p>", "One.\n\nTwo lines."],
    ["paragraphs that are never closed", "<p>One.<p>Two.<div>Three.", "One.\n\nTwo.\n\nThree."],
    [
      "inline elements don't split words",
      "Un<b>frie</b>nd<i>ly</i> <a href=x>host</a>",
      "Unfriendly host",
    ],
    [
      "numeric superscripts and subscripts become characters, others stay text",
      "5 m<sup>2</sup>, 10<sup> -6 </sup>, H<sub>2</sub>O, 2<sup>nd</sup><sup><a>[1]</a></sup>",
      "5 m², 10⁻⁶, H₂O, 2nd[1]",
    ],
    ["line breaks", "One<br>two<BR/>three", "One\ntwo\nthree"],
    ["headings", "<h1>A <em>b</em></h1>text<h2>C</h2>", "# A b\n\ntext\n\n## C"],
    [
      "emphasis of words, but not of parts of words or whole sentences",
      "<p>The <b>dock</b> <i>closes </i>, un<b>able</b>. <b>Why? Storm.</b></p><b>Note.</b>",
      "The **dock** *closes* , unable. Why? Storm.\n\nNote.",
    ],
    [
      "nested lists",
      "<ol><li>a<ul><li>b<ul><li>c</ul><li>d</ul><li>e</ol>",
      "1. a\n   - b\n     - c\n   - d\n2. e",
    ],
    [
      "items of several paragraphs, one after an inner list",
      "<ol><li><p>a<p>b<li>c<ul><li>d<p>e</ul><p>f<li>g</ol><p>h",
      "1. a\n\n   b\n2. c\n   - d\n\n     e\n\n   f\n3. g\n\nh",
    ],
    [
      "lists and tables in cells",
      "<table><tr><th>a<th>b<tr><td><ul><li>x<li>y</ul><td><ol><li>p<li>q</ol><tr><td>c<td><table><tr><td>1<td>2<tr><td>3<td>4</table></table>",
      "| a | b |\n| --- | --- |\n| x<br>y | p<br>q |\n| c | 1 2<br>3 4 |",
    ],
    [
      "merged cells, row headers, a caption",
      "<table><caption>T</caption><tr><th>a<th colspan=2>b<tr><th rowspan=2>c<td>1|2<td>2<tr><td>3</table>",
      "T\n\n| a | b |  |\n| --- | --- | --- |\n| c | 1\\|2 | 2 |\n|  | 3 |  |",
    ],
    [
      "row headers alone don't make a header row",
      "<table><tr><th>a<td>1<tr><th>b<td>2</table>",
      "|  |  |\n| --- | --- |\n| a | 1 |\n| b | 2 |",
    ],
    [
      "layout tables become plain text",
      "<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table><table><tr><td>e<tr><td>f</table>",
      "a\n\nb\n\nc\n\nd\n\ne\n\nf",
    ],
    [
      "lists",
      "<ul><li>x<li>y</ul><ol start=5><li>q</li><li value=9>r</ol>",
      "- x\n- y\n\n5. q\n9. r",
    ],
    [
      "tables",
      "<table><thead><tr><th>Name<th>Depth</thead><tr><td>Gannet<td>11.5 " +
        "<b>m</b><tr><td>Skua<p>Post<td></table>",
      "| Name | Depth |\n| --- | --- |\n| Gannet | 11.5 m |\n| Skua<br>Post |  |",
    ],
    [
      "a table whose only cell holds another table",
      "<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table></table>",
      "| a | b |\n| --- | --- |\n| c | d |",
    ],
    ["preformatted text", "<pre>one\n  two\n</pre>", "```\none\n  two\n```"],
    [
      "named and numeric character references",
      "&Eacute;t&eacute; &amp; &hellip; &CounterClockwiseContourIntegral; &#8364;&#x1F6A2; " +
        "&lt;b&gt; AT&T",
      "Été & … ∳ €🚢 <b> AT&T",
    ],
    ["a mark that is none", "1 < 2 & 3 > 2 <3", "1 < 2 & 3 > 2 <3"],
    [
      "alternative texts of images",
      "<p>See <img src=x alt='the &quot;old&quot; pier'>here <img src=y alt=''></p>",
      'See the "old" pier here',
    ],
    ["what is typed into a form", "<textarea>a <b>\nc</textarea>", "a <b> c"],
    [
      "the title becomes the heading when the page has none",
      "<title>Tides &amp;\n times</title><p>High water.</p>",
      "# Tides & times\n\nHigh water.",
    ],
    [
      "a title repeated as a heading appears once",
      "<head><title>Tides</title></head><h1>Tides</h1>",
      "# Tides",
    ],
    ["a section of characters", "<p>a<![CDATA[ <b> & ]]>c</p>", "a <b> & c"],
    ["what follows a comment that never ends", "<!-- <p>shown", "shown"],
    ["what follows a quote that never ends", '<a href="foo>text</a> more', "text more"],
    ["a > in an attribute", "<p title=\"a > b\" class='c > d'>text", "text"],
    ["what a truncated page has", "<h1>Head</h1><p>body <a hr", "# Head\n\nbody"],
    ["a body without its tag", "<head><style>p{}</style><p>text", "text"],
    [
      "self-closing elements, as in XML",
      "<?xml version='1.0'?><html><head><script src='x'/><title/></head><div/><p>one<a id='x'/> " +
        "two</p><svg:text>three</svg:text></html>",
      "one two\n\nthree",
    ],
    ["but not in HTML, where nothing ends so", "<div/>one<p/>two", "one\n\ntwo"],
    ["closing tags of nothing", "</p></div></table>text</b>", "text"],
    ["a closing tag stays in its cell", "<div><table><tr><td>a</div>b<td>c</table></div>", "ab\tc"],
  ];
  for (const [why, html, text] of cases) test(why, () => expect(page(html).text).toBe(text));
});

describe("what a page does not show", () => {
  const cases: [string, string][] = [
    ["scripts", "<script>if (a</b>/x) '</p>'</SCRIPT >"],
    ["a script that never ends", "seen<script>var x = '<p>';"],
    ["styles", "<style>p { color: red }</style>"],
    ["noscript", "<noscript><p>Switch it on</p></noscript>"],
    ["templates", "<template><p>{{name}}</p></template>"],
    ["comments", "<!-- <p>old</p> --><!-->"],
    ["declarations", "<!DOCTYPE html><?xml version='1.0'?>"],
    ["the head", "<head><meta name=x content=y><base href=z></head>"],
    ["the attribute hidden", "<div hidden>a<div>b</div>c</div>"],
    ["display: none", "<p style='color:red; display : none'>a<b>b</b></p>"],
    ["visibility: hidden", "<span style=visibility:hidden>a</span>"],
    ["hidden lists in lists", "<ul hidden><li>a<ul><li>b</ul><li>c</ul>"],
    ["frames", "<iframe><p>none</iframe>"],
    ["the title of a drawing", "<svg><title>drawing</title></svg>"],
  ];
  for (const [why, html] of cases)
    test(why, () =>
      expect(page(html.startsWith("seen") ? html : `${html}<p>seen`).text).toBe("seen"),
    );
});

test("an e-book part is parsed as XML, and its title is not shown", () => {
  expect(
    readXhtml(
      "<html><head><title>No</title><script/></head><body><h2>One</h2><p>text<span/></p></body></html>",
    ).map(({ text, level }) => [text, level]),
  ).toEqual([
    ["One", 2],
    ["text", null],
  ]);
});

test("headings have their offset and level", () => {
  const { text, headings } = page(
    "<title>Guide</title><h1>Use</h1><p>First.</p><h3> Of <br>boats </h3>text",
  );
  expect(headings.map(({ start, end, level }) => [text.slice(start, end), level])).toEqual([
    ["Guide", 1],
    ["Use", 1],
    ["Of boats", 3],
  ]);
});

describe("hostile markup costs linear time and loses no text", () => {
  const cases: [string, string, string][] = [
    ["deep elements", `${"<div>".repeat(100_000)}end`, "end"],
    ["deep lists", `${"<ul><li>".repeat(50_000)}end`, "end"],
    ["deep tables", `${"<table><tr><td>".repeat(50_000)}end`, "end"],
    ["paragraphs that never end", `${"<p>".repeat(200_000)}end`, "end"],
    ["elements that never end", `${"<b>".repeat(200_000)}end`, "end**"],
    ["crossed elements", `${"<div><span></div>".repeat(100_000)}end`, "end"],
    ["comments that never end", `${"<!--".repeat(250_000)}end`, "end"],
    ["sections that never end", `${"<![CDATA[".repeat(100_000)}end`, "end"],
    ["quotes that never end", `${"<a b='".repeat(100_001)}>end`, "end"],
    ["attributes without end", `<a ${"x ".repeat(500_000)}>end`, "end"],
    ["closing tags without end", `${"<i>".repeat(190)}${"</b>".repeat(1_000_000)}end`, "end*"],
    ["marks that are none", "<".repeat(300_000), "<".repeat(10)],
    ["a title that never ends", `${"<title>".repeat(100_000)}end`, "end"],
    ["more elements than are kept", `${"<p>word</p>".repeat(400_000)}end`, "end"],
  ];
  for (const [why, html, end] of cases)
    test(
      why,
      () => {
        expect(page(html).text).toEndWith(end);
      },
      20_000,
    );
});

test("cells that span thousands of rows and columns take little memory", async () => {
  const rows = "<tr><td>word".repeat(40_000);
  const spanning = "<tr><th>first<td colspan=1000 rowspan=10000>second";
  const { text } = await read(`<html><table>${spanning}${rows}</table>`);
  expect(text.slice(0, 60)).toStartWith("| first | second |\n| --- | --- |\n| word |  |\n");
  expect(text.length).toBeGreaterThan(40_000);
}, 60_000);

describe("the encoding of a page", () => {
  const russian = "Капитан порта подписал разрешение";
  const cases: [string, Uint8Array | string][] = [
    ["UTF-8 without a word", `<!doctype html><p>${russian}`],
    ["UTF-16", utf16(`<html><p>${russian}`)],
    ["a meta element", encodeAs("windows-1251", `<html><meta charset=windows-1251><p>${russian}`)],
    [
      "a meta http-equiv element",
      encodeAs(
        "koi8-r",
        `<html><meta http-equiv="Content-Type" content="text/html; charset=koi8-r"><p>${russian}`,
      ),
    ],
    [
      "an XML declaration",
      encodeAs("iso-8859-5", `<?xml version="1.0" encoding="ISO-8859-5"?><html><p>${russian}`),
    ],
    ["a page declared as Latin-1 that is UTF-8", `<html><meta charset="iso-8859-1"><p>${russian}`],
    [
      "a page declared as UTF-8 that is not",
      encodeAs("windows-1251", `<html><meta charset=utf-8><p>${russian}. ${russian}.`),
    ],
    [
      "an unknown encoding name",
      encodeAs("windows-1251", `<html><meta charset=martian><p>${russian}. ${russian}.`),
    ],
    ["no word at all", encodeAs("windows-1251", `<html><p>${russian}. ${russian}.`)],
  ];
  for (const [why, bytes] of cases)
    test(why, async () =>
      expect(await read(bytes)).toMatchObject({
        text: expect.stringContaining(russian),
        media_type: "text/html",
        warnings: [],
      }),
    );
});

describe("what counts as a page", () => {
  const cases: [string, string, string, string | null, string][] = [
    [
      "by its content, whatever its name",
      "notes.txt",
      '\n<!-- x --><!DOCTYPE HTML PUBLIC ""><p>text',
      null,
      "text/html",
    ],
    ["a part of one, by its name", "part.htm", "<div>text</div>", null, "text/html"],
    [
      "an HTML fragment, by its declared type",
      "part",
      "text<br>more",
      "text/html; charset=utf-8",
      "text/html",
    ],
    ["not a part of one under another name", "part.txt", "<div>text</div>", null, "text/plain"],
    [
      "not a Markdown file that begins with markup",
      "README.md",
      "<h1 align=center>text</h1>\n\n# Use",
      null,
      "text/markdown",
    ],
    ["not words under its name", "words.html", "just words", null, "text/plain"],
  ];
  for (const [why, name, bytes, declared_type, media_type] of cases)
    test(why, async () =>
      expect(await read(bytes, { name, declared_type })).toMatchObject({ media_type }),
    );
});

test("a page without text is refused as empty", async () => {
  expect(await fail("<html><script>draw()</script>")).toMatchObject({
    code: "empty",
    message: "This page has no text.",
  });
  expect(extraction.leftovers()).toEqual([]);
});
