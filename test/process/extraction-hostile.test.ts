/** Small files that say much, and long ones: they are read as far as makes sense, in little memory. */
import { afterAll, describe, expect, test } from "bun:test";
import { testExtraction } from "../helpers/extraction";
import { ap, docx, opendocument, pptx, relations, shape, slide, wp, xlsx } from "../helpers/office";
import { buildPdf } from "../helpers/pdf";
import { plain, png } from "../helpers/pictures";

const extraction = testExtraction();
const frugal = testExtraction({ limits: { memory_max_bytes: 330 * 1024 ** 2 } });
const ample = testExtraction({ limits: { memory_max_bytes: 530 * 1024 ** 2 } });
afterAll(async () => {
  for (const each of [extraction, frugal, ample]) await each.stop();
});
const { read, fail } = extraction;
const timeout_ms = 120_000;

describe("Word", () => {
  const gridBefore = `<w:gridBefore w:val="60"/>`.repeat(20);
  const row = `<w:tr><w:trPr>${gridBefore}</w:trPr><w:tc>${wp("y")}</w:tc></w:tr>`;
  test(
    "empty columns before the cells of sixty thousand rows",
    async () => {
      const { text } = await read(docx(`<w:tbl>${row.repeat(60_000)}</w:tbl>${wp("end")}`));
      expect(text.slice(-10)).toEndWith("end");
    },
    timeout_ms,
  );
  test("an embedded document that is referred to again and again is read once", async () => {
    const chunks = `<w:altChunk r:id="c1"/>`.repeat(1_000);
    const file = docx(
      wp("Before") + chunks + wp("After"),
      { "word/a.html": "<p>Inside" },
      { c1: ["aFChunk", "a.html"] },
    );
    expect((await read(file)).text).toBe("Before\n\nInside\n\nAfter");
  });
});

test("a diagram of PowerPoint that contains itself", async () => {
  const inside = `${shape(ap("Harbour"))}<dgm:relIds r:dm="d1"/><dgm:relIds r:dm="d1"/>`;
  const related = relations({ d1: ["diagramData", "slide1.xml"] });
  const file = pptx([slide(inside)], { "ppt/slides/_rels/slide1.xml.rels": related });
  expect((await read(file)).text).toStartWith("Harbour");
});

describe("OpenDocument", () => {
  const cell = `<table:table-cell table:number-columns-repeated="50" office:value="1"/>`;
  const repeated = `<table:table-row table:number-rows-repeated="50">${cell}</table:table-row>`;
  test(
    "rows of repeated cells that are repeated",
    async () => {
      const sheet = `<table:table table:name="S">${repeated.repeat(20_000)}</table:table>`;
      const { text } = await read(opendocument("spreadsheet", sheet));
      expect(text.split("\n").length).toBeGreaterThan(20_000);
    },
    timeout_ms,
  );
  test(
    "hundreds of thousands of sheets",
    async () => {
      const sheet =
        `<table:table table:name="S"><table:table-row><table:table-cell office:value="1"/>` +
        `</table:table-row></table:table>`;
      const { code, message } = await fail(opendocument("spreadsheet", sheet.repeat(300_000)));
      expect([code, message]).toEqual(["too_large", expect.stringContaining("20000 sheets")]);
    },
    timeout_ms,
  );
  test(
    "repeated cells in the rows of a text",
    async () => {
      const cells = `<table:table-cell table:number-columns-repeated="1000"/>`.repeat(50);
      const rows = `<table:table-row>${cells}</table:table-row>`.repeat(15_000);
      const { text } = await read(
        opendocument("text", `<table:table>${rows}</table:table><text:p>end</text:p>`),
      );
      expect(text.slice(-10)).toEndWith("end");
    },
    timeout_ms,
  );
});

test(
  "a sheet of two hundred thousand rows",
  async () => {
    const rows = Array.from({ length: 200_000 }, (_, row) => {
      const cells = Array.from({ length: 7 }, (_, column) => {
        const place = `${"ABCDEFG"[column]}${row + 1}`;
        return `<c r="${place}"><v>${((row + 1) * 7_919 + column * 31) % 100_000}</v></c>`;
      });
      return `<row r="${row + 1}">${cells.join("")}</row>`;
    });
    const { text } = await ample.read(xlsx({ S: rows.join("") }));
    expect(text.split("\n")).toHaveLength(200_003);
  },
  timeout_ms,
);

test("a picture one pixel wide and a million high", async () => {
  expect(await fail(png(plain(1, 1_000_000, 255)))).toMatchObject({
    code: "too_large",
    message: expect.stringContaining("1 × 1000000 pixels"),
  });
});

describe("PDF", () => {
  test(
    "a page with twenty thousand notes",
    async () => {
      const note = "/Subtype /Text /Rect [0 0 10 10] /Contents (x)";
      const annotations = Array.from({ length: 20_000 }, () => note);
      const lines = [{ x: 60, y: 700, text: "Deep" }];
      expect((await frugal.read(buildPdf([{ lines, annotations }]))).text).toStartWith("Deep");
    },
    timeout_ms,
  );
  test(
    "many pages that are recognised one after the other",
    async () => {
      const lines = [{ x: 60, y: 700, size: 20, text: "Deep" }];
      const { page_count, warnings } = await frugal.read(
        buildPdf(Array.from({ length: 20 }, () => ({ lines }))),
      );
      expect([page_count, warnings]).toEqual([20, []]);
    },
    timeout_ms,
  );
});
