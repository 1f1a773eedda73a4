/**
 * Which sentences an answer says: what belongs together, each part of a question, meaning beside
 * words, across languages, and when nothing answers.
 */
import { describe, expect, test } from "bun:test";
import { answerPattern } from "../../plugins/answers-extractive/answer-types";
import { questionParts } from "../../plugins/answers-extractive/question-parts";
import { findSentences } from "../../plugins/answers-extractive/sentence-finder";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import { areLanguagesDifferent } from "../../plugins/search-index/analysis/languages";
import { sentencesOf } from "../../plugins/search/sentences";

const analyze = (text: string): { term: string; start: number; end: number }[] => {
  const words: { term: string; start: number; end: number }[] = [];
  analyzer.tokenize(text, (_hash, start, end, term) => {
    words.push({ term: term ?? text.slice(start, end), start, end });
  });
  return words;
};
const termsOf = (words: string) => analyze(words).map(({ term }) => ({ term, idf: 2 }));

describe("what belongs together", () => {
  const cases: [string, string, string[]][] = [
    [
      "a colon and what it announces, over an empty line too",
      "To remove the pump (once it is dry):\n\n  pumpctl --remove all\n\nThen close the lid.",
      ["To remove the pump (once it is dry):\n\n  pumpctl --remove all", "Then close the lid."],
    ],
    [
      "an option and what it does; each of a list stands alone",
      "--dry wash nothing, only say what would be washed\n--heat=DEGREES wash at so many degrees\n" +
        "--quiet say nothing",
      [
        "--dry wash nothing, only say what would be washed",
        "--heat=DEGREES wash at so many degrees",
        "--quiet say nothing",
      ],
    ],
    [
      "a lone option and the line below it",
      "‘--heat=degrees’\nWash at so many degrees.\n\n‘--dry’\nWash nothing.",
      ["‘--heat=degrees’\nWash at so many degrees.", "‘--dry’\nWash nothing."],
    ],
    [
      "an option with a full stop, and what it does",
      "--dry. Nothing is washed. It only says what would be.\n--heat degrees. It is hot.",
      ["--dry. Nothing is washed.", "It only says what would be.", "--heat degrees. It is hot."],
    ],
    [
      "each item of a list with round or square marks",
      "● -n Wash nothing and\n● -q say nothing of it\n■ Dry it",
      ["● -n Wash nothing and", "● -q say nothing of it", "■ Dry it"],
    ],
    [
      "an option that a line of prose happens to begin with does not part it",
      "Whoever wants to see what would be washed without any water gives it the option\n" +
        "-n and reads what it says.",
      [
        "Whoever wants to see what would be washed without any water gives it the option\n" +
          "-n and reads what it says.",
      ],
    ],
    [
      "a number of a list and its text",
      "1. Open the lid. 2. Dry it.",
      ["1. Open the lid.", "2. Dry it."],
    ],
    [
      "a colon announces no head of a table",
      "These are the programs:\n\nPROGRAM DEGREES\n\ncotton 60",
      ["These are the programs:", "PROGRAM DEGREES", "cotton 60"],
    ],
    [
      "ein Doppelpunkt auch im Deutschen",
      "So geht es:\n\nKlappe zu.",
      ["So geht es:\n\nKlappe zu."],
    ],
    [
      "a row of a table is one, whatever its cells say; the head has the line below it",
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
      "a block of code is one, with its fences, whatever it says",
      "Start it. It hums.\n\n```sh\npump start\n\npump list. Then wait.\n```\n\nDone.",
      ["Start it.", "It hums.", "```sh\npump start\n\npump list. Then wait.\n```", "Done."],
    ],
    [
      "code that a colon announces belongs to it",
      "Start it so:\n\n~~~\npump start\n~~~\nIt hums.",
      ["Start it so:\n\n~~~\npump start\n~~~", "It hums."],
    ],
    [
      "a part of a text may begin within a block",
      "pump start\npump list\n```\n\nIt hums. It is warm.",
      ["pump start\npump list\n```", "It hums.", "It is warm."],
    ],
    [
      "and end within one",
      "It hums.\n\n```\npump start. Wait.\npump list",
      ["It hums.", "```\npump start. Wait.\npump list"],
    ],
    [
      "of a block too long for a quote, lines are",
      `\`\`\`\n${"pump start --slowly and wait. Then\n".repeat(20)}\`\`\`\nIt hums.`,
      [
        `\`\`\`\n${"pump start --slowly and wait. Then\n".repeat(8).trim()}`,
        "pump start --slowly and wait. Then\n".repeat(8).trim(),
        `${"pump start --slowly and wait. Then\n".repeat(4)}\`\`\``,
        "It hums.",
      ],
    ],
    ["中文冒号也一样", "命令如下：\n\npumpctl start", ["命令如下：\n\npumpctl start"]],
  ];
  for (const [why, text, expected] of cases)
    test(why, () =>
      expect(sentencesOf(text).map(({ start, end }) => text.slice(start, end))).toEqual(expected),
    );
});

