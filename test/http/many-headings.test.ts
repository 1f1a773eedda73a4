/** A text with tens of thousands of headings: no statement reads all of them, or all of the text. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Db } from "../../core/sdk";
import { rowsOf, setRunner } from "../../core/store/raw-statements";
import { getOutline } from "../../plugins/documents/outline";
import type { Outline } from "../../plugins/documents/record";
import { overviewOf } from "../../plugins/documents/overview";
import { hasQuoteAt } from "../../plugins/documents/texts/text-store";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { Watch } from "../helpers/query-plans";

const count = 20_000;
/** More than the first piece of a text, and than what is read of the headings. */
const value_length_max = 150_000;
const limits = { documents: 10, headings: 3 };

let server: TestServer;
let ada: Person;
let folder_id: string;
let document_id: string;
beforeAll(async () => {
  server = await startTestServer();
  ada = await person(server, "ada");
  folder_id = await ada.folder("Headings");
  const lines = Array.from({ length: count }, (_, at) => `## Part ${at}\n\nText ${at}.\n\n`);
  const { body } = await ada.upload(folder_id, "long.md", `# The 🪶 title\n\n${lines.join("")}`);
  document_id = body.id;
  await server.settle();
});
afterAll(() => server.stop());

const cases: [why: string, read: (db: Db) => Promise<unknown>, expected: unknown][] = [
  [
    "an overview has the first headings",
    async (db) => {
      const { documents } = await overviewOf(db, [folder_id], limits);
      return documents[0]!.headings.map(({ text }) => text);
    },
    ["Part 0", "Part 1", "Part 2"],
  ],
  [
    "an outline has every heading, with its place in the content",
    async (db) => {
      const [owner] = await rowsOf<{ owner_id: string }>(
        server.store.db,
        "select owner_id from documents where id = ?",
        [document_id],
      );
      const outline = await getOutline({ db } as never, owner!.owner_id, document_id);
      const { version, pages, headings } = (await (outline as Response).json()) as Outline;
      const content = [...(await ada.get(document_id)).content];
      const texts = headings.map(({ start, end }) =>
        content.slice(start, end).join("").replace(/^#+ /, ""),
      );
      return [version, pages, texts.length, texts[0], texts[1], texts.at(-1)];
    },
    [1, [], count + 1, "The 🪶 title", "Part 0", `Part ${count - 1}`],
  ],
  [
    "a quote is found",
    (db) => hasQuoteAt(db as never, { document_id, start: 2, end: 13, quote: "The 🪶 title" }),
    true,
  ],
];
for (const [why, read, expected] of cases)
  test(why, async () => {
    let longest = 0;
    const { db } = server.store;
    const measured = setRunner(db.withPlugin(new Watch()), async (text, parameters) => {
      const rows = await rowsOf<object>(db, text, parameters);
      for (const value of rows.flatMap((row) => Object.values(row)))
        if (typeof value === "string") longest = Math.max(longest, value.length);
      return rows;
    });
    expect(await read(measured)).toEqual(expected);
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(value_length_max);
  });

test("all of them are stored", async () => {
  const { db } = server.store;
  const [row] = await rowsOf<{ headings: string }>(
    db,
    "select headings from documents_versions where document_id = ?",
    [document_id],
  );
  expect(row!.headings.length).toBeGreaterThan(value_length_max);
  expect(JSON.parse(row!.headings)).toHaveLength(count + 1);
});
