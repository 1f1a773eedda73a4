/** The place of a quote in a language model's answer: the quote's own pages, not the passage's. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { placeBetween } from "../../plugins/search/quote-position";
import { scriptedExtractor } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { says, startProvider, type Provider } from "../helpers/provider";

let provider: Provider;
let server: TestServer;
let ada: Person;
let folder: string;

const sentences = {
  first: "🪶 The heron stands in shallow water.",
  both: "It waits for fish without\fmoving a single feather.",
  second: "Herons nest in tall trees near rivers.",
};

beforeAll(async () => {
  provider = startProvider();
  server = await startTestServer({
    env: {
      DOSSIER_ANSWERS_PROVIDER: "openai",
      DOSSIER_ANSWERS_BASE_URL: provider.base_url,
      DOSSIER_ANSWERS_API_KEY: "sk-test-0123456789abcdef",
      DOSSIER_ANSWERS_MODEL: "tiny-1",
    },
    plugins: [scriptedExtractor().plugin],
  });
  ada = await person(server, "ada");
  folder = await ada.folder();
  await ada.upload(folder, "herons.scripted", `#!read\n${Object.values(sentences).join(" ")}`);
  await server.settle();
});
afterAll(() => provider.stop());

test("the passage itself spans two pages", async () => {
  const { body } = await ada.send("POST", "/search", { query: "heron", folder_ids: [folder] });
  expect(body.data).toEqual([expect.objectContaining({ page: 1, page_end: 2 })]);
});

const cited: [why: string, sentence: string, page: number, page_end: number][] = [
  ["on the first page", sentences.first, 1, 1],
  ["that runs on to the second page", sentences.both, 1, 2],
  ["on the second page", sentences.second, 2, 2],
];
for (const [why, sentence, page, page_end] of cited)
  test(`a sentence ${why} is cited with its own pages`, async () => {
    provider.answerWith(() => says(`${sentence.replace(/\s/g, " ")} [1]`));
    const chat = (await ada.create("/chats", { usedFolders: [folder], usedPrompts: [] })).id;
    const path = `/chats/${chat}/messages`;
    const message = await ada.send("POST", path, { text: "What about the heron?" });
    await server.settle();
    const { body } = await ada.send("GET", `${path}/${message.body.requestId}`);
    expect(body.result.citations).toMatchObject([{ page, page_end, quote: sentence }]);
  });

const spans = {
  pages: [
    { page: 1, start: 0, end: 10 },
    { page: 3, start: 11, end: 20 },
  ],
  times: [
    { start: 0, end: 5, time_start: 1, time_end: 2 },
    { start: 5, end: 12, time_start: 2, time_end: 4.5 },
  ],
};
const places: [why: string, start: number, end: number, place: ReturnType<typeof placeBetween>][] =
  [
    [
      "within one span",
      0,
      5,
      { page: 1, page_end: 1, page_label: null, time_start: 1, time_end: 2 },
    ],
    ["across two", 4, 12, { page: 1, page_end: 3, page_label: null, time_start: 1, time_end: 4.5 }],
    [
      "after the last time",
      12,
      20,
      { page: 3, page_end: 3, page_label: null, time_start: null, time_end: null },
    ],
    [
      "between pages",
      10,
      11,
      { page: 1, page_end: 1, page_label: null, time_start: 2, time_end: 4.5 },
    ],
  ];
for (const [why, start, end, place] of places)
  test(`the place of text ${why}`, () => expect(placeBetween(spans, start, end)).toEqual(place));
