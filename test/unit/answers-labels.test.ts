/** What says what a sentence is about: its heading, the first cell of its row, what it is beside. */
import { expect, test } from "bun:test";
import { coordinatedTerms } from "../../plugins/answers-extractive/coordinated-terms";
import { namingHeading } from "../../plugins/answers-extractive/line-kinds";
import { cellSentences } from "../../plugins/answers-extractive/long-cells";
import type { Word } from "../../plugins/answers-extractive/question-weights";
import { findSentences } from "../../plugins/answers-extractive/sentence-finder";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import { areLanguagesDifferent, languageOf } from "../../plugins/search-index/analysis/languages";
import { sentencesOf } from "../../plugins/search/sentences";

const analyze = (text: string): Word[] => {
  const words: Word[] = [];
  analyzer.tokenize(text, (_hash, start, end, term) => {
    words.push({ term: term ?? text.slice(start, end), start, end });
  });
  return words;
};

test.each([
  ["a name with capitals inside", "Settings › LidLock", "LidLock"],
  ["a name in capitals", "LIDLOCK", "LIDLOCK"],
  ["a command in small letters, below its number", "Commands › 2.2 break", "break"],
  ["an option", "Options › --quiet", "--quiet"],
  ["not a word", "Settings › Printing", ""],
  ["not several words", "Settings › lid lock", ""],
  ["not without a heading", null, ""],
] as const)("a heading is a name: %s", (_reason, heading, name) =>
  expect(namingHeading(heading)).toBe(name),
);

test.each([
  ["two nouns", "Which colours do ships and boats have?", ["ships", "boats"]],
  ["of the same kind", "What are the left cap and the right cap of a gate?", ["left", "right"]],
  ["with a preposition", "What is the load of the old gate and of the new gate?", ["old", "new"]],
  ["in German", "Wie heißen Stern und Schiff?", ["stern", "schiff"]],
  ["one thing", "Which colour do ships have?", null],
  ["nothing behind it", "Is it red and?", null],
] as const)("two things that are asked about: %s", (_reason, question, expected) => {
  const counted = "colours ships boats left right cap gate load old new stern schiff red";
  const counted_terms = new Set(analyze(counted).map(({ term }) => term));
  const terms = coordinatedTerms(question, analyze, counted_terms);
  const expected_terms = expected?.map((word) => analyze(word)[0]!.term) ?? null;
  expect(terms && [...terms]).toEqual(expected_terms);
});

const long_text =
  "Lids are of four kinds. ROUND – a lid for pots of any size, which is lifted by its knob. " +
  "FLAT – a lid for boxes, which is lifted at both of its ends and must be put down with care. " +
  "The lids of trunks are none of these, as they have hinges of their own. All of them are made of wood, and last for a long time in any house.";
test.each([
  ["the sentences of a long cell", `| Lid | ${long_text} |`, 5, "Lid"],
  ["not of short rows", "| Lid | It opens. It closes. |", null, ""],
  ["not of one sentence", `| Lid | ${"very long and ".repeat(30)}heavy. |`, null, ""],
  ["not with escapes, which are no text", `| Lid | ${long_text} a\\|b |`, null, ""],
  ["no label that is itself long", `| ${long_text} | Lid |`, 5, ""],
] as const)("rows with long cells: %s", (_reason, row, count, label) => {
  const sentences = cellSentences(row, sentencesOf);
  expect(sentences?.length ?? null).toBe(count);
  for (const one of sentences ?? []) {
    expect(one.label).toBe(label);
    expect(long_text).toContain(row.slice(one.start, one.end));
  }
});

const chosenFor = async (
  question: string,
  words: string,
  passages: readonly { readonly quote: string; readonly heading?: string }[],
) => {
  const terms = analyze(words).map(({ term }) => ({ term, idf: 2, others: [] }));
  const retrieved = passages.map(({ quote, heading }, at) => ({
    quote,
    heading: heading ?? null,
    document_id: `doc_${at}`,
    document_name: "Lids",
    score: 1,
  }));
  const { chosen } = await findSentences(
    { text: question, compare: undefined },
    { passages: retrieved as never, meanings: retrieved.map(() => null), terms, lead: 0 },
    { analysis: { analyze, sentences: sentencesOf }, areLanguagesDifferent, languageOf },
  );
  return chosen.map(({ source, start, end, name }) => ({
    text: passages[source]!.quote.slice(start, end),
    name,
  }));
};

test("a name that is asked for may be the heading", async () => {
  const quote = "Unless it is zero, the lid is locked.";
  const asked = await chosenFor("Which setting locks the lid?", "setting locks lid", [
    { quote, heading: "Settings › LidLock" },
  ]);
  expect(asked).toEqual([{ text: quote, name: "LidLock" }]);
  const other = await chosenFor("When is the lid locked?", "lid locked", [
    { quote, heading: "Settings › LidLock" },
  ]);
  expect(other).toEqual([{ text: quote, name: undefined }]);
});

test("of a long cell, the sentence that answers is quoted, with the label of its row", async () => {
  const [first] = await chosenFor("What does the lid FLAT mean?", "lid FLAT mean", [
    { quote: `| Lid | ${long_text} |` },
  ]);
  expect(first!.text).toStartWith("FLAT – a lid for boxes");
  expect(first!.name).toBe("Lid");
});

test("each of two things that are asked about is in the answer", async () => {
  const quote =
    "The knob of a round lid is red. The knob is painted twice, and a knob is not heavy. " +
    "Some of them are old. They were found in a shed. The knob of a flat lid is made of brass.";
  const chosen = await chosenFor(
    "What is the knob of a round lid and of a flat lid?",
    "knob round flat lid",
    [{ quote }],
  );
  expect(chosen.map(({ text }) => text)).toContain("The knob of a flat lid is made of brass.");
});

test("a sentence that refers to another behind some words is quoted with it", async () => {
  const chosen = await chosenFor("Which lid fits pots and boxes?", "lid fits pots boxes", [
    { quote: "Brass lids are soft. In fact, this is the only lid that fits pots and boxes." },
  ]);
  expect(chosen.map(({ text }) => text)).toContain("Brass lids are soft.");
});
