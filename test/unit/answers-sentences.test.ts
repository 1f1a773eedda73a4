/**
 * Which sentences an answer quotes: what belongs together, similarity in meaning besides words,
 * across languages, and when there is no answer.
 */
import { describe, expect, test } from "bun:test";
import { findSentences } from "../../plugins/answers-extractive/sentence-finder";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import { areLanguagesDifferent, languageOf } from "../../plugins/search-index/analysis/languages";
import { sentencesOf } from "../../plugins/search/sentences";

const analyze = (text: string): { term: string; start: number; end: number }[] => {
  const words: { term: string; start: number; end: number }[] = [];
  analyzer.tokenize(text, (_hash, start, end, term) => {
    words.push({ term: term ?? text.slice(start, end), start, end });
  });
  return words;
};
const termsOf = (words: string) => analyze(words).map(({ term }) => ({ term, idf: 2, others: [] }));

describe("what belongs together:", () => {
  const cases: [string, string, string[]][] = [
    [
      "dots and what they lead to",
      "Permit ........ $35\nCard . . . . . $5",
      ["Permit ........ $35", "Card . . . . . $5"],
    ],
    [
      "not what follows in another line",
      "Permit ........\n\nIt is free.",
      ["Permit ........", "It is free."],
    ],
    ["not two sentences", "He left ... And came.", ["He left ...", "And came."]],
    ["a version and its number", "Pumps before ver. 3 are red.", ["Pumps before ver. 3 are red."]],
    [
      "a colon and what it introduces, even after an empty line",
      "To remove the pump (once it is dry):\n\n  pumpctl --remove all\n\nThen close the lid.",
      ["To remove the pump (once it is dry):\n\n  pumpctl --remove all", "Then close the lid."],
    ],
    [
      "an option and its description; options of a list are separate",
      "--dry wash nothing, only say what would be washed\n--heat=DEGREES wash at so many degrees\n" +
        "--quiet say nothing",
      [
        "--dry wash nothing, only say what would be washed",
        "--heat=DEGREES wash at so many degrees",
        "--quiet say nothing",
      ],
    ],
    [
      "an option typeset with a minus or a dash, and its description",
      "−d wash nothing, only say what would be\n−h DEGREES wash at so many degrees\n" +
        "–quiet say nothing",
      [
        "−d wash nothing, only say what would be",
        "−h DEGREES wash at so many degrees",
        "–quiet say nothing",
      ],
    ],
    [
      "a setting and its description",
      "WASH_HEAT\n\nSo many degrees. At most 90.\n\nwash_time\nSo many minutes.",
      ["WASH_HEAT\n\nSo many degrees.", "At most 90.", "wash_time\nSo many minutes."],
    ],
    [
      "a file and its description, in a list of them",
      "/etc/washer.conf\n\nThe settings of all washers\n~/.washer\n\nThe settings of yours\n" +
        "/dev/drum\n\nThe drum",
      [
        "/etc/washer.conf\n\nThe settings of all washers",
        "~/.washer\n\nThe settings of yours",
        "/dev/drum\n\nThe drum",
      ],
    ],
    [
      "a lone option and the line below it",
      "‘--heat=degrees’\nWash at so many degrees.\n\n‘--dry’\nWash nothing.",
      ["‘--heat=degrees’\nWash at so many degrees.", "‘--dry’\nWash nothing."],
    ],
    [
      "a command and its explanation, in a list of them",
      "spin speed [time]\nTurns the drum. It stops by itself.\n\ndrain\n\nOpens the valve.",
      ["spin speed [time]\nTurns the drum.", "It stops by itself.", "drain\n\nOpens the valve."],
    ],
    [
      "the end of a wrapped item is not a command",
      "of the drum and its lid\n\nThe drum is empty. It turns.",
      ["of the drum and its lid", "The drum is empty.", "It turns."],
    ],
    [
      "a colon and the command that it introduces, even after a long sentence",
      `${"The drum is emptied, ".repeat(14)}by this command:\n\n\\drain{7}\n\nThen it is dry.`,
      [`${"The drum is emptied, ".repeat(14)}by this command:\n\n\\drain{7}`, "Then it is dry."],
    ],
    [
      "a colon is not joined to the first of several options",
      "These options exist:\n\n--dry\nWash nothing.\n\n--wet\nWash it.",
      ["These options exist:", "--dry\nWash nothing.", "--wet\nWash it."],
    ],
    [
      "an option with a full stop, and its description",
      "--dry. Nothing is washed. It only says what would be.\n--heat degrees. It is hot.",
      ["--dry. Nothing is washed.", "It only says what would be.", "--heat degrees. It is hot."],
    ],
    [
      "each item of a list with round or square bullets",
      "● -n Wash nothing and\n● -q say nothing of it\n■ Dry it",
      ["● -n Wash nothing and", "● -q say nothing of it", "■ Dry it"],
    ],
    [
      "a wrapped line that begins with an option doesn't split the sentence",
      "Whoever wants to see what would be washed without any water gives it the option\n" +
        "-n and reads what it says.",
      [
        "Whoever wants to see what would be washed without any water gives it the option\n" +
          "-n and reads what it says.",
      ],
    ],
    [
      "a list number and its text",
      "1. Open the lid. 2. Dry it.",
      ["1. Open the lid.", "2. Dry it."],
    ],
    [
      "a colon is not joined to a table header",
      "These are the programs:\n\nPROGRAM DEGREES\n\ncotton 60",
      ["These are the programs:", "PROGRAM DEGREES", "cotton 60"],
    ],
    ["a colon in German", "So geht es:\n\nKlappe zu.", ["So geht es:\n\nKlappe zu."]],
    [
      "a table row, whatever its cells contain; the header and its delimiter line",
      "Dues:\n| Code | Note |\n| --- | --- |\n| T1 | min. 2 h. Else none. |\n| T2 |  |\nThat is all.",
      [
        "Dues:",
        "| Code | Note |\n| --- | --- |",
        "| T1 | min. 2 h. Else none. |",
        "| T2 |  |",
        "That is all.",
      ],
    ],
    [
      "a code block with its fences, whatever it contains",
      "Start it. It hums.\n\n```sh\npump start\n\npump list. Then wait.\n```\n\nDone.",
      ["Start it.", "It hums.", "```sh\npump start\n\npump list. Then wait.\n```", "Done."],
    ],
    [
      "a colon and the code block it introduces",
      "Start it so:\n\n~~~\npump start\n~~~\nIt hums.",
      ["Start it so:\n\n~~~\npump start\n~~~", "It hums."],
    ],
    [
      "a text that begins inside a code block",
      "pump start\npump list\n```\n\nIt hums. It is warm.",
      ["pump start\npump list\n```", "It hums.", "It is warm."],
    ],
    [
      "a text that ends inside a code block",
      "It hums.\n\n```\npump start. Wait.\npump list",
      ["It hums.", "```\npump start. Wait.\npump list"],
    ],
    [
      "whole lines of a code block too long for a quote",
      `\`\`\`\n${"pump start --slowly and wait. Then\n".repeat(20)}\`\`\`\nIt hums.`,
      [
        `\`\`\`\n${"pump start --slowly and wait. Then\n".repeat(8).trim()}`,
        "pump start --slowly and wait. Then\n".repeat(8).trim(),
        `${"pump start --slowly and wait. Then\n".repeat(4)}\`\`\``,
        "It hums.",
      ],
    ],
    ["a colon in Chinese", "命令如下：\n\npumpctl start", ["命令如下：\n\npumpctl start"]],
  ];
  for (const [why, text, expected] of cases)
    test(why, () =>
      expect(sentencesOf(text).map(({ start, end }) => text.slice(start, end))).toEqual(expected),
    );
});

