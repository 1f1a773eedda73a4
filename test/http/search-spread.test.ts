/** A search in a document with pages prefers other pages to more passages of the same one. */
import { beforeAll, expect, test } from "bun:test";
import { scriptedExtractor } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";

let server: TestServer;
let ada: Person;

/** A paragraph long enough to be a passage of its own. */
const passage = (subject: string): string =>
  `${subject} ${"Nothing else stands here. ".repeat(18)}`;
const first_page = ["The otter holt and the otter slide.", "An otter holt.", "The otter's holt."];
const second_page = "A holt is where an otter lives.";
const written = (between: string): string =>
  [first_page.map(passage).join("\n\n"), passage(second_page)].join(between);

beforeAll(async () => {
  server = await startTestServer({ plugins: [scriptedExtractor().plugin] });
  ada = await person(server, "ada");
});

const cases: [why: string, between: string, place: number][] = [
  ["on a page of its own", "\f", 1],
  ["in a text without pages", "\n\n", 3],
];
for (const [why, between, place] of cases)
  test(`a passage with the words farther apart, ${why}`, async () => {
    const folder = await ada.folder();
    await ada.upload(folder, "otters.scripted", `#!read\n${written(between)}`);
    await server.settle();
    const { body } = await ada.send("POST", "/search", {
      query: "otter holt",
      folder_ids: [folder],
    });
    const found = body.data as { quote: string; score: number }[];
    expect(found).toHaveLength(4);
    expect(found.findIndex(({ quote }) => quote.startsWith(second_page))).toBe(place);
    const scores = found.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });
