/**
 * Tables over HTTP: tables of a PDF are pipe tables in `content`, a question is answered by the
 * cell it asks for, and exactly its row is cited, on its page, however long the table is.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { startTestServer, type TestServer } from "../helpers/host";
import { buildPdf, type PdfPage } from "../helpers/pdf";
import { person, type Person } from "../helpers/person";

const rows_per_page = 38;
const pages = 9;
/** Three services in rotation, each row with its own dues. */
const rowOf = (at: number): string[] => [
  `T${String(at).padStart(3, "0")}`,
  ["Towage", "Water", "Waste"][at % 3]!,
  at % 4 === 0 ? "" : "by notice",
  String(1_000 + 7 * at),
];
const lefts = [60, 150, 300, 420];
const right = 520;
const written = (text: string, x: number, y: number): string =>
  `BT /F1 9 Tf 1 0 0 1 ${x} ${y} Tm (${text}) Tj ET`;
const ruleAcross = (y: number): string => `${lefts[0]} ${y} m ${right} ${y} l S`;
const ruleDown = (x: number, from: number, to: number): string => `${x} ${from} m ${x} ${to} l S`;
/** The rows from y = 770 down, 18 points each, with rules around every cell. */
const drawn = (rows: readonly (readonly string[])[]): string => {
  const bottom = 782 - 18 * rows.length;
  return [
    "0.5 w",
    ...Array.from({ length: rows.length + 1 }, (_, at) => ruleAcross(782 - 18 * at)),
    ...[...lefts, right].map((x) => ruleDown(x, bottom, 782)),
    ...rows.flatMap((cells, at) =>
      cells.flatMap((cell, column) =>
        cell === "" ? [] : written(cell, lefts[column]! + 4, 770 - 18 * at),
      ),
    ),
  ].join("\n");
};
const head = ["Code", "Service", "Note", "Dues"];
/** The head is on the first page only. */
const tariff = (): Uint8Array<ArrayBuffer> =>
  buildPdf(
    Array.from({ length: pages }, (_, page): PdfPage => {
      const rows = Array.from({ length: rows_per_page }, (_row, at) =>
        rowOf(page * rows_per_page + at),
      );
      return { content: drawn(page === 0 ? [head, ...rows] : rows) };
    }),
  );

const revenue = [
  ["Region", "Q1", "Q2", "Q3"],
  ["North", "80", "82", "91"],
  ["South", "60", "", "95"],
  ["East", "70", "71", "72"],
];
const lineOf = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const tableOf = ([first, ...rest]: readonly string[][]): string =>
  [lineOf(first!), "|" + " --- |".repeat(first!.length), ...rest.map(lineOf)].join("\n");

let server: TestServer;
let ada: Person;
let long: { readonly folder: string; readonly content: string };

beforeAll(async () => {
  server = await startTestServer({ env: { DOSSIER_EMBEDDINGS_PROVIDER: "none" } });
  ada = await person(server, "ada");
  long = await uploaded("tariff.pdf", tariff());
}, 60_000);

/** A document alone in its folder, once it has been read and indexed. */
async function uploaded(
  name: string,
  bytes: string | Uint8Array<ArrayBuffer>,
): Promise<{ readonly folder: string; readonly content: string }> {
  const folder = await ada.folder(name);
  const { body } = await ada.upload(folder, name, bytes);
  await server.settle();
  return { folder, content: (await ada.get(body.id)).content };
}
const ask = async (folder: string, question: string): Promise<any> => {
  const chat = (await ada.create("/chats", { usedFolders: [folder], usedPrompts: [] })).id;
  return ada.ask(chat, question);
};

describe("a table over nine pages", () => {
  test("has its head on each page, and its empty cells", () => {
    const table = long.content.split("\n").filter((line) => line !== "");
    expect(table.filter((line) => line === lineOf(head)).length).toBe(pages);
    for (let at = 0; at < pages * rows_per_page; at++) expect(table).toContain(lineOf(rowOf(at)));
  });
  test("answers from a late row with its column's head, and quotes the row", async () => {
    const { answer, citations } = await ask(long.folder, "What are the dues for T300?");
    expect(answer).toBe("Dues, T300: 3100 [1]");
    expect(citations).toMatchObject([{ quote: lineOf(rowOf(300)), page: 8, page_end: 8 }]);
    const [{ start, end, quote }] = citations;
    expect([...long.content].slice(start, end).join("")).toBe(quote);
  });
  test("has passages in the middle with its head as heading", async () => {
    const rows = [head, ...Array.from({ length: 342 }, (_, at) => rowOf(at))];
    const { folder } = await uploaded("rows.csv", rows.map((row) => row.join(",")).join("\n"));
    const found = await ada.send("POST", "/search", { query: "dues T300", folder_ids: [folder] });
    expect(found.body.data[0].heading).toEndWith(head.join(" | "));
    expect(found.body.data[0].quote).toContain("T300");
    const { answer } = await ask(folder, "What are the dues for T300?");
    expect(answer).toBe("Dues, T300: 3100 [1]");
  });
});

describe("a small table", () => {
  const plain = drawn(revenue);
  const cases: [why: string, name: string, bytes: string | Uint8Array<ArrayBuffer>][] = [
    ["of a PDF", "revenue.pdf", buildPdf([{ content: plain }])],
    [
      "inside transformed forms",
      "form.pdf",
      buildPdf([{ content: "q 1 0 0 1 10 -80 cm /X0 Do Q" }], {
        forms: ["q 0.9 0 0 0.9 0 0 cm /X1 Do Q", plain],
      }),
    ],
    [
      "on a rotated page",
      "turned.pdf",
      buildPdf([{ content: `q 0 1 -1 0 842 0 cm ${plain} Q`, rotate: 90 }]),
    ],
    ["in a spreadsheet", "revenue.csv", revenue.map((row) => row.join(",")).join("\n")],
  ];
  for (const [why, name, bytes] of cases)
    test(`${why} answers by row and column`, async () => {
      const { folder, content } = await uploaded(name, bytes);
      expect(content).toContain(tableOf(revenue));
      const { answer, citations } = await ask(folder, "What did South have in Q3?");
      expect(answer).toBe("Q3, South: 95 [1]");
      expect(citations).toMatchObject([{ quote: lineOf(revenue[2]!) }]);
    });
});