type Similar = (text: string, question: string) => number | null;
interface Asked {
  readonly question: string;
  readonly passages: readonly string[];
  readonly heading?: string;
  /** The similarity of a sentence in meaning; without it, words alone decide. */
  readonly similar?: Similar;
  readonly meaning?: number;
  /** Those of the passages, when they differ. */
  readonly meanings?: readonly number[];
  readonly lead?: number;
}
async function said({
  question,
  passages,
  similar,
  meaning,
  meanings,
  heading,
  lead,
}: Asked): Promise<string[]> {
  const compare =
    similar &&
    (async (part: string, texts: readonly string[]) => ({
      of_texts: texts.map((text) => similar(text, part)),
      are_by_tokens: false,
      alignment: null,
    }));
  const retrieved = {
    passages: passages.map((quote, at) => ({
      quote,
      document_id: `doc_${at}`,
      document_name: "Manual",
      heading: heading ?? null,
      score: 1 - at / 10,
    })) as never,
    meanings: meanings ?? passages.map(() => meaning ?? null),
    lead: lead ?? null,
    terms: termsOf(question.replace(/[?？,]/g, " ")).filter(
      ({ term }) => !/^(?:how|do|i|the|is|what|which|and|wie|ich|die)$/.test(term),
    ),
  };
  const analysis = { analyze, sentences: sentencesOf };
  const parts = { analysis, areLanguagesDifferent, languageOf };
  const { chosen } = await findSentences(
    { text: question, ...(compare && { compare }) },
    retrieved,
    parts,
  );
  return chosen.map(({ source, start, end }) => passages[source]!.slice(start, end));
}