describe("the questions of a text", () => {
  const cases: [string, string, string[]][] = [
    [
      "two with a comma",
      "What is the boiler pressure, and how do I lower it?",
      ["What is the boiler pressure", "how do I lower it?"],
    ],
    [
      "two without one",
      "Who built the mill and when was it sold?",
      ["Who built the mill", "when was it sold?"],
    ],
    [
      "with a preposition",
      "What is the mill made of and by whom was it sold?",
      ["What is the mill made of", "by whom was it sold?"],
    ],
    [
      "two sentences",
      "Who built the mill? When was it sold?",
      ["Who built the mill?", "When was it sold?"],
    ],
    [
      "German",
      "Wie hoch ist der Druck und wie senke ich ihn?",
      ["Wie hoch ist der Druck", "wie senke ich ihn?"],
    ],
    [
      "French",
      "Qui a construit le moulin et quand fut-il vendu ?",
      ["Qui a construit le moulin", "quand fut-il vendu ?"],
    ],
    [
      "Russian",
      "Кто построил мельницу и когда её продали?",
      ["Кто построил мельницу", "когда её продали?"],
    ],
    ["Chinese", "锅炉的压力是多少，如何降低？", ["锅炉的压力是多少", "如何降低？"]],
    [
      "an and within one",
      "Which salt and pepper mills are sold?",
      ["Which salt and pepper mills are sold?"],
    ],
    [
      "what leads to a question is none",
      "The mill stands still. Which lever starts it?",
      ["The mill stands still. Which lever starts it?"],
    ],
  ];
  for (const [why, text, expected] of cases)
    test(why, () => expect(questionParts(text)).toEqual(expected));
});

describe("what a sentence must hold that answers about options", () => {
  const cases: [why: string, question: string, sentence: string, holds: boolean][] = [
    ["the option that is named, explained", "What does washer -n do?", "-n Wash nothing.", true],
    ["… with a mark", "What does --heat do?", "● --heat=DEGREES Wash at so many.", true],
    ["… and not mentioned", "What does --heat do?", "Give --heat before it.", false],
    ["… nor another that begins like it", "What does --heat do?", "--heater Which one.", false],
    ["a command", "What is the default of \\hbox?", "▶ \\hbox (integer) Is one.", true],
    ["any option", "Which option prints crop marks?", "Crop marks come with ‘-k’.", true],
    ["… in German", "Welcher Schalter druckt?", "Das tut --print.", true],
    ["a hyphen or a dash is none", "Which option prints?", "Well-known marks - or none.", false],
  ];
  for (const [why, question, sentence, holds] of cases)
    test(why, () => expect(answerPattern(question)!.test(sentence)).toBe(holds));
  test("what names no option asks for none", () =>
    expect(answerPattern("Is the e-mail well-known - or not?")).toBeNull());
});

