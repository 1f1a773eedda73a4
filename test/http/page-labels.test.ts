/** Page labels of documents: in search, answers, parts of the text, and wording. */
import { beforeAll, expect, test } from "bun:test";
import { ap, pptx, shape, slide, xlsx } from "../helpers/office";
import { startTestServer, type TestServer } from "../helpers/host";
import { pdf } from "../helpers/pdf";
import { person, type Person } from "../helpers/person";
import { completed, type StoredAnswer } from "../../plugins/chats/contract";
import { pagesOf } from "../../plugins/search/contract";

let server: TestServer;
let ada: Person;
let folder: string;
const ids: Record<string, string> = {};

/** Pages that the document labels i, ii and A-3. */
const labelled = (pages: readonly (readonly string[])[]): Buffer =>
  Buffer.from(
    Buffer.from(pdf(pages))
      .toString("latin1")
      .replace(
        "/Type /Catalog",
        "/Type /Catalog /PageLabels << /Nums [0 << /S /r >> 2 << /S /D /P (A-) /St 3 >>] >>",
      ),
    "latin1",
  );
const row = (cells: readonly string[]): string =>
  `<row>${cells.map((cell) => `<c t="str"><v>${cell}</v></c>`).join("")}</row>`;

beforeAll(async () => {
  server = await startTestServer();
  ada = await person(server, "ada");
  folder = await ada.folder();
  const files: [name: string, bytes: Uint8Array][] = [
    [
      "report.pdf",
      labelled([["Preface by the pilot"], ["Thanks to the divers"], ["Tables of moorings"]]),
    ],
    ["plain.pdf", pdf([["Cover of a kayak"], ["Rules for paddles"]])],
    ["deck.pptx", pptx([slide(shape(ap("Welcome"), "title")), slide(shape(ap("Gannet numbers")))])],
    ["book.xlsx", xlsx({ Budget: row(["Item", "Cost"]) + row(["Winch", "1200"]) })],
  ];
  for (const [name, bytes] of files)
    ids[name] = (await ada.upload(folder, name, new Uint8Array(bytes))).body.id;
  await server.settle();
}, 60_000);

const cases: [query: string, page: number, page_label: string | null][] = [
  ["preface pilot", 1, "i"],
  ["moorings", 3, "A-3"],
  ["kayak", 1, null],
  ["welcome", 1, "Slide 1 · Welcome"],
  ["winch", 1, "Sheet Budget"],
];
test.each(cases)("a search for %s", async (query, page, page_label) => {
  const { body } = await ada.send("POST", "/search", { query, folder_ids: [folder] });
  expect(body.data[0]).toMatchObject({ page, page_label });
});

test("a part of the text has its label", async () => {
  const { body } = await ada.send("GET", `/documents/${ids["report.pdf"]}/text?page=2`);
  expect(body).toMatchObject({ page: 2, page_end: 2, page_label: "ii" });
});

test("a citation has its label, and one stored before labels has none", async () => {
  const { id } = await ada.create("/chats", { usedFolders: [folder], usedPrompts: [] });
  const { citations } = await ada.ask(id, "What does the winch cost?");
  expect(citations[0]).toMatchObject({ page: 1, page_label: "Sheet Budget" });
  const { page_label: _, ...older } = citations[0];
  const stored = { citations: [older], related: [older] } as unknown as StoredAnswer;
  const { citations: now, related } = completed(stored);
  expect([now[0]!.page_label, related[0]!.page_label]).toEqual([null, null]);
});

test("labels are worded correctly", () => {
  const words: [
    page: number | null,
    page_end: number | null,
    label: string | null,
    said: unknown,
  ][] = [
    [null, null, null, null],
    [3, 3, null, "page 3"],
    [3, 4, null, "pages 3–4"],
    [4, 4, "iv", "page iv"],
    [4, 5, "iv", "from page iv on"],
    [1, 1, "Sheet Budget", "Sheet Budget"],
  ];
  for (const [page, page_end, page_label, label] of words)
    expect(pagesOf({ page, page_end, page_label })).toBe(label as string | null);
});