const echo =
  "How the kettle is descaled depends on the kettle, and descaling the kettle takes time.";
const answer = "Fill it with vinegar and let it boil twice.";
describe("passages in several languages:", () => {
  const german =
    "Die Maschine wird mit Essig und nicht mit Wasser entkalkt. Sie ist aus dem Jahr 1970.";
  const english =
    "The machine is made for the kitchen and has a lid and a plug. It is not for sale.";
  const greek = "Η μηχανή καθαρίζεται με ξίδι. Έχει ένα καπάκι.";
  const near: Similar = (text) => (/Essig|ξίδι/u.test(text) ? 0.9 : 0.1);
  const cases: [why: string, question: string, passages: string[], expected: string[]][] = [
    [
      "the question's own comes first",
      "Wie wird die Maschine entkalkt?",
      [greek, german],
      ["Die Maschine wird mit Essig und nicht mit Wasser entkalkt."],
    ],
    [
      "others are read if nothing in its own answers",
      "How is limescale of any kettle removed with kitchen chemicals?",
      [english, greek],
      ["Η μηχανή καθαρίζεται με ξίδι."],
    ],
  ];
  test.each(cases)("%s", async (_why, question, passages, expected) =>
    expect((await said({ question, passages, similar: near, meaning: 0.5 })).slice(0, 1)).toEqual(
      expected,
    ),
  );
  test("they are not, if those are less similar to the question", async () => {
    const question = "How is limescale of any kettle removed with kitchen chemicals?";
    const passages = [english, greek];
    expect(await said({ question, passages, similar: near, meanings: [0.6, 0.4] })).toEqual([]);
  });
});

