/** Lists of short lines: each line is a sentence, while wrapped prose stays whole. */
import { expect, test } from "bun:test";
import { sentencesOf } from "../../plugins/search/sentences";

const notes = [
  "do first",
  "re second note of it",
  "mi third",
  "fa fourth, with a long word",
  "so x",
];
const endings = [
  "*.txt plain text of any kind",
  "*.png pictures",
  "*.csv tables, and nothing else at all",
  "*.md notes",
  "*.log what happened",
];
const wrapped = [
  "the ferry leaves every morning from the old",
  "pier, and returns in the evening unless the",
  "wind is too strong for it; then it stays on",
  "the island until the weather is better and",
  "the harbour master lets it leave.",
];
const justified = [
  "the  ferry  leaves  every  morning  from  the",
  "old    pier    and    always    returns    in",
  "the   evening  unless  a  wind  is  too  strong",
  "for  it  and  then  it  stays  at  the  island.",
];
const by_sense = [
  "when the ferry leaves,",
  "it blows its horn twice,",
  "and everyone on the pier waves,",
  "as they have done for a hundred years.",
];
const cases: readonly [reason: string, lines: readonly string[], sentences: readonly string[]][] = [
  ["entries of a list in small letters", notes, notes],
  ["entries that begin with a sign", endings, endings],
  ["three lines are too few to tell", notes.slice(0, 3), [notes.slice(0, 3).join("\n")]],
  ["a wrapped text", wrapped, [wrapped.join("\n")]],
  ["a justified text", justified, [justified.join("\n")]],
  ["a text broken by sense", by_sense, [by_sense.join("\n")]],
  [
    "an entry that is wrapped",
    [...notes, "la a note so long that nobody who sings it ever has", "enough breath left for it"],
    [...notes, "la a note so long that nobody who sings it ever has\nenough breath left for it"],
  ],
  ["a list below a text", [...wrapped, "", ...notes], [wrapped.join("\n"), ...notes]],
];

test.each(cases)("%s", (_reason, lines, sentences) => {
  const text = lines.join("\n");
  expect(sentencesOf(text).map(({ start, end }) => text.slice(start, end))).toEqual([...sentences]);
});
