/** How a text with several questions is split into them. */
import { describe, expect, test } from "bun:test";
import {
  abridged,
  questionParts,
  withoutQuoted,
} from "../../plugins/answers-extractive/question-parts";

describe("splitting a text into questions:", () => {
  const cases: [string, string, string[]][] = [
    [
      "two joined with a comma",
      "What is the boiler pressure, and how do I lower it?",
      ["What is the boiler pressure", "how do I lower it?"],
    ],
    [
      "two joined without a comma",
      "Who built the mill and when was it sold?",
      ["Who built the mill", "when was it sold?"],
    ],
    [
      "the second begins with a preposition",
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
      "a first half without a statement of its own",
      "Which size and which colour does the mill have?",
      ["Which size and which colour does the mill have?"],
    ],
    ["a short question of its own", "What is it and who made it?", ["What is it", "who made it?"]],
    [
      "a word that only begins like an and doesn't split it",
      "Which of them is the cheaper one, Eco or Turbo?",
      ["Which of them is the cheaper one, Eco or Turbo?"],
    ],
    [
      "an and inside a question doesn't split it",
      "Which salt and pepper mills are sold?",
      ["Which salt and pepper mills are sold?"],
    ],
    [
      "a statement before a question isn't split off",
      "The mill stands still. Which lever starts it?",
      ["The mill stands still. Which lever starts it?"],
    ],
  ];
  for (const [why, text, expected] of cases)
    test(why, () => expect(questionParts(text)).toEqual(expected));
});

describe("of a text, what asks is read:", () => {
  const cases: [why: string, text: string, expected: string][] = [
    ["a short text as a whole", "a".repeat(4_000), "a".repeat(4_000)],
    [
      "of a long one the beginning and the end",
      `${"a".repeat(2_000)}${"b".repeat(9_000)}${"c".repeat(2_000)}`,
      `${"a".repeat(2_000)}\n${"c".repeat(2_000)}`,
    ],
    [
      "no half of a character",
      `${"a".repeat(1_999)}\u{20000}${"b".repeat(9_000)}\u{20000}${"c".repeat(1_999)}`,
      `${"a".repeat(1_999)}\ufffd\n\ufffd${"c".repeat(1_999)}`,
    ],
  ];
  test.each(cases)("%s", (_why, text, expected) => expect(abridged(text)).toBe(expected));
});

test.each([
  ["a title", 'In welchem Jahr erschien "Fog on the Lake"?', "In welchem Jahr erschien  ?"],
  ["in other marks", "Wann erschien „Fog on the Lake“ zuerst?", "Wann erschien   zuerst?"],
  ["not when little is left", 'What is "Fog on the Lake"?', 'What is "Fog on the Lake"?'],
  ["nothing is quoted", "Wann wurde der Turm gebaut?", "Wann wurde der Turm gebaut?"],
])("without what is quoted: %s", (_why, question, expected) =>
  expect(withoutQuoted(question)).toBe(expected),
);
