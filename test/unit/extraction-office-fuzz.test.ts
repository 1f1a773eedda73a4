/**
 * Office documents and e-books with pseudorandom faults: whatever a file contains, reading it ends
 * with a text or a reason.
 */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ExtractionFailure } from "../../plugins/extraction/contract";
import { openArchive } from "../../plugins/extraction/office/archive";
import { readOffice } from "../../plugins/extraction/office/reader";
import {
  ap,
  chart,
  diagram,
  docx,
  epub,
  opendocument,
  pptx,
  relations,
  shape,
  sharedStrings,
  slide,
  wp,
  wtable,
  xlsx,
  zip,
} from "../helpers/office";

const directory = mkdtempSync(join(tmpdir(), "dossier-fuzz-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const tp = (text: string): string => `<text:p>${text}</text:p>`;
const cell = `<table:table-cell table:number-columns-repeated="3">${tp("7.25")}</table:table-cell>`;
const series = `<c:ser><c:tx><c:v>Ships</c:v></c:tx><c:cat><c:v>2030</c:v></c:cat><c:val><c:v>12</c:v></c:val></c:ser>`;
const related = {
  c: ["chart", "../charts/c.xml"],
  d: ["diagramData", "../diagrams/d.xml"],
  n: ["notesSlide", "../notesSlides/n.xml"],
} as const;
const seeds: readonly Uint8Array[] = [
  docx(
    wp("Title", `<w:pStyle w:val="T"/>`) +
      wtable(["a", wtable(["b"])], ["c", "d"]) +
      `<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:txbxContent>${wp("boxed")}</w:txbxContent></w:r></w:p>`,
  ),
  pptx(
    [
      slide(
        shape(ap("One"), "title") +
          `<p:graphicFrame><c:chart r:id="c"/><dgm:relIds r:dm="d"/></p:graphicFrame>`,
      ),
      slide(shape(ap("Two"))),
    ],
    {
      "ppt/slides/_rels/slide2.xml.rels": relations(related),
      "ppt/charts/c.xml": chart(series),
      "ppt/diagrams/d.xml": diagram("Pilot"),
      "ppt/notesSlides/n.xml": slide(shape(ap("Note"), "body")),
    },
  ),
  xlsx(
    {
      One: `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" s="1"><v>47921.5</v></c></row>`,
      Two: `<row><c><v>1</v></c></row>`,
    },
    { "xl/sharedStrings.xml": sharedStrings("Gannet") },
    { s: ["sharedStrings", "sharedStrings.xml"] },
  ),
  opendocument(
    "text",
    `<text:h text:outline-level="1">Title</text:h><text:list text:style-name="N">` +
      `<text:list-item>` +
      `${tp("one<text:note><text:note-body><text:p>note</text:p></text:note-body></text:note>")}` +
      `</text:list-item></text:list>`,
  ),
  opendocument(
    "presentation",
    `<draw:page><draw:frame presentation:class="title"><draw:text-box>${tp("Title")}` +
      `</draw:text-box></draw:frame><presentation:notes>${tp("Note")}</presentation:notes>` +
      `</draw:page><draw:page>${tp("Two")}</draw:page>`,
  ),
  opendocument(
    "spreadsheet",
    `<table:table table:name="S"><table:table-row table:number-rows-repeated="2">${cell}<table:table-cell/></table:table-row></table:table>`,
  ),
  epub([
    "<h1>Title</h1><ol><li>one</li></ol>",
    "<table><tr><td>a</td><td>b</td></tr></table><pre>x</pre>",
  ]),
];

/** Pseudorandom numbers, the same in each run. */
function seededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}
/** Replaces some bytes or overwrites a piece with another. */
function corrupt(bytes: Uint8Array, random: (below: number) => number): void {
  for (let times = 1 + random(8); times > 0 && bytes.length > 0; times--) {
    const [at, from] = [random(bytes.length), random(bytes.length)];
    if (random(2) === 0) bytes[at] = random(256);
    else bytes.copyWithin(at, from, from + random(200));
  }
}
function spoiled(file: Uint8Array, random: (below: number) => number): Uint8Array {
  const bytes = new Uint8Array(file);
  if (random(3) === 0) {
    corrupt(bytes, random);
    return random(3) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
  }
  const path = join(directory, "whole");
  writeFileSync(path, bytes);
  const archive = openArchive(path);
  const parts = archive.names.map((name) => [name, new Uint8Array(archive.read(name)!)] as const);
  archive.close();
  for (const [, part] of parts) if (random(2) === 0) corrupt(part, random);
  return zip(Object.fromEntries(parts));
}

test("700 corrupt files give a text with valid pages and headings, or a reason", async () => {
  const random = seededRandom(7);
  let read = 0;
  for (let run = 0; run < 100 * seeds.length; run++) {
    const [path, output] = [join(directory, "file"), join(directory, `text-${run}`)];
    writeFileSync(path, spoiled(seeds[run % seeds.length]!, random));
    try {
      const { pages, headings } = await readOffice(
        { path, output, characters_max: 1_000_000, pages_max: 5_000 },
        () => {},
      );
      const text = readFileSync(output, "utf8");
      for (const spans of [pages, headings])
        spans.reduce((before, { start, end }) => {
          expect(start >= before && end > start && end <= text.length).toBe(true);
          return end;
        }, 0);
      read++;
    } catch (error) {
      if (!(error instanceof ExtractionFailure)) throw new Error(`run ${run}`, { cause: error });
    }
  }
  expect(read).toBeGreaterThan(250);
}, 60_000);
