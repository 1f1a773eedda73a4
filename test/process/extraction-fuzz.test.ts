/**
 * Randomly damaged files of every kind: each is read or refused with a message; nothing hangs,
 * crashes or is left behind.
 */
import { afterAll, expect, test } from "bun:test";
import { ExtractionFailure, type Extracted } from "../../plugins/extraction/contract";
import { biff, doc, ppt, text as slideText, xls, xlString, u16, u32 } from "../helpers/compound";
import { encodeAs, utf16 } from "../helpers/encode";
import { testExtraction } from "../helpers/extraction";
import {
  ap,
  docx,
  epub,
  opendocument,
  pptx,
  shape,
  sharedStrings,
  slide,
  wp,
  wtable,
  xlsx,
} from "../helpers/office";
import { buildPdf, pdf } from "../helpers/pdf";
import { jpeg, png, scan, tiff, webp } from "../helpers/pictures";

const seed = Number(process.env["DOSSIER_FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
/** How often each file is damaged. `npm run test:long` tries many more. */
const times = Number(
  process.env["DOSSIER_FUZZ_TIMES"] ?? (process.env.DOSSIER_TEST_LONG === "all" ? 200 : 6),
);

/** Pseudorandom numbers, the same for the same seed. */
function seededRandom(from: number): (below: number) => number {
  let state = from >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const words = "The harbour master signed the entry permit; the tidal gauge reads 4.72 metres. ";
async function originals(): Promise<[string, Uint8Array][]> {
  const [picture] = await scan(pdf([["Gannet Buoy", "Puffin Ring"]]));
  const small = {
    width: 400,
    height: 200,
    pixels: Uint8Array.from(
      { length: 80_000 },
      (_, at) => picture!.pixels[Math.floor(at / 400) * picture!.width + (at % 400)] ?? 255,
    ),
  };
  const utf8 = (text: string) => new TextEncoder().encode(text);
  const page =
    `<!doctype html><html><head><title>T</title></head><body><h1>Head</h1><p>` +
    `${words.repeat(5)}<table><tr><td>a<td>b</table><ul><li>x<li>y</ul><script>var a = ` +
    `"<p>";</script></body></html>`;
  const report = docx(wp(words) + wtable(["a", "b"], ["c", "d"]));
  const mail = [
    "From: a@example.org",
    "To: b@example.org",
    "Subject: =?utf-8?q?Re=3A_depths?=",
    "MIME-Version: 1.0",
    "Content-Type: multipart/mixed; boundary=XX",
    "",
    "--XX",
    "Content-Type: text/html",
    "",
    page,
    "--XX",
    "Content-Type: application/octet-stream",
    "Content-Transfer-Encoding: base64",
    "Content-Disposition: attachment; filename=report.docx",
    "",
    Buffer.from(report).toString("base64").replace(/.{76}/g, "$&\r\n"),
    "--XX--",
    "",
  ].join("\r\n");
  return [
    ["report.pdf", pdf([[words.repeat(3)], [words]])],
    ["locked.pdf", buildPdf([{ lines: [{ x: 60, y: 700, text: "x" }] }], { password: "x" })],
    ["scan.pdf", buildPdf([{ picture: true }])],
    ["a.docx", report],
    ["a.pptx", pptx([slide(shape(ap(words))), slide(shape(ap("two")))])],
    [
      "a.xlsx",
      xlsx(
        { One: '<row><c t="s"><v>0</v></c><c><v>4.5</v></c></row>' },
        { "xl/sharedStrings.xml": sharedStrings("word", "other") },
        { strings: ["sharedStrings", "sharedStrings.xml"] },
      ),
    ],
    [
      "a.odt",
      opendocument("text", `<text:h text:outline-level="1">Head</text:h><text:p>${words}</text:p>`),
    ],
    ["a.epub", epub([`<h1>One</h1><p>${words}</p>`])],
    ["a.doc", doc(words.repeat(4))],
    ["a.ppt", ppt([{ id: 256, outline: [slideText(0, "Title"), slideText(1, words)] }])],
    [
      "a.xls",
      xls([
        [
          "One",
          biff(0x204, u16(0), u16(0), u16(0), xlString("cell")),
          biff(0x203, u16(1), u16(0), u16(0), u32(0), u32(0)),
        ],
      ]),
    ],
    [
      "a.rtf",
      utf8(
        `{\\rtf1\\ansi\\ansicpg1251{\\fonttbl{\\f0 Arial;}}\\pard ${words}\\par {\\b bold} \\u1050?\\'e0\\par\\trowd\\cellx1\\intbl a\\cell b\\cell\\row}`,
      ),
    ],
    ["a.html", utf8(page)],
    [
      "cyrillic.html",
      encodeAs("windows-1251", "<html><meta charset=windows-1251><p>Капитан порта</html>"),
    ],
    ["a.eml", utf8(mail)],
    ["a.csv", utf8('name,note\n"Post, Skua","says ""no"""\n'.repeat(20))],
    ["a.json", utf8(JSON.stringify({ a: [1, { b: words }], c: "\u041a" }))],
    ["a.md", utf8(`# Head\n\n${words}\n\n\`\`\`\ncode\n\`\`\`\n`)],
    ["a.txt", utf16(words.repeat(5))],
    ["a.png", png(small)],
    ["a.jpg", await jpeg(small)],
    ["a.webp", await webp(small)],
    ["a.tif", tiff([small, small])],
  ];
}

/**
 * Flips bits, replaces bytes by extreme values, cuts off the end, and duplicates, removes or
 * splices in parts of another file.
 */
function damaged(
  bytes: Uint8Array,
  other: Uint8Array,
  random: (below: number) => number,
): Uint8Array {
  let result = bytes.slice();
  const place = (): number => random(result.length + 1);
  for (let changes = 1 + random(4); changes > 0; changes--) {
    const [from, to] = [place(), place()].sort((one, two) => one - two) as [number, number];
    switch (random(6)) {
      case 0:
        for (let times = 1 + random(20); times > 0; times--) {
          const at = place();
          if (at < result.length) result[at]! ^= 1 << random(8);
        }
        break;
      case 1:
        result.fill(
          [0, 0xff, 0x7f, 0x20, 0x3c][random(5)]!,
          from,
          Math.min(to, from + 1 + random(16)),
        );
        break;
      case 2:
        result = result.slice(0, to);
        break;
      case 3:
        result = Buffer.concat([result.subarray(0, from), result.subarray(to)]);
        break;
      case 4:
        result = Buffer.concat([result.subarray(0, to), result.subarray(from)]).subarray(
          0,
          2 * bytes.length + 1_000,
        );
        break;
      default: {
        const at = random(other.length + 1);
        result = Buffer.concat([
          result.subarray(0, from),
          other.subarray(at, at + random(2_000)),
          result.subarray(from),
        ]);
      }
    }
  }
  return result;
}

/** Everything that the contract promises about a text. */
function expectSound({
  text,
  pages,
  headings = [],
  page_count,
  warnings,
  media_type,
}: Extracted): void {
  expect(text).toMatch(/\S/);
  expect([text.isWellFormed(), text.includes("\0"), text.includes("\r\n")]).toEqual([
    true,
    false,
    false,
  ]);
  for (const spans of [pages, headings]) {
    let last = 0;
    for (const { start, end } of spans) {
      expect(start).toBeGreaterThanOrEqual(last);
      expect(end).toBeGreaterThanOrEqual(start);
      last = end;
    }
    expect(last).toBeLessThanOrEqual(text.length);
  }
  if (page_count !== null)
    for (const { page } of pages) expect(page).toBeLessThanOrEqual(page_count);
  for (const { code, message } of warnings)
    expect([/^[a-z_]+$/.test(code), /^[A-Z\d].*[.!]$/s.test(message) ? "" : message]).toEqual([
      true,
      "",
    ]);
  expect(media_type).toMatch(/^[a-z]+\/[\w.+-]+$/);
}

const extraction = testExtraction({
  all: true,
  limits: { timeout_ms: 10_000, ocr_page_timeout_ms: 10_000 },
});
afterAll(() => extraction.stop());

test(
  "damaged files are read or refused with a message",
  async () => {
    console.log(`DOSSIER_FUZZ_SEED=${seed}`);
    const random = seededRandom(seed);
    const files = await originals();
    for (const [name, bytes] of files)
      if (!/locked|scan|tif/.test(name))
        expectSound(
          await extraction.read(bytes, { name }).catch((error: unknown) => {
            throw new Error(`${name}: ${String(error)}`);
          }),
        );
    const tally: Record<string, number> = {};
    for (let round = 0; round < times * files.length; round++) {
      const [name, bytes] = files[round % files.length]!;
      const broken = damaged(bytes, files[random(files.length)]![1], random);
      const where = `seed ${seed}, round ${round}, ${name}, ${broken.length} bytes`;
      try {
        expectSound(await extraction.read(broken, { name }));
        tally["read"] = (tally["read"] ?? 0) + 1;
      } catch (error) {
        if (!(error instanceof ExtractionFailure))
          throw new Error(`${where}: ${error instanceof Error ? error.stack : String(error)}`);
        if (error.code === "timeout" || !/^[A-Z\d“].*[.!?)]$/s.test(error.message))
          throw new Error(`${where}: ${error.code}: ${error.message}`);
        tally[error.code] = (tally[error.code] ?? 0) + 1;
      }
    }
    console.log(JSON.stringify(tally));
    expect(tally["read"]).toBeGreaterThan(0);
    expect(extraction.leftovers()).toEqual([]);
  },
  60_000 + times * 10_000,
);