type Similar = (text: string, question: string) => number | null;
interface Asked {
  readonly question: string;
  readonly passages: readonly string[];
  readonly heading?: string;
  /** How near a sentence is in meaning; without it nothing tells. */
  readonly similar?: Similar;
  readonly meaning?: number;
}
async function said({ question, passages, similar, meaning, heading }: Asked): Promise<string[]> {
  const compare =
    similar &&
    (async (part: string, texts: readonly string[]) => texts.map((text) => similar(text, part)));
  const retrieved = {
    passages: passages.map((quote, at) => ({
      quote,
      document_name: "Manual",
      heading: heading ?? null,
      score: 1 - at / 10,
    })) as never,
    meanings: passages.map(() => meaning ?? null),
    terms: termsOf(question.replace(/[?？,]/g, " ")).filter(
      ({ term }) => !/^(?:how|do|i|the|is|what|which|and|wie|ich|die)$/.test(term),
    ),
  };
  const analysis = { analyze, sentences: sentencesOf },
    parts = { analysis, areLanguagesDifferent },
    { chosen } = await findSentences(
      { text: question, ...(compare && { compare }) },
      retrieved,
      parts,
    );
  return chosen.map(({ source, start, end }) => passages[source]!.slice(start, end));
}

const echo =
  "How the kettle is descaled depends on the kettle, and descaling the kettle takes time.";
const answer = "Fill it with vinegar and let it boil twice.";
describe("what is said", () => {
  test("meaning finds the sentence that answers where another echoes the question", async () => {
    const by_vinegar = `${answer.slice(0, -1)}, and the kettle is clean.`,
      filler = "Nobody has counted the cups of tea that were ever drunk in the house.",
      asked = {
        question: "How do I descale the kettle?",
        passages: [`${echo}\n\n${by_vinegar}`, ...Array<string>(6).fill(filler)],
      };
    expect((await said(asked))[0]).toBe(echo);
    const similar: Similar = (text) => (text === by_vinegar ? 1.1 : text === echo ? 0.7 : 0.1);
    expect(await said({ ...asked, similar, meaning: 0.8 })).toContain(by_vinegar);
  });
  test("what follows the best sentence goes on with it", async () =>
    expect(
      await said({
        question: "How do I descale the kettle?",
        passages: [`To descale the kettle, use vinegar. ${answer}`],
      }),
    ).toEqual(["To descale the kettle, use vinegar.", answer]));
  test("code below the sentence that points to it follows, unless it reads as a marker", async () => {
    const points = "To descale the kettle, use vinegar, as in Listing 3.",
      code = "```\nboil(vinegar, 2)\n```",
      asked = { question: "How do I descale the kettle?" };
    expect(await said({ ...asked, passages: [`${points}\n\n${code}`] })).toEqual([points, code]);
    const unread = "```\nboil(vinegars[2])\n```";
    expect(await said({ ...asked, passages: [`${points}\n\n${unread}`] })).toEqual([points]);
  });
  test("a question after it adds nothing", async () =>
    expect(
      await said({
        question: "How do I descale the kettle?",
        passages: [`To descale the kettle, use vinegar. And how do I descale the pot?`],
      }),
    ).toEqual(["To descale the kettle, use vinegar."]));
  test("what is said of an option comes with the option", async () => {
    const option = "--log=LEVEL. Nothing is noted at level 0.",
      between = `Other levels are for ${"those who mend it and for ".repeat(14)} nobody else.`,
      level = "At level 2 the pressure of the boiler is noted every minute.";
    const asked = {
      question: "What notes the pressure of the boiler every minute?",
      passages: [`${option} ${between} ${level}`],
    };
    expect(await said(asked)).toEqual([option, level]);
    const apart = { ...asked, passages: [`${option}\n\n${between} ${level}`] };
    expect(await said(apart)).toEqual([level]);
  });
  test("what a sentence goes on about is said before it", async () => {
    const file = "The cache is a file of its own.",
      holds = "It holds the cups that were washed before.",
      echo_of_it = "Whoever wants to know which cups were washed before holds them to the light.";
    const asked = {
      question: "Which one holds the cups that were washed before?",
      passages: [`${file} ${holds}`, ...Array.from({ length: 4 }, (_, i) => `${i}. ${echo_of_it}`)],
    };
    expect((await said(asked)).slice(0, 2)).toEqual([file, holds]);
  });
  test("the entry of the next option does not go on with this one", async () =>
    expect(
      await said({
        question: "What stops the chatter about cups?",
        passages: [
          "‘-q’ Do all of it quietly. Don't chatter about the cups that are washed.\n" +
            "‘-r’ Begin with the last and end with the first of all.",
        ],
      }),
    ).toEqual(["‘-q’ Do all of it quietly.", "Don't chatter about the cups that are washed."]));
  test("a heading is not said", async () => {
    for (const head of ["4.2 Descaling the kettle", "Descaling the kettle"])
      expect(
        await said({
          question: "How do I descale the kettle?",
          heading: "Care › Descaling the kettle",
          passages: [`${head}\n\nTo descale the kettle, use vinegar.`],
        }),
      ).toEqual(["To descale the kettle, use vinegar."]);
  });
  test("each part of a question has its sentence", async () => {
    const volume = "The kettle holds two litres of water.",
      lid = "Press the lever to open the lid.";
    const between = `Other things are told at length ${"in this part of the manual ".repeat(12)}.`;
    expect(
      await said({
        question: "How much water does the kettle hold, and how do I open the lid?",
        passages: [volume, between, lid],
      }),
    ).toEqual([volume, lid]);
  });
});