describe("the quoted sentences:", () => {
  test("the likeliest comes first, steps in their order", async () => {
    const filler = `A cake ${"of very sweet plums ".repeat(20)}.`;
    const asked = { question: "Which lever opens the lid?" };
    const text = `The lever of the lid is red. ${filler} The lever opens the lid.`;
    expect(await said({ ...asked, passages: [text] })).toEqual([
      "The lever opens the lid.",
      "The lever of the lid is red.",
    ]);
    const steps = `1. Find the lever of the lid.\n\n${filler}\n\n2. The lever opens the lid.`;
    expect(await said({ ...asked, passages: [steps] })).toEqual([
      "1. Find the lever of the lid.",
      "2. The lever opens the lid.",
    ]);
  });

  test("similarity finds the answer where another sentence echoes the question", async () => {
    const by_vinegar = `${answer.slice(0, -1)}, and the kettle is clean.`;
    const filler = "Nobody has counted the cups of tea that were ever drunk in the house.";
    const asked = {
      question: "How do I descale the kettle?",
      passages: [`${echo}\n\n${by_vinegar}`, ...Array<string>(6).fill(filler)],
    };
    expect((await said(asked))[0]).toBe(echo);
    const similar: Similar = (text) => (text === by_vinegar ? 1.1 : text === echo ? 0.7 : 0.1);
    expect(await said({ ...asked, similar, meaning: 0.8 })).toContain(by_vinegar);
  });
  test("a sentence that continues the best one is added", async () =>
    expect(
      await said({
        question: "How do I descale the kettle?",
        passages: [`To descale the kettle, use vinegar. ${answer}`],
      }),
    ).toEqual(["To descale the kettle, use vinegar.", answer]));
  test("code a sentence refers to is added, unless it looks like a marker", async () => {
    const points = "To descale the kettle, use vinegar, as in Listing 3.";
    const code = "```\nboil(vinegar, 2)\n```";
    const asked = { question: "How do I descale the kettle?" };
    expect(await said({ ...asked, passages: [`${points}\n\n${code}`] })).toEqual([points, code]);
    const unread = "```\nboil(vinegars[2])\n```";
    expect(await said({ ...asked, passages: [`${points}\n\n${unread}`] })).toEqual([points]);
  });
  test("short sentences with the answer come before a long one with more of the words", async () => {
    const many = "that somebody had once brought along from a journey to the sea ".repeat(5);
    const long = `The kettle was descaled with the spoon, the bowl and the sieve ${many}of years.`;
    const short = "Vinegar descales the kettle.";
    const asked = { question: "What descales the kettle and the spoon?" };
    expect(await said({ ...asked, passages: [`${long} ${short}`] })).toEqual([short]);
  });
  describe("of the next sentences, much less likely than the best one,", () => {
    const best = "The programme of the washer is kept while the washer is switched off for long.";
    const filler = "Foam is skimmed by hand.";
    const question = "How is the programme of the washer kept while it is switched off for long?";
    const cases: [why: string, next: string, is_added: boolean][] = [
      ["one that refers to it is added", "To get this behaviour, press the star", true],
      ["one that refers to the text isn't", "To learn more of this book, press on", false],
      ["any other isn't", "To get more behaviour, press the star", false],
    ];
    for (const [why, next, is_added] of cases)
      test(why, async () => {
        const similar: Similar = (text) => (text === best ? 1 : 0.5);
        const passages = [`${best} ${next}`, filler];
        const chosen = await said({ question, passages, similar, meaning: 0.8 });
        expect(chosen.includes(best)).toBeTrue();
        expect(chosen.includes(next)).toBe(is_added);
      });
  });
  describe("beside the best sentence,", () => {
    const best = "The timer of the washer says how long the washer turns the drum in the end.";
    const asked = "How long does the timer let the washer turn the drum in the end?";
    const far = "The lid is opened with a lever of red steel, which is found behind it. ".repeat(4);
    const cases: [why: string, passage: string, added: string, is_added: boolean][] = [
      [
        "one with the number that is asked for is added",
        `${best} Set: 90 seconds.`,
        "Set: 90 seconds.",
        true,
      ],
      ["so is one before it", `It is 90 seconds. ${best}`, "It is 90 seconds.", true],
      ["one without it isn't", `${best} Set by hand.`, "Set by hand.", false],
      [
        "nor one far from it",
        `${best} ${far}The timer: 90 seconds.`,
        "The timer: 90 seconds.",
        false,
      ],
      [
        "nor another one",
        `${best} Set: 90 seconds. Unset: 40 seconds.`,
        "Unset: 40 seconds.",
        false,
      ],
    ];
    for (const [why, passage, added, is_added] of cases)
      test(why, async () => {
        const similar: Similar = (text) => (text === best ? 1 : 0.5);
        const passages = [passage, "Foam is skimmed by hand.", "The hose is grey."];
        const chosen = await said({ question: asked, passages, similar, meaning: 0.8, lead: 0.3 });
        expect(chosen).toContain(best);
        expect(chosen.includes(added)).toBe(is_added);
      });
  });
  describe("first comes", () => {
    const cases: [why: string, question: string, passages: string[], expected: string][] = [
      [
        "the sentence with a number of what is counted",
        "How many towers does the castle have?",
        ["The towers of the castle are 12 metres high.", "The castle has five high towers."],
        "The castle has five high towers.",
      ],
      [
        "not one with one of them",
        "How many towers does the castle have?",
        ["The castle has one tower less than 12.", "Of the castle, five high towers are left."],
        "Of the castle, five high towers are left.",
      ],
      [
        "no label without a statement",
        "What is the diameter of the paper roll?",
        ["Paper roll diameter\n\n(1) It is 12 mm with the paper on it."],
        "(1) It is 12 mm with the paper on it.",
      ],
    ];
    test.each(cases)("%s", async (_why, question, passages, expected) =>
      expect((await said({ question, passages }))[0]).toBe(expected),
    );
  });
  test("an instruction in another passage is added to what isn't one", async () => {
    const question = "How do I descale the kettle completely?";
    const about = "Descaling the kettle completely is worth the time that it takes, as all know.";
    const next = `This kettle is red, as it is made of ${"very old, very red ".repeat(13)}clay.`;
    const passages = [`${about} ${next}`, "--descale=FULL Descale the kettle, slowly."];
    expect(await said({ question, passages })).toContain(passages[1]!);
  });
  test.each([
    ["with the number of the question", "104", "the error 104", "An error is shown."],
    ["with its key", "‘K’", "the letter K", "Each letter is green."],
  ])("an entry %s comes first", async (_why, key, what, other) => {
    const passages = [other, `${key} the drum is stuck`];
    const asked = { question: `What does ${what} mean?`, heading: "Letters, errors" };
    expect((await said({ ...asked, passages }))[0]).toBe(passages[1]!);
  });
  test("a command without a colon before it is added", async () => {
    const announced = "You may descale the kettle by issuing the command";
    const command = "# kettle descale --twice";
    const passages = [`${announced}\n\n${command}\n\nIt hums.`];
    const chosen = await said({ question: "How do I descale the kettle?", passages });
    expect(chosen.slice(0, 2)).toEqual([announced, command]);
  });
  test("of two sentences, one with the words that are missing so far is added", async () => {
    const long = "which is counted by those who live there and by nobody else in the land";
    const passages = [
      `The north tower of the castle has the height of 12 metres, ${long}.`,
      `The north tower of the castle had the height of 12 metres in 1970, ${"as all say, ".repeat(6)}.`,
      `The south tower of the castle has the height of 9 metres, ${long} or sky.`,
    ];
    const question = "How high are north tower and south tower?";
    expect(await said({ question, passages })).toEqual([passages[0]!, passages[2]!]);
  });
  test("entries of other names in the same words are no repetitions", async () => {
    const says = "the time of the day in hours and minutes, with a colon in between, as at noon";
    const entries = [`\\t ${says}`, `\\A ${says}`];
    const question = "How do I show the time of the day in hours and minutes?";
    expect(await said({ question, passages: [entries.join("\n")] })).toEqual(entries);
  });
  test("a question after the answer isn't added", async () => {
    const passages = ["To descale the kettle, use vinegar. And how do I descale the pot?"];
    const chosen = await said({ question: "How do I descale the kettle?", passages });
    expect(chosen).toEqual(["To descale the kettle, use vinegar."]);
  });
  test("a statement about an option is quoted with the option", async () => {
    const option = "--log=LEVEL. Nothing is noted at level 0.";
    const between = `Other levels are for ${"those who mend it and for ".repeat(14)} nobody else.`;
    const level = "At level 2 the pressure of the boiler is noted every minute.";
    const asked = {
      question: "What notes the pressure of the boiler every minute?",
      passages: [`${option} ${between} ${level}`],
    };
    expect(await said(asked)).toEqual([option, level]);
    const apart = { ...asked, passages: [`${option}\n\n${between} ${level}`] };
    expect(await said(apart)).toEqual([level]);
    const alone = "--log=LEVEL\n\nNothing is noted at level 0.";
    const paragraphs = { ...asked, passages: [`${alone}\n\n${between} ${level}`] };
    expect(await said(paragraphs)).toEqual([alone, level]);
    const other = { ...asked, passages: [`${alone}\n\nThe boiler\n\n${between} ${level}`] };
    expect(await said(other)).toEqual([level]);
  });
  test("a definition below its term is found by the term, which isn't quoted alone", async () => {
    const mention = "The encoder of the kettle may be replaced.";
    const definition = "A device that measures the level of water.";
    const similar: Similar = (text) => (text === `Encoder: ${definition}` ? 1.2 : 0.7);
    const asked = { question: "What is the encoder?", similar, meaning: 0.7 };
    for (const between of ["\n", "\n\n"])
      expect(
        await said({ ...asked, passages: [mention, `Encoder${between}${definition}`] }),
      ).toEqual([definition, mention]);
  });
  test("a sentence that is repeated with other line breaks isn't added", async () =>
    expect(
      await said({
        question: "How do I descale the kettle?",
        passages: ["To descale the kettle, use vinegar.", "To descale the\nkettle, use vinegar."],
      }),
    ).toEqual(["To descale the kettle, use vinegar."]));
  test("the sentence that a pronoun refers to is quoted first", async () => {
    const file = "The cache is a file of its own.";
    const holds = "It holds the cups that were washed before.";
    const echo_of_it =
      "Whoever wants to know which cups were washed before holds them to the light.";
    const asked = {
      question: "Which one holds the cups that were washed before?",
      passages: [`${file} ${holds}`, ...Array.from({ length: 4 }, (_, i) => `${i}. ${echo_of_it}`)],
    };
    expect((await said(asked)).slice(0, 2)).toEqual([file, holds]);
  });
  test("the entry of the next option isn't added", async () =>
    expect(
      await said({
        question: "What stops the chatter about cups?",
        passages: [
          "‘-q’ Do all of it quietly. Don't chatter about the cups that are washed.\n" +
            "‘-r’ Begin with the last and end with the first of all.",
        ],
      }),
    ).toEqual(["‘-q’ Do all of it quietly.", "Don't chatter about the cups that are washed."]));
  test("the items of a list follow what introduces it, in order and as far as they fit", async () => {
    const introduction = "These steps should be followed to descale the kettle:";
    const items = ["1. Fill the vessel:\n\n• Close the tap", "2. Wait", "• Stir"];
    const long = `3. Stir it ${"and again stir it ".repeat(16)}until it is warm`;
    const end = "7. Fill the kettle again, and descale the kettle in a year.";
    const asked = { question: "Which steps descale the kettle?" };
    const list = [introduction, ...items, long, end].join("\n\n");
    expect(await said({ ...asked, passages: [list] })).toEqual([introduction, ...items]);
  });
  test("a heading isn't quoted", async () => {
    for (const head of ["4.2 Descaling the kettle", "Descaling the kettle"])
      expect(
        await said({
          question: "How do I descale the kettle?",
          heading: "Care › Descaling the kettle",
          passages: [`${head}\n\nTo descale the kettle, use vinegar.`],
        }),
      ).toEqual(["To descale the kettle, use vinegar."]);
  });
  test("each part of a question gets its sentence", async () => {
    const volume = "The kettle holds two litres of water.";
    const lid = "Press the lever to open the lid.";
    const between = `Other things are told at length ${"in this part of the manual ".repeat(12)}.`;
    expect(
      await said({
        question: "How much water does the kettle hold, and how do I open the lid?",
        passages: [volume, between, lid],
      }),
    ).toEqual([volume, lid]);
  });
  test("a copy of a document repeats nothing in the second part", async () => {
    const volume = "The kettle holds two litres of water.";
    const kept = "The water of the kettle is kept warm by a lid.";
    const question = "How much water does the kettle hold, and what keeps the kettle water warm?";
    const document = `${volume} ${kept}`;
    const chosen = await said({ question, passages: [document, document] });
    expect(chosen).toEqual([...new Set(chosen)]);
    expect(chosen).toContain(volume);
  });
  test("the second part is about the subject of the first", async () => {
    const question = "How much water does the kettle hold, and what does a zero mean?";
    const between = `Other things are told at length ${"in this part of the manual ".repeat(12)}.`;
    const own = "A zero on the dial keeps the water warm.";
    const first = `The kettle holds two litres of water. ${between} ${own}`;
    const colder = "A zero on the dial of the fridge is cold.";
    expect((await said({ question, passages: [colder, first] }))[1]).toBe(own);
  });
});

