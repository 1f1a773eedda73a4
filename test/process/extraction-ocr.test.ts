/**
 * Pictures of text: images and scanned pages, however they are rotated; what could not be read is
 * reported.
 */
import { ProcessClock, type RunClock } from "../../core/isolate/run-clock";
import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newId } from "../../core/base/ids";
import { TaskFailure } from "../../core/isolate/contract";
import type { Extracted, ExtractionCode } from "../../plugins/extraction/contract";
import { readHeader } from "../../plugins/extraction/image/header";
import { parseHocr } from "../../plugins/extraction/ocr/hocr";
import type { PageMessage, PagesInput } from "../../plugins/extraction/child/page-output";
import { pdfExtractor } from "../../plugins/extraction/pdf/extractor";
import { rotated } from "../../plugins/extraction/ocr/rotation";
import { testExtraction } from "../helpers/extraction";
import { buildPdf, setProse, type PdfPage } from "../helpers/pdf";
import {
  crop,
  deflated,
  jpeg,
  jpegStrips,
  plain,
  png,
  scan,
  tiff,
  turn,
  webp,
  withOrientation,
  type Gray,
} from "../helpers/pictures";

const extraction = testExtraction();
afterAll(() => extraction.stop());
const { read, fail } = extraction;
const timeout_ms = 120_000;

const words = "The northern breakwater was inspected in March and found to be in good order.";
const more = "Repairs of the second mooring begin after the autumn storms have passed.";
const paragraphs = [
  words,
  "The dredging contract was awarded to the lowest of three bidders, who has to begin within a " +
    "month and to end before winter comes.",
  more,
];
const [page, second] = (await scan(
  buildPdf([...setProse(paragraphs, { size: 12, gap: 12 }), ...setProse([more], { size: 12 })]),
)) as [Gray, Gray];
/** The first line of the page: quicker to recognise. */
const picture = crop(page, 110, 96);
const other = crop(second, 110, 96);
/** Enough of it to tell which way it is turned. */
const upper = crop(page, 110, 300);
/** At the top of a larger sheet. */
function onWhite({ width, height, pixels }: Gray, wide: number, high: number): Gray {
  const sheet = plain(wide, high, 255);
  for (let row = 0; row < height; row++)
    sheet.pixels.set(pixels.subarray(row * width, (row + 1) * width), row * wide);
  return sheet;
}
const white = plain(600, 400, 255);
const noise: Gray = {
  ...white,
  pixels: white.pixels.map((_, index) => ((index * 2654435761) >>> 13) & 255),
};

const cells = [
  ["Crane", "Load", "Rope"],
  ["Alder", "40", "worn"],
  ["Birch", "", "good"],
];
const [dots, left, top] = [200 / 72, 60, 760];
const [wide, high] = [90, 24];
const placed = cells.flatMap((row, at) =>
  row.map((text, column) => ({
    x: left + column * wide + 8,
    y: top - at * high - 17,
    size: 12,
    text,
  })),
);
const below = { x: left, y: top - 110, size: 12, text: "All cranes are inspected in spring." };
/** A page with a table without lines, and a sentence below it. */
const [unruled] = (await scan(buildPdf([{ lines: [...placed, below] }]))) as [Gray];

const flat = (text: string): string => text.replace(/\s+/g, " ");
const pagesOf = ({ text, pages }: Extracted): Record<number, string> =>
  Object.fromEntries(pages.map((span) => [span.page, flat(text.slice(span.start, span.end))]));

