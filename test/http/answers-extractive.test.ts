/** Answers without a model, in conversations: several rows, whole lists, and short follow-ups. */
import { beforeAll, describe, expect, test } from "bun:test";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";

const boats = [
  "# Boats for hire",
  "",
  "| Boat | Seats | Price per day | Owner |",
  "| --- | --- | --- | --- |",
  "| Heron | 2 | 30 € | Ada Byron |",
  "| Otter | 4 | 55 € | Carl Gauss |",
  "| Pike | 8 | 90 € | Emmy Noether |",
  "",
  "Guests of the Heron and of the Otter get a boat with a roof.",
  "",
  "# What to bring",
  "",
  "- a sun hat",
  "- a life vest",
  "- two paddles",
].join("\n");

/** It uses an abbreviation more often than it spells it out. */
const uploads = [
  ...Array.from(
    { length: 60 },
    (_, at) =>
      `# Rule ${at}\n\nAn NMU of kind ${at} waits in the queue. Announce each NMU of kind ${at} ` +
      "before its upload, and say what was changed by the NMU.",
  ),
  "# Names\n\nAll packages have an owner. If another developer sends one, this is called a " +
    "non-maintainer upload (NMU). The owner is told about it by mail and may refuse it.",
].join("\n\n");

const hostel = [
  "# Rules of the hostel",
  "",
  "## 1 Bags",
  "",
  "1.1 Bags are stored in the cellar. 1.2 Every bag gets a label with the name of its owner.",
  "",
  "3.1 Version 2.4 of these rules was signed in March. Version 2.5 was signed in May.",
  "",
  "1.3 Bags that are wet are excluded from the cellar. The warden dries them.",
  "",
  "## 2 Questions",
  "",
  "**May I bring my parrot?**",
  "Yes, as long as it sleeps in its cage.",
  "",
  "**How do I get a towel?**",
  "Ask the warden in the kitchen before six.",
  "",
  "## Cleaning the stove",
  "",
  "1. Let the stove cool down.",
  "2. Sweep the ashes into the bucket.",
  "",
  "The quiz of the day begins with easy ones. Who feeds the swan? Who painted the gate?",
  "",
  "Figure 2: Dry the wet boots of a guest.",
  "",
  "The boots of a guest stand on the rack above the stove until they are no longer wet.",
  "",
  "Never pour water into the stove. The stove is swept every three weeks.",
  "",
  "| Number | Room | Beds | Price |",
  "| --- | --- | --- | --- |",
  "| 101 | Larch | 4 | 20 € |",
  "| 102 | Birch | 6 | 15 € |",
  "",
  "| Nights | Larch | Birch |",
  "| --- | --- | --- |",
  "| May 2025 | 80 | 95 |",
  "| June 2025 | 70 | 85 |",
].join("\n");

let server: TestServer;
let ada: Person;
let folder: string;
beforeAll(async () => {
  server = await startTestServer();
  ada = await person(server, "ada");
  folder = await ada.folder();
  await ada.text(folder, boats, "Lake");
});

type Case = [why: string, questions: string[], answer: string | null];
/** The answer to the last of the questions, without markers; null: none. */
async function answerTo(questions: readonly string[]): Promise<string | null> {
  const chat = (await ada.create("/chats", { usedFolders: [folder] })).id;
  let result: { outcome: string; answer: string } | undefined;
  for (const question of questions) result = await ada.ask(chat, question);
  return result!.outcome === "no_answer" ? null : result!.answer.replace(/ \[\d\]/g, "");
}

const heron = "Heron: Seats 2, Price per day 30 €, Owner Ada Byron";
const otter = "Otter: Seats 4, Price per day 55 €, Owner Carl Gauss";
const pike = "Pike: Seats 8, Price per day 90 €, Owner Emmy Noether";

describe("of a table and a list:", () => {
  const cases: Case[] = [
    ["two are compared", ["Which is cheaper, Heron or Otter?"], `${heron}; ${otter}`],
    [
      "the asked column of two",
      ["How many seats do Heron and Pike have?"],
      "Seats, Heron: 2; Seats, Pike: 8",
    ],
    ["they are counted", ["How many boats are there?"], "Heron; Otter; Pike"],
    ["they are listed", ["Which boats do you have?"], "Heron; Otter; Pike"],
    [
      "one of them stands out",
      ["Which boat has the most seats?"],
      "Seats, Heron: 2; Seats, Otter: 4; Seats, Pike: 8",
    ],
    [
      "one of them stands out, in no column that is named",
      ["Which boat is the fastest?"],
      `${heron}; ${otter}; ${pike}`,
    ],
    ["one is named", ["How many seats does the boat Pike have?"], "Seats, Pike: 8"],
    ["the list below its heading", ["What must I bring?"], "a sun hat; a life vest; two paddles"],
    ["another kind of thing", ["How many stars does the hotel have?"], null],
  ];
  test.each(cases)("%s", async (_why, questions, answer) =>
    expect(await answerTo(questions)).toBe(answer),
  );
});

