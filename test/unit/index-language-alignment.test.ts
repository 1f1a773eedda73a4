/** How well a model relates two languages. */
import { describe, expect, test } from "bun:test";
import {
  alignmentBetween,
  alignmentsOf,
} from "../../plugins/search-index/vectors/language-alignment";

/** Three questions: what a language has in common counts nothing, `shift` makes them less alike. */
const questionsWith = (common: number, shift: number): Float32Array[] =>
  [0, 1, 2].map((at) => {
    const vector = new Float32Array(5);
    vector[at] = 1 - shift;
    vector[(at + 1) % 3] = shift;
    vector[3] = common;
    return vector;
  });
const languages = ["en", "de", "zh", "xx"];
const questions = [
  questionsWith(0.5, 0),
  questionsWith(0.1, 0),
  questionsWith(0.9, 0.25),
  [null, ...questionsWith(0, 0).slice(1)],
];
const alignments = alignmentsOf(languages, questions);

describe("the alignment of two languages", () => {
  const cases: [why: string, one: string | null, other: string | null, number | null][] = [
    ["is higher where translations are more similar", "en", "de", 1.6],
    ["is 1 for a typical pair", "en", "zh", 1],
    ["is the same in both directions", "zh", "en", 1],
    ["is unknown for a language whose questions could not be taken", "en", "xx", null],
    ["is unknown for one without questions", "en", "fr", null],
    ["is unknown for an undetected one", null, "en", null],
  ];
  test.each(cases)("%s", (_why, one, other, expected) => {
    const alignment = alignmentBetween(alignments, one, other);
    if (expected === null) expect(alignment).toBe(null);
    else expect(alignment).toBeCloseTo(expected, 5);
  });
  test("is unknown when translations are no more similar than other questions", () => {
    const same = [questionsWith(1, 0.5), questionsWith(1, 0.5)].map(([one]) => [one!, one!]);
    expect(alignmentsOf(["en", "de"], same).size).toBe(0);
  });
});