describe("an image", () => {
  const cases: [string, () => Uint8Array | Promise<Uint8Array>, string][] = [
    ["PNG", () => png(picture), "image/png"],
    ["JPEG", () => jpeg(picture), "image/jpeg"],
    ["WebP", () => webp(picture), "image/webp"],
    ["TIFF, Intel", () => tiff([picture]), "image/tiff"],
    ["TIFF, Motorola", () => tiff([picture], { little: false }), "image/tiff"],
    ["TIFF, deflated", () => tiff([deflated(picture)]), "image/tiff"],
    [
      "TIFF, deflate with predictor, big-endian",
      () => tiff([deflated(picture, { differences: true })], { little: false }),
      "image/tiff",
    ],
    ["TIFF with JPEG inside", async () => tiff([await jpegStrips(picture)]), "image/tiff"],
    [
      "TIFF with JPEG and shared tables",
      async () => tiff([await jpegStrips(picture, { shared: true })]),
      "image/tiff",
    ],
    [
      "TIFF with JPEG, rotated",
      async () => tiff([{ ...(await jpegStrips(turn(picture, 3))), orientation: 6 }]),
      "image/tiff",
    ],
    [
      "rotated, according to its EXIF",
      async () => withOrientation(await jpeg(turn(picture, 3)), 6),
      "image/jpeg",
    ],
    [
      "upside down, according to its EXIF in the other byte order",
      async () => withOrientation(await jpeg(turn(picture, 2)), 3, true),
      "image/jpeg",
    ],
    [
      "TIFF with an orientation tag",
      () => tiff([{ ...turn(picture, 3), orientation: 6 }]),
      "image/tiff",
    ],
    [
      "so small that it must be enlarged",
      () => new Bun.Image(png(picture)).resize(560).png().bytes(),
      "image/png",
    ],
    ["so large that it must be shrunk", () => png(onWhite(picture, 3_100, 3_000)), "image/png"],
  ];
  for (const [why, make, media_type] of cases) {
    test(
      `is read: ${why}`,
      async () => {
        const found = await read(await make(), { name: "a.txt" });
        expect(flat(found.text)).toStartWith(words);
        expect(found).toMatchObject({
          media_type,
          page_count: 1,
          pages: [{ page: 1, start: 0, end: found.text.length }],
          warnings: [],
        });
      },
      timeout_ms,
    );
  }

  const lying: [string, () => Uint8Array | Promise<Uint8Array>][] = [
    ["turned clockwise", () => png(turn(upper, 1))],
    ["upside down", () => png(turn(upper, 2))],
    ["turned counter-clockwise", () => png(turn(upper, 3))],
    ["turned, and its EXIF is wrong", async () => withOrientation(await jpeg(turn(upper, 1)), 6)],
  ];
  for (const [why, make] of lying) {
    test(
      `is rotated, with a warning: ${why}`,
      async () => {
        const found = await read(await make());
        expect(flat(found.text)).toStartWith(words);
        expect(found.warnings).toEqual([
          {
            code: "page_turned",
            message: "Page 1 is sideways or upside down, and was rotated for reading.",
            page: 1,
          },
        ]);
      },
      timeout_ms,
    );
  }

  test(
    "keeps paragraphs apart",
    async () => {
      expect((await read(png(page))).text.split("\n\n").map(flat)).toEqual(paragraphs);
    },
    timeout_ms,
  );

  test(
    "of two columns is read column by column",
    async () => {
      const column = (x: number, text: string): PdfPage => ({
        lines: setProse([text.repeat(4)], { columns: 2, size: 11 })[0]!.lines!.map((line) => ({
          ...line,
          x,
          size: 10,
        })),
      });
      const [columns] = await scan(
        buildPdf([
          { lines: [...column(50, `${words} `).lines!, ...column(330, `${more} `).lines!] },
        ]),
      );
      expect(flat((await read(png(columns!))).text)).toBe(
        `${words} `.repeat(4) + `${more} `.repeat(4).trim(),
      );
    },
    timeout_ms,
  );
});