describe("a question that continues another:", () => {
  const cases: Case[] = [
    ["of another thing", ["How many seats has the Otter?", "And the Pike?"], "Seats, Pike: 8"],
    ["twice", ["How many seats has the Otter?", "And Pike?", "And Heron?"], "Seats, Heron: 2"],
    ["of the same thing, something else", ["How many seats has the Otter?", "Whose is it?"], otter],
    [
      "without a word of its own",
      ["How many seats has the Otter?", "What should I do then?"],
      otter,
    ],
    ["of a thing that isn't there", ["How many seats has the Otter?", "And the boat Eel?"], null],
    [
      "it is complete",
      ["How many seats has the Otter?", "What is the price of the Pike?"],
      "Price per day, Pike: 90 €",
    ],
  ];
  test.each(cases)("%s", async (_why, questions, answer) =>
    expect(await answerTo(questions)).toBe(answer),
  );
});

describe("of the rules of a house:", () => {
  let hostel_folder: string;
  beforeAll(async () => {
    hostel_folder = await ada.folder();
    await ada.text(hostel_folder, hostel, "Hostel");
    await ada.text(hostel_folder, "The Lake is deep. Its water is cold.", "Lake");
  });
  const larch = "Larch: Number 101, Beds 4, Price 20 €";
  const birch = "Birch: Number 102, Beds 6, Price 15 €";
  const cases: [why: string, question: string, answer: RegExp | null][] = [
    ["below a question, without it", "How do I get a towel?", /^Ask the warden/],
    [
      "a yes, with its question",
      "May I bring my parrot?",
      /^\*\*May I bring my parrot\?\*\* Yes, as/,
    ],
    ["a section by its number", "What does 1.2 say?", /Every bag gets a label/],
    [
      "a section with a word, in which the question has no word",
      "What does rule 1.3 say?",
      /^1.3 Ba/,
    ],
    ["all of a section", "What does paragraph 1.3 say?", /The warden dries them/],
    ["a section of another document", "What does rule 1.3 of the Lake say?", null],
    ["not a question in the same words", "Who painted the gate?", /^(?!.*Who painted)/],
    ["a section that isn't there", "What does paragraph 7.3 say?", null],
    ["what is not done", "What is not stored in the cellar?", /^1.3 Bags that are wet/],
    [
      "not a caption in the words of the question",
      "How do I dry the wet boots of a guest?",
      /^The boots/,
    ],
    ["not a list, where a yes is asked for", "Can I pour water into the stove?", /Never pour/],
    ["nor where a number is", "How often is the stove swept?", /The stove is swept every three/],
    [
      "two by their second cells",
      "Which is cheaper, Larch or Birch?",
      RegExp(`${larch}; ${birch}`),
    ],
    ["a cell", "How many nights did the Larch have in May 2025?", /Larch, May 2025: 80/],
    ["not that of another year", "How many nights did the Larch have in May 2023?", null],
    ["a version", "When was version 2.5 signed?", /signed in May/],
    ["a version that is but the number of a section", "When was version 3.1 signed?", null],
    ["what is not there", "Does the hostel have a sauna?", null],
  ];
  test.each(cases)("%s", async (_why, question, answer) => {
    const chat = (await ada.create("/chats", { usedFolders: [hostel_folder] })).id;
    const result = await ada.ask(chat, question);
    if (answer === null) expect(result.outcome).toBe("no_answer");
    else expect(result.answer).toMatch(answer);
  });
});

describe("an abbreviation is asked for:", () => {
  const spelled_out =
    "If another developer sends one, this is called a non-maintainer upload (NMU).";
  let uploads_folder: string;
  beforeAll(async () => {
    uploads_folder = await ada.folder();
    await ada.text(uploads_folder, uploads, "Uploads");
  });
  const cases: [why: string, question: string, answer: string | null][] = [
    ["its letters", "What does the abbreviation NMU stand for?", spelled_out],
    ["its meaning, in German", "Was bedeutet NMU?", spelled_out],
    ["one that is spelled out nowhere", "What does the abbreviation QA stand for?", null],
  ];
  test.each(cases)("%s", async (_why, question, answer) => {
    const chat = (await ada.create("/chats", { usedFolders: [uploads_folder] })).id;
    const result = await ada.ask(chat, question);
    if (answer === null) expect(result.outcome).toBe("no_answer");
    else expect(result.answer).toContain(answer);
  });
});
