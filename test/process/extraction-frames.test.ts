/** Blank pages cost little, and don't count towards the limit of recognised ones. */
import { afterAll, expect, test } from "bun:test";
import { testExtraction } from "../helpers/extraction";
import { buildPdf, setProse } from "../helpers/pdf";
import { crop, plain, scan, tiff, type Gray } from "../helpers/pictures";

const words = "The northern breakwater was inspected in March and found to be in good order.";
const [page] = (await scan(buildPdf(setProse([words], { size: 12 })))) as [Gray];
const picture = crop(page, 110, 96);
const timeout_ms = 120_000;

const white = plain(600, 400, 255);
const dusty: Gray = {
  ...white,
  pixels: white.pixels.map((_, at) => (at % 9_001 === 0 ? 0 : 255)),
};
const extraction = testExtraction({ limits: { ocr_pages_max: 2 } });
afterAll(() => extraction.stop());

const cases: [string, Gray[]][] = [
  ["without anything on them", [white, plain(600, 400, 250), white, plain(500, 400, 255)]],
  ["with the same dust on each", [dusty, dusty, dusty, dusty]],
];
for (const [why, blank] of cases)
  test(
    `pages of a TIFF file ${why}`,
    async () => {
      const { text, pages } = await extraction.read(tiff([...blank, picture]));
      expect(text.replaceAll("\n", " ")).toContain(words);
      expect(pages).toHaveLength(1);
      expect(pages[0]!.page).toBe(5);
    },
    timeout_ms,
  );

test(
  "blank pages of a scan are looked at up to five times the limit of the others",
  async () => {
    const blank = Array.from({ length: 12 }, () => ({ scan: white }));
    const { page_count, warnings } = await extraction.read(
      buildPdf([...setProse([words], { size: 12 }), ...blank]),
    );
    expect(page_count).toBe(13);
    expect(warnings.map(({ message }) => message).join()).toMatch(/12.*13/);
  },
  timeout_ms,
);