describe("a table on a scan", () => {
  /** With lines around the cells, `thickness` pixels thick; a dashed one is there every other 8. */
  function ruled(thickness: number, dashed = false): Gray {
    const pixels = Uint8Array.from(unruled.pixels);
    const draw = (x: number, y: number, across: number, down: number): void => {
      for (let row = y; row < y + down; row++)
        for (let column = x; column < x + across; column++)
          if (!dashed || Math.floor((column + row) / 8) % 2 === 0)
            pixels[row * unruled.width + column] = 0;
    };
    const xOf = (column: number): number => Math.round((left + column * wide) * dots);
    const yOf = (row: number): number => Math.round((842 - top + row * high) * dots);
    for (let row = 0; row <= 3; row++) draw(xOf(0), yOf(row), xOf(3) - xOf(0), thickness);
    for (let column = 0; column <= 3; column++)
      draw(xOf(column), yOf(0), thickness, yOf(3) - yOf(0) + thickness);
    return { ...unruled, pixels };
  }
  /** With the header row as light letters on a dark background. */
  function darkHead(): Gray {
    const { width, pixels, ...size } = ruled(2);
    const from = Math.round((842 - top) * dots);
    const to = Math.round((842 - top + high) * dots);
    const [first, last] = [Math.round(left * dots), Math.round((left + 3 * wide) * dots)];
    for (let row = from; row < to; row++)
      for (let at = row * width + first; at < row * width + last; at++)
        pixels[at] = 255 - pixels[at]!;
    return { ...size, width, pixels };
  }
  const part = (whole: Gray): Gray => crop(whole, 180, 420);
  const cases: [string, () => Gray][] = [
    ["thin lines", () => ruled(2)],
    ["thick lines, askew", () => rotated(ruled(7), 0.9, 255)],
    ["dashed lines", () => ruled(2, true)],
    ["a dark head", darkHead],
  ];
  for (const [why, make] of cases) {
    test(
      `is a pipe table: ${why}`,
      async () => {
        const { text, warnings } = await read(png(part(make())));
        expect(text.split("\n\n")).toEqual([
          "| Crane | Load | Rope |\n| --- | --- | --- |\n| Alder | 40 | worn |\n| Birch |  | good |",
          below.text,
        ]);
        expect(warnings).toEqual([]);
      },
      timeout_ms,
    );
  }

  test(
    "whose letters can't be read gives a warning",
    async () => {
      const scrawled = ruled(2);
      const [x, y] = [
        Math.round((left + wide) * dots) + 40,
        Math.round((842 - top + 2 * high) * dots),
      ];
      for (let row = y + 12; row < y + 52; row++)
        for (let at = x; at < x + 90; at++)
          if ((row * at) % 7 < 3) scrawled.pixels[row * unruled.width + at] = 0;
      expect((await read(png(part(scrawled)))).warnings).toEqual([
        {
          code: "table_incomplete",
          message:
            "Page 1 has a table with characters that could not be read. " +
            "Cells may be missing or empty.",
          page: 1,
        },
      ]);
    },
    timeout_ms,
  );
});

describe("a TIFF of several frames", () => {
  test(
    "has a page for each frame, without thumbnails",
    async () => {
      const progress: number[] = [];
      const found = await read(
        tiff([picture, { ...crop(picture, 0, 10), preview: true }, white, other]),
        { onProgress: (done) => progress.push(done) },
      );
      expect(pagesOf(found)).toEqual({ 1: expect.stringContaining(words), 3: more });
      expect(found.page_count).toBe(3);
      expect(progress.map((done) => Math.round(done * 3))).toEqual([1, 2, 3]);
    },
    timeout_ms,
  );

  test(
    "that loops back to its first frame ends",
    async () => {
      expect(pagesOf(await read(tiff([picture, other], { loop: true })))).toEqual({
        1: expect.stringContaining(words),
        2: more,
      });
    },
    timeout_ms,
  );

  test(
    "leaves out oversized frames with a warning",
    async () => {
      const bytes = Buffer.from(tiff([picture, other]));
      bytes.writeUInt32LE(1_000_000, 8 + 2 + 12 + 8); // The width of the first.
      const found = await read(bytes);
      expect(pagesOf(found)).toEqual({ 2: more });
      expect(found.warnings).toEqual([
        {
          code: "page_too_large",
          message: "Page 1 has too many pixels and was left out.",
          page: 1,
        },
      ]);
    },
    timeout_ms,
  );
});