describe("whether there is an answer:", () => {
  const german = "Wie entkalke ich die Kaffeemaschine?";
  const english = "The machine is cleaned with vinegar. It has a lid and a plug and a long cable.";
  const cases: [string, Asked, boolean][] = [
    [
      "another language answers when similarity is high",
      { question: german, passages: [english], similar: () => 0.7, meaning: 0.5 },
      true,
    ],
    [
      "another language answers at a lower similarity when its sentence stands out",
      {
        question: german,
        passages: [english],
        similar: (text) => (text.includes("vinegar") ? 0.5 : 0.1),
      },
      true,
    ],
    [
      "but not when other sentences are as similar",
      { question: german, passages: [english], similar: () => 0.4 },
      false,
    ],
    [
      "another language doesn't answer when similarity is low",
      { question: german, passages: [english], similar: () => 0.2, meaning: 0.3 },
      false,
    ],
    [
      "the passage's similarity decides when none of its sentences was compared",
      { question: german, passages: [english], similar: () => null, meaning: 0.6 },
      true,
    ],
    [
      "another language answers at a lower similarity when its passage stands out",
      { question: german, passages: [english], similar: () => 0.5, lead: 0.3 },
      true,
    ],
    [
      "but not when other passages are as similar",
      { question: german, passages: [english], similar: () => 0.4, lead: 0.05 },
      false,
    ],
    [
      "another language is refused without a similarity",
      { question: german, passages: [english] },
      false,
    ],
    [
      "a number is asked for and the sentence has none",
      {
        question: "How much does the machine cost?",
        passages: ["The cost of the machine is a burden to all."],
        similar: () => 0.7,
        lead: 0.2,
      },
      false,
    ],
    [
      "a number is asked for and the sentence has one",
      {
        question: "How much does the machine cost?",
        passages: ["The cost of the machine is 40 pounds to all."],
        similar: () => 0.7,
        lead: 0.2,
      },
      true,
    ],
    [
      "what is counted is not in the passage",
      {
        question: "How many countries sell the machine?",
        passages: ["Shops that sell the machine sell 3 of them."],
        similar: () => 0.9,
        lead: 0.2,
      },
      false,
    ],
    [
      "what is counted are units, which may be written in another way",
      {
        question: "How many hours does the machine take?",
        passages: ["All in all the machine takes 3 h."],
        similar: () => 0.9,
        lead: 0.2,
      },
      true,
    ],
    [
      "what is counted is not in the passage, in a language without spaces",
      {
        question: "食堂有几个窗口？",
        passages: ["食堂可容纳180人同时用餐，位于二号楼一层。"],
        similar: () => 0.9,
        lead: 0.4,
      },
      false,
    ],
    [
      "a price is asked for, and a similar sentence has none",
      {
        question: "How much does the machine cost?",
        passages: ["The machine is 40 cm wide."],
        similar: () => 1.2,
        lead: 0.6,
      },
      false,
    ],
    [
      "a price is asked for, and another sentence of the passage has it",
      {
        question: "How much does the large machine cost?",
        passages: ["The large machine is large. The cost of the large machine: $40."],
        similar: (text) => (text.includes("$") ? 0.8 : 1.2),
        lead: 0.6,
      },
      true,
    ],
    [
      "an email address is asked for, and the sentence has none",
      {
        question: "What is the email address of the dentist?",
        passages: ["Email the dentist, or visit the dentist at his address."],
        similar: () => 1.2,
        lead: 0.6,
      },
      false,
    ],
    [
      "what is counted is in the passage",
      {
        question: "How many countries sell the machine?",
        passages: ["Shops that sell the machine sell 3 of them. They are in two countries."],
        similar: () => 0.9,
        lead: 0.2,
      },
      true,
    ],
    [
      "a name is missing, and the sentence is somewhat similar",
      {
        question: "How does the machine of Ardalin remove limescale?",
        passages: ["Limescale dissolves in citric acid."],
        similar: () => 1,
        lead: 0.4,
      },
      false,
    ],
    [
      "a sentence has only the name of what is asked about",
      {
        question: "What length does the ship Ardalin have?",
        passages: ["Captain Bo of Ardalin owns a parrot and a hat."],
        similar: () => 0.9,
        lead: 0.6,
      },
      false,
    ],
    [
      "a sentence has only the name, but says the rest in other words",
      {
        question: "What length does the ship Ardalin have?",
        passages: ["Ardalin measures ninety yards from bow to stern."],
        similar: () => 1.1,
        lead: 0.6,
      },
      true,
    ],
    [
      "a statement right below its heading is about it",
      {
        question: "When is the next inspection?",
        passages: ["# Next inspection\n\n5 December 2031 at half past three, in the boiler room."],
        similar: (text) => (text.includes("Next inspection: 5 December") ? 0.9 : 0.1),
      },
      true,
    ],
    [
      "a name is missing, but the sentence stands out far",
      {
        question: "How does the machine of Ardalin remove limescale?",
        passages: ["Limescale dissolves in citric acid."],
        similar: () => 1.2,
        lead: 0.4,
      },
      true,
    ],
    [
      "the same words in a different sense are refused",
      {
        question: "What is the price of the machine?",
        passages: ["All this has its price, and the machine is slow."],
        similar: () => 0.3,
        meaning: 0,
      },
      false,
    ],
    [
      "high similarity without the important words is refused",
      {
        question: "Which kettle converts water into petroleum and diamonds?",
        passages: ["This device turns it hot within a minute."],
        similar: () => 0.9,
        lead: 0.3,
      },
      false,
    ],
    [
      "some of the words answer when the passage stands out",
      {
        question: "How do I remove limescale?",
        passages: ["Limescale dissolves in citric acid."],
        similar: () => 0.8,
        lead: 0.3,
      },
      true,
    ],
    [
      "but not when other passages are as similar",
      {
        question: "How do I remove limescale?",
        passages: ["Limescale dissolves in citric acid."],
        similar: () => 0.75,
        lead: 0,
      },
      false,
    ],
    [
      "fewer words answer when the sentence stands out",
      {
        question: "How do I remove limescale?",
        passages: ["Limescale dissolves in citric acid. The kettle is red."],
        similar: (text) => (text.includes("acid") ? 0.9 : 0.1),
        lead: 0,
      },
      true,
    ],
    [
      "but not when other sentences are as similar",
      {
        question: "How do I remove limescale?",
        passages: ["Limescale dissolves in citric acid. The kettle is red."],
        similar: () => 0.9,
        lead: 0,
      },
      false,
    ],
    [
      "matching words and high similarity answer",
      {
        question: "Which lever opens the lid?",
        passages: ["The red lever opens the lid."],
        similar: () => 1,
        meaning: 0.6,
      },
      true,
    ],
  ];
  for (const [why, asked, is_answered] of cases)
    test(why, async () => expect((await said(asked)).length > 0).toBe(is_answered));
});