describe("nothing answers", () => {
  const german = "Wie entkalke ich die Kaffeemaschine?",
    english = "The machine is cleaned with vinegar. It has a lid and a plug and a long cable.";
  const cases: [string, Asked, boolean][] = [
    [
      "another language is answered when the meaning is near",
      { question: german, passages: [english], similar: () => 0.6, meaning: 0.5 },
      true,
    ],
    [
      "… and not when it is far",
      { question: german, passages: [english], similar: () => 0.2, meaning: 0.3 },
      false,
    ],
    [
      "… the passage's meaning decides when no sentence's was in time",
      { question: german, passages: [english], similar: () => null, meaning: 0.6 },
      true,
    ],
    [
      "… code is near many questions a little",
      {
        question: german,
        passages: ["```\nclean --machine\n```"],
        similar: () => 0.5,
        meaning: 0.4,
      },
      false,
    ],
    [
      "… not so with a sentence that announces it",
      {
        question: german,
        passages: ["The machine is cleaned so:\n\n```\nclean --machine\n```"],
        similar: () => 0.5,
        meaning: 0.4,
      },
      true,
    ],
    ["… by words alone it is refused", { question: german, passages: [english] }, false],
    [
      "a number is asked for that the sentence has not",
      {
        question: "How much does the machine cost?",
        passages: ["The cost of the machine is a burden to all."],
        similar: () => 0.7,
        meaning: 0.3,
      },
      false,
    ],
    [
      "… and one that it has",
      {
        question: "How much does the machine cost?",
        passages: ["The cost of the machine is 40 pounds to all."],
        similar: () => 0.7,
        meaning: 0.3,
      },
      true,
    ],
    [
      "the same words in another sense are refused",
      {
        question: "What is the price of the machine?",
        passages: ["All this has its price, and the machine is slow."],
        similar: () => 0.3,
        meaning: 0,
      },
      false,
    ],
    [
      "near in meaning without the words that matter is refused",
      {
        question: "Which kettle converts water into petroleum and diamonds?",
        passages: ["This device turns it hot within a minute."],
        similar: () => 0.9,
        meaning: 0.4,
      },
      false,
    ],
    [
      "words and meaning together are answered",
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