describe("an image without text says why", () => {
  const header = (file: Uint8Array, at: number, ...bytes: number[]): Uint8Array => {
    const changed = new Uint8Array(file);
    changed.set(bytes, at);
    return changed;
  };
  const cases: [string, () => Uint8Array | Promise<Uint8Array>, ExtractionCode, RegExp][] = [
    ["blank", () => png(white), "empty", /^No text was found in this image\.$/],
    ["noise", () => png(noise), "empty", /text/],
    ["a single white pixel", () => png(plain(1, 1, 255)), "empty", /No text/],
    ["every frame blank", () => tiff([white, white]), "empty", /No text was found on any page/],
    ["cut off in its header", () => png(picture).subarray(0, 20), "corrupt", /damaged/],
    ["cut off behind it", () => png(picture).subarray(0, 60), "corrupt", /damaged/],
    [
      "a JPEG without a picture",
      async () => (await jpeg(picture)).subarray(0, 30),
      "corrupt",
      /damaged/,
    ],
    [
      "a TIFF without a frame",
      () => header(tiff([picture]), 4, 255, 255, 255, 0),
      "corrupt",
      /damaged/,
    ],
    ["no height", () => header(png(picture), 20, 0, 0, 0, 0), "corrupt", /damaged/],
    [
      "a PNG that claims to be huge",
      () => header(png(picture), 16, 0, 0, 117, 48, 0, 0, 117, 48),
      "too_large",
      /^This image has 30000 × 30000 pixels, which is more than the limit of 50 million\.$/,
    ],
    [
      "a GIF that claims to be huge",
      () => header(Buffer.from("GIF89a\0\0\0\0\0\0\0\0\0\0\0\0", "latin1"), 6, 255, 255, 255, 255),
      "too_large",
      /65535 × 65535/,
    ],
  ];
  for (const [why, make, code, message] of cases) {
    test(
      why,
      async () => {
        const failure = await fail(await make());
        expect([failure.code, failure.message]).toEqual([code, expect.stringMatching(message)]);
        expect(extraction.leftovers()).toEqual([]);
      },
      timeout_ms,
    );
  }
});

describe("a scanned PDF", () => {
  test(
    "is read page by page beside pages with text",
    async () => {
      const progress: number[] = [];
      const found = await read(
        buildPdf([
          { scan: page },
          { lines: [{ x: 60, y: 700, text: "A page with a text layer." }] },
          {},
          { scan: second },
        ]),
        { onProgress: (done) => progress.push(done) },
      );
      expect(pagesOf(found)).toEqual({
        1: paragraphs.join(" "),
        2: "A page with a text layer.",
        4: more,
      });
      expect(found).toMatchObject({ media_type: "application/pdf", page_count: 4, warnings: [] });
      expect(progress).toEqual([0.25, 0.5, 0.75, 1]);
    },
    timeout_ms,
  );

  const cases: [string, () => PdfPage, string][] = [
    ["a viewer turns it", () => ({ scan: turn(second, 1), rotate: 270 }), more],
    ["it lies upside down", () => ({ scan: turn(second, 2) }), more],
    [
      "it has a stamp as its text layer",
      () => ({ scan: second, lines: [{ x: 60, y: 40, text: "Page 1 of 1" }] }),
      more,
    ],
    [
      "its letters have no Unicode mapping",
      () => ({
        lines: [{ x: 60, y: 700, size: 14, text: "WITHOUT A MEANING" }],
        meaningless: true,
      }),
      "WITHOUT A MEANING",
    ],
    [
      "its letters map to the wrong characters",
      () => ({
        lines: [words, more].map((text, at) => ({
          x: 40,
          y: 700 - 30 * at,
          size: 12,
          text: text.toLowerCase(),
        })),
        meaningless: true,
      }),
      "the northern breakwater was inspected in march",
    ],
  ];
  for (const [why, make, expected] of cases) {
    test(
      `is read although ${why}`,
      async () => {
        expect(flat((await read(buildPdf([make()]))).text)).toContain(expected);
      },
      timeout_ms,
    );
  }

  test(
    "a text layer that matches the picture is kept",
    async () => {
      const [text] = setProse([more], { size: 12 });
      const [drawn] = await scan(buildPdf([text!]));
      expect(
        (
          await read(
            buildPdf([
              { scan: drawn!, lines: [{ x: 60, y: 782, size: 12, text: more.toUpperCase() }] },
            ]),
          )
        ).text,
      ).toBe(more.toUpperCase());
    },
    timeout_ms,
  );

  test(
    "beyond the page limit for OCR names the pages left out",
    async () => {
      const few = testExtraction({ limits: { ocr_pages_max: 1 } });
      const { pages, warnings } = await few.read(
        buildPdf([
          { scan: second },
          { scan: second },
          { lines: [{ x: 60, y: 700, text: "Text all the same." }] },
          { scan: second },
        ]),
      );
      await few.stop();
      expect(pages.map((span) => span.page)).toEqual([1, 3]);
      expect(warnings).toEqual([
        {
          code: "page_without_text",
          message:
            "Pages 2 and 4 are pictures without text, and were not read because the file has too many " +
            "such pages.",
          page: null,
        },
      ]);
    },
    timeout_ms,
  );
});

