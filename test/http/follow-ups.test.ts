/**
 * Conversations with the extractive answerer: a question that depends on earlier ones is searched
 * with them.
 */
import { beforeAll, expect, test } from "bun:test";
import { openAi } from "../helpers/clients";
import { startTestServer, type TestServer } from "../helpers/host";

let server: TestServer;
let folder: string;

beforeAll(async () => {
  server = await startTestServer();
  folder = (await server.send("ada", "POST", "/folders", { name: "Birds" })).body.id;
  const birds: [name: string, content: string][] = [
    [
      "heron.txt",
      "The heron builds its nest in tall trees near a lake. The heron eats fish and frogs. A " +
        "heron lives for as many as fifteen years.",
    ],
    [
      "owl.txt",
      "The owl builds its nest in hollow trunks. The owl eats mice and voles. An owl lives for " +
        "as many as ten years.",
    ],
    [
      "swift.txt",
      "The swift builds its nest under a roof. The swift eats flies and gnats. A swift lives for " +
        "as many as eight years.",
    ],
  ];
  for (const [name, content] of birds)
    await server.send("ada", "POST", "/documents", { folder_id: folder, name, content });
  await server.settle();
});

/** Asks one after another; returns the first cited document and the answer of each. */
async function talk(...questions: readonly string[]): Promise<[string | undefined, string][]> {
  const chat = (await server.send("ada", "POST", "/chats", { usedFolders: [folder] })).body.id;
  const turns: [string | undefined, string][] = [];
  for (const text of questions) {
    const { requestId } = (await server.send("ada", "POST", `/chats/${chat}/messages`, { text }))
      .body;
    await server.settle();
    const { result } = (await server.send("ada", "GET", `/chats/${chat}/messages/${requestId}`))
      .body;
    turns.push([result.citations[0]?.document_name, result.answer]);
  }
  return turns;
}

const talks: [why: string, questions: string[], document: string, says: string][] = [
  [
    "a pronoun refers to the previous question",
    ["Where does the swift build its nest?", "What does it eat?"],
    "swift.txt",
    "flies and gnats",
  ],
  [
    "the same words after another question refer to another bird",
    ["Where does the heron build its nest?", "What does it eat?"],
    "heron.txt",
    "fish and frogs",
  ],
  [
    "a pronoun refers back past a question with a pronoun",
    ["Where does the heron build its nest?", "What does it eat?", "How many years does it live?"],
    "heron.txt",
    "fifteen years",
  ],
  [
    "a short question refers back too",
    ["Where does the swift build its nest?", "And the owl?"],
    "owl.txt",
    "hollow trunks",
  ],
  [
    "a question that names its own subject does not refer back",
    ["Where does the swift build its nest?", "Which fish and frogs does the heron eat?"],
    "heron.txt",
    "fish and frogs",
  ],
  [
    "a question of function words only continues",
    ["Where does the swift build its nest?", "And why there?"],
    "swift.txt",
    "under a roof",
  ],
  [
    "a single new word that the documents contain is the subject",
    ["Where does the swift build its nest?", "Voles?"],
    "owl.txt",
    "voles",
  ],
];
for (const [why, questions, document, says] of talks)
  test(why, async () => {
    const [name, answer] = (await talk(...questions)).at(-1)!;
    expect([name, answer]).toEqual([document, expect.stringContaining(says)]);
  });

const filler = "And so it was, and so they were. ".repeat(110_000);
const long_conversations: [why: string, earlier: string[], says: string][] = [
  ["the last of many turns", [filler, "Where does the swift build its nest?"], "flies and gnats"],
  [
    "another last turn, whatever was said before",
    [`The swift's pond ${filler}`, "Where does the owl build its nest?"],
    "mice and voles",
  ],
  [
    "the end of a long question",
    [`${filler}Where does the heron build its nest?`],
    "fish and frogs",
  ],
];
for (const [why, earlier, says] of long_conversations)
  test(`in a conversation of megabytes, a question refers to ${why}`, async () => {
    const client = await openAi(server, "ada");
    const messages = [
      ...earlier.flatMap((content) => [
        { role: "user" as const, content },
        { role: "assistant" as const, content: "I see." },
      ]),
      { role: "user" as const, content: "What does it eat?" },
    ];
    const { choices } = await client.chat.completions.create({ model: "dossier", messages });
    expect(choices[0]!.message.content).toContain(says);
  });

const unknown: [why: string, question: string][] = [
  ["a single word", "Zebra?"],
  ["a word with function words", "And the zebra's stripes?"],
  ["another script", "斑马？"],
];
for (const [why, question] of unknown)
  test(`words in no document don't repeat the previous answer: ${why}`, async () => {
    expect((await talk("Where does the swift build its nest?", question)).at(-1)).toEqual([
      undefined,
      "No passage in the selected folders answers this.",
    ]);
  });
