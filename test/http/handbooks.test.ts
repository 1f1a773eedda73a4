/**
 * Handbooks over HTTP, as PDF, Markdown and HTML: text ranks before contents and index, and a
 * passage has the path of its headings.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { form } from "../helpers/forms";
import { startTestServer, type TestServer } from "../helpers/host";
import { buildPdf, type PdfPage, type PlacedLine } from "../helpers/pdf";

interface Found {
  readonly document_name: string;
  readonly page: number | null;
  readonly heading: string | null;
  readonly quote: string;
}

/** Chapters with their sections and the text of each. */
const chapters: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    "Installation",
    [
      ["Unpacking", "Lift the press out of its crate with two people, and keep the straps."],
      ["Power", "The press needs a socket of its own, because its motor draws much at the start."],
    ],
  ],
  [
    "Paper size",
    [
      ["Portrait", "Sheets lie with their short edge to the drum, which is how they come."],
      ["Landscape", "Turn the tray by a quarter, then choose the wide format on the dial."],
    ],
  ],
  [
    "Maintenance",
    [
      ["Rollers", "Wipe the rollers with alcohol each month, and let them dry for an hour."],
      ["Ribbons", "A worn ribbon prints pale letters. Replace it as follows:"],
    ],
  ],
];
const filler = (about: string): string[] =>
  Array.from(
    { length: 6 },
    (_, at) => `More is said in general about this, number ${at}, ${about}.`,
  );
const entries = chapters.flatMap(([chapter, sections], at) => [
  `${at + 1} ${chapter}`,
  ...sections.map(([section], under) => `${at + 1}.${under + 1} ${section}`),
]);
const index_words = ["alcohol", "crate", "drum", "motor", "ribbon, worn", "straps", "wombat"];
const leaders = " . . . . . . . . . . . . . . . . . . ";

/** A page of lines from top to bottom, with a running head and a page number. */
function pageOf(
  number: number,
  head: string,
  lines: readonly (string | readonly [string, number])[],
): PdfPage {
  const placed: PlacedLine[] = [
    { x: 60, y: 800, size: 9, text: `${head} ${number}` },
    { x: 290, y: 30, size: 9, text: String(number) },
  ];
  let y = 760;
  for (const line of lines) {
    const [text, size] = typeof line === "string" ? ([line, 11] as const) : line;
    placed.push({ x: 60, y, size, text });
    y -= size > 11 ? 34 : 26;
  }
  return { lines: placed };
}

function handbook(): Uint8Array<ArrayBuffer> {
  const contents = entries.map((entry, at) => `${entry}${leaders}${at + 2}`);
  const pages: PdfPage[] = [pageOf(1, "Press manual", [["Contents", 18], ...contents])];
  for (const [at, [chapter, sections]] of chapters.entries())
    for (const [under, [section, sentence]] of sections.entries())
      pages.push(
        pageOf(pages.length + 1, "Press manual", [
          ...(under === 0 ? [[`${at + 1} ${chapter}`, 18] as const] : []),
          [`${at + 1}.${under + 1} ${section}`, 14],
          sentence,
          ...(sentence.endsWith(":") ? ["ribbon --replace"] : []),
          ...filler(section.toLowerCase()),
        ]),
      );
  const indexed = index_words.map((word, at) => `${word}${leaders}${at + 2}`);
  pages.push(pageOf(pages.length + 1, "Press manual", [["Index", 18], ...indexed]));
  return buildPdf(pages);
}

const markdown = [
  "# Press",
  ...entries.map((entry) => `- [${entry.replace(/^[\d.]+ /, "")}](#${entry.length})`),
  ...chapters.flatMap(([chapter, sections]) => [
    `## ${chapter}`,
    ...sections.flatMap(([section, sentence]) => [
      `### ${section}`,
      sentence,
      ...(sentence.endsWith(":") ? ["    ribbon --replace"] : []),
    ]),
  ]),
].join("\n\n");
const html = `<html><head><title>Press</title></head><body><main>
<ul>${entries.map((entry) => `<li><a href="#x">${entry.replace(/^[\d.]+ /, "")}</a></li>`).join("")}</ul>
${chapters
  .map(
    ([chapter, sections]) =>
      `<h2>${chapter}</h2>${sections
        .map(
          ([section, sentence]) =>
            `<h3>${section}</h3><p>${sentence}</p>${sentence.endsWith(":") ? "<pre>ribbon --replace</pre>" : ""}`,
        )
        .join("")}`,
  )
  .join("")}
</main></body></html>`;

let server: TestServer;
const folders = new Map<string, string>();
beforeAll(async () => {
  server = await startTestServer({ env: { DOSSIER_EMBEDDINGS_PROVIDER: "none" } });
  for (const [name, content, type] of [
    ["press.pdf", handbook(), "application/pdf"],
    ["press.md", markdown, "text/markdown"],
    ["press.html", html, "text/html"],
  ] as const) {
    const folder = (await server.send("ada", "POST", "/folders", { name })).body.id;
    folders.set(name, folder);
    const sent = await server.send(
      "ada",
      "POST",
      `/documents/file?folder_id=${folder}`,
      form(name, content, type),
    );
    expect(sent.status).toBe(201);
  }
  await server.settle();
}, 60_000);

async function find(name: string, query: string): Promise<Found[]> {
  const answer = await server.send("ada", "POST", "/search", {
    query,
    folder_ids: [folders.get(name)!],
    limit: 20,
  });
  expect(answer.status).toBe(200);
  return answer.body.data;
}
/** A part of the table of contents or the index. */
const isListing = ({ quote }: Found): boolean =>
  quote.includes(". . . .") || quote.split(/\n+/).filter((line) => line.length < 30).length > 5;

for (const name of ["press.pdf", "press.md", "press.html"])
  describe(name, () => {
    test("contents and index rank after all text", async () => {
      for (const query of ["Landscape paper size", "rollers", "installation of the power"]) {
        const found = await find(name, query);
        const listed = found.findIndex(isListing);
        expect([query, found.length > 1, listed > 0]).toEqual([query, true, true]);
        expect(found.slice(listed).every(isListing)).toBe(true);
      }
    });
    test("a passage has the path of its headings, and is found by it", async () => {
      const [first] = await find(name, "paper size landscape");
      expect(first!.quote).toContain("Turn the tray by a quarter");
      expect(first!.heading).toMatch(/(?:^|› )(?:2 )?Paper size › (?:2\.2 )?Landscape$/);
    });
    test("a command stays with the sentence that introduces it", async () => {
      const [first] = await find(name, "replace a worn ribbon");
      expect(first!.quote).toMatch(/Replace it as follows:\s+ribbon --replace/);
    });
  });

describe("of a PDF", () => {
  test("a word that only the index has is found there", async () => {
    const found = await find("press.pdf", "wombat");
    expect(found.map(({ page }) => page)).toEqual([8]);
  });
  test("the page is the one with the text", async () => {
    const pages = await Promise.all(
      ["lift the press out of its crate", "landscape sheets", "rollers with alcohol"].map(
        async (query) => (await find("press.pdf", query))[0]!.page,
      ),
    );
    expect(pages).toEqual([2, 5, 6]);
  });
  test("running heads are in no passage or heading", async () => {
    for (const { heading, quote } of await find("press.pdf", "press rollers landscape crate"))
      expect([heading, quote].join("\n")).not.toContain("Press manual 4");
  });
});