describe("unreliable text is reported", () => {
  /** Reduces the resolution without smoothing. */
  const coarse = ({ width, height, pixels }: Gray, factor: number): Gray => {
    const [across, down] = [Math.floor(width / factor), Math.floor(height / factor)];
    return {
      width: across,
      height: down,
      pixels: Uint8Array.from(
        { length: across * down },
        (_, at) =>
          pixels[
            Math.floor(Math.floor(at / across) * factor) * width +
              Math.floor((at % across) * factor)
          ]!,
      ),
    };
  };
  const text: PdfPage = { lines: [{ x: 60, y: 700, text: "Text." }] };

  test(
    "barely legible letters are kept with a warning",
    async () => {
      const found = await read(buildPdf([text, { scan: coarse(page, 3.3) }]));
      expect(found.pages.map((span) => span.page)).toEqual([1, 2]);
      expect(found.warnings).toEqual([
        {
          code: "low_confidence",
          message: "Page 2 was hard to recognise. Its text may contain errors.",
          page: 2,
        },
      ]);
    },
    timeout_ms,
  );

  test(
    "illegible letters are left out",
    async () => {
      const found = await read(buildPdf([text, { scan: coarse(upper, 4.5) }]));
      expect(found.text).toBe("Text.");
      expect(found.warnings.map(({ code, page: number }) => [code, number])).toEqual([
        ["page_unreadable", 2],
      ]);
    },
    timeout_ms,
  );
});

describe("languages", () => {
  test(
    "one in the directory is used, and a broken one is named",
    async () => {
      const english = Bun.gunzipSync(
        await Bun.file(
          join(
            import.meta.dir,
            "../../node_modules/@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz",
          ),
        ).bytes(),
      );
      writeFileSync(join(extraction.languages, "harbour.traineddata"), english);
      writeFileSync(join(extraction.languages, "broken.traineddata"), english.subarray(0, 1_000));
      writeFileSync(join(extraction.languages, "notes.txt"), "no language");
      const found = await read(png(picture));
      expect(flat(found.text)).toStartWith(words);
      expect(found.warnings).toEqual([
        {
          code: "language_unusable",
          message: "The file broken.traineddata can't be used for text recognition.",
          page: null,
        },
      ]);
    },
    timeout_ms,
  );
});

describe("form fields and annotations of a PDF", () => {
  const line = { x: 60, y: 700, text: "Full name:" };
  const rect = "/Rect [100 690 300 710]";
  const cases: [string, string[], string][] = [
    [
      "a field without an appearance",
      [`/Subtype /Widget /FT /Tx /T (name) /V (Ada Lovelace) ${rect}`],
      "Full name:\n\nAda Lovelace",
    ],
    [
      "a choice",
      [`/Subtype /Widget /FT /Ch /Ff 131072 /Opt [(red) (green)] /T (colour) /V (green) ${rect}`],
      "Full name:\n\ngreen",
    ],
    [
      "a note",
      [`/Subtype /Text /Contents (Ask the harbour master.) ${rect}`],
      "Full name:\n\nAsk the harbour master.",
    ],
    [
      "a repeated text appears once",
      [`/Subtype /Text /Contents (Ask.) ${rect}`, `/Subtype /Highlight /Contents (Ask.) ${rect}`],
      "Full name:\n\nAsk.",
    ],
    ["a hidden note is left out", [`/Subtype /Text /F 2 /Contents (Secret) ${rect}`], "Full name:"],
    [
      "a password field is left out",
      [`/Subtype /Widget /FT /Tx /Ff 8192 /T (word) /V (sesame) ${rect}`],
      "Full name:",
    ],
    ["nor the description of a link", [`/Subtype /Link /Contents (A link) ${rect}`], "Full name:"],
  ];
  for (const [why, annotations, expected] of cases) {
    test(why, async () => {
      expect((await read(buildPdf([{ lines: [line], annotations }]))).text).toBe(expected);
    });
  }

  test("a note's drawn appearance takes precedence over its text", async () => {
    const forms = ["BT /F1 11 Tf 1 0 0 1 20 20 Tm (Checked by Ada) Tj ET"];
    const annotations = [`/Subtype /Stamp /AP << /N 9 0 R >> ${rect}`];
    expect((await read(buildPdf([{ lines: [line], annotations }], { forms }))).text).toMatch(
      /^Full name:\s+Checked by Ada$/,
    );
  });
});

describe("a page that is too slow", () => {
  /** Reads eight pages, of which some are never finished. */
  async function readWith(
    slow: readonly number[],
  ): Promise<{ starts: number[]; found: Promise<Extracted> }> {
    const starts: number[] = [];
    const isolate = async (
      _task: string,
      { output, first_page }: PagesInput,
      {
        onMessage: onTimed,
        signal,
      }: { onMessage: (message: PageMessage, clock: RunClock) => void; signal: AbortSignal },
    ) => {
      const clock = new ProcessClock(process.pid);
      const onMessage = (message: PageMessage) => onTimed(message, clock);
      starts.push(first_page);
      onMessage({ step: "started" });
      onMessage({ step: "opened", page_count: 8 });
      let text = "";
      for (let number = first_page; number <= 8; number++) {
        onMessage({ step: "recognising", page: number });
        if (slow.includes(number)) {
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          throw new TaskFailure("aborted", "");
        }
        const start = text === "" ? 0 : text.length + 2;
        text += `${text === "" ? "" : "\n\n"}page ${number}`;
        writeFileSync(output, text);
        onMessage({
          step: "page",
          page: number,
          kind: "text",
          doubtful: number === 3,
          start,
          end: text.length,
          bytes: text.length,
        });
      }
    };
    const limits = {
      memory_max_bytes: 1,
      pages_max: 9,
      ocr_pages_max: 9,
      ocr_page_timeout_ms: 20,
      characters_max: 1_000,
      timeout_ms: 60_000,
      page_timeout_ms: 1,
      timeout_max_ms: 60_000,
    };
    const extractor = pdfExtractor({
      isolate: isolate as never,
      newId,
      paths: { data: "", database: "", temporary: process.env.TMPDIR ?? "/tmp" },
      limits: () => limits,
    });
    const found = extractor.extract(
      { path: "", size_bytes: 1, name: "", declared_type: null },
      { signal: new AbortController().signal, onProgress: () => {} },
    );
    await found.catch(() => undefined);
    return { starts, found };
  }
  const doubtful = {
    code: "low_confidence",
    message: "Page 3 was hard to recognise. Its text may contain errors.",
    page: 3,
  };

  test("is skipped by a new child that goes on after it, up to a limit", async () => {
    const { starts, found } = await readWith([2, 4, 5, 7]);
    expect(starts).toEqual([1, 3, 5, 6]);
    expect(pagesOf(await found)).toEqual({ 1: "page 1", 3: "page 3", 6: "page 6" });
    expect((await found).warnings).toEqual([
      doubtful,
      {
        code: "page_timed_out",
        message: "Pages 2, 4 and 5 took too long to recognise and were left out.",
        page: null,
      },
      {
        code: "partly_read",
        message:
          "Only the first 6 of 8 pages were read. Reading the file took longer than 0.02 s and " +
          "was stopped.",
        page: 6,
      },
    ]);
  });
  test("loses only itself when it comes first", async () => {
    const { starts, found } = await readWith([1]);
    expect(starts).toEqual([1, 2]);
    expect((await found).pages.map((span) => span.page)).toEqual([2, 3, 4, 5, 6, 7, 8]);
    expect((await found).warnings).toEqual([
      doubtful,
      {
        code: "page_timed_out",
        message: "Page 1 took too long to recognise and was left out.",
        page: 1,
      },
    ]);
  });
  test("fails the file when the next is slow too and nothing was read yet", async () => {
    const { starts, found } = await readWith([1, 2]);
    expect(starts).toEqual([1, 2]);
    await expect(found).rejects.toMatchObject({
      code: "timeout",
      message: "Recognising the text of this PDF took too long and was stopped.",
    });
  });
});

describe("the header of an image", () => {
  const riff = (chunk: string, body: number[]): Uint8Array =>
    Buffer.concat([
      Buffer.from("RIFF\0\0\0\0WEBP", "latin1"),
      Buffer.from(chunk, "latin1"),
      Buffer.from([body.length, 0, 0, 0, ...body]),
    ]);
  const cases: [string, Uint8Array, Parameters<typeof readHeader>[1], [number, number]][] = [
    [
      "WebP, lossy",
      riff("VP8 ", [0, 0, 0, 0x9d, 1, 0x2a, 0x20, 3, 0x58, 2]),
      "image/webp",
      [800, 600],
    ],
    ["WebP without losses", riff("VP8L", [0x2f, 0x1f, 0xc3, 0x95, 0]), "image/webp", [800, 600]],
    [
      "WebP, extended",
      riff("VP8X", [0, 0, 0, 0, 0x1f, 3, 0, 0x57, 2, 0]),
      "image/webp",
      [800, 600],
    ],
    [
      "bitmap, upside down",
      Buffer.concat([
        Buffer.from("BM\0\0\0\0\0\0\0\0\0\0\0\0", "latin1"),
        Buffer.from([40, 0, 0, 0, 0x20, 3, 0, 0, 0xa8, 0xfd, 0xff, 0xff]),
      ]),
      "image/bmp",
      [800, 600],
    ],
  ];
  for (const [why, bytes, type, [width, height]] of cases) {
    test(why, () =>
      expect(readHeader(bytes, type)).toEqual({
        orientation: 1,
        frames: [{ width, height, at: 0 }],
      }),
    );
  }
});

test("words are separated by spaces, ideographs are not", () => {
  const word = (text: string, at: number): string =>
    `<span class='ocrx_word' id='w' title='bbox ${at} 10 ${at + 9} 20; x_wconf 90'>${text}</span>`;
  const hocr = [
    "<span class='ocr_line' id='l' title=\"bbox 0 10 60 22; baseline 0 -2; x_size 12\">",
    word("港口", 0),
    word("批准", 10),
    word("R&amp;D", 20),
    word("harb-", 30),
    "</span>",
  ].join("\n");
  expect(parseHocr(hocr)).toEqual([
    {
      text: "港口批准 R&D harb",
      hyphenated: true,
      left: 0,
      right: 39,
      base: -20,
      size: 12,
      weight: 0,
      confidence: 90,
      words: expect.anything(),
    },
  ]);
});
