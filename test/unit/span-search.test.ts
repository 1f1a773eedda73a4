/** Spans are found in their JSON as if all of it were parsed. */
import { expect, test } from "bun:test";
import { spansBetween } from "../../plugins/documents/texts/span-search";

const spans = Array.from({ length: 1_000 }, (_, at) => ({
  start: at * 10,
  end: at * 10 + 8,
  time_start: at / 3,
  time_end: at / 3 + 0.25,
}));

const cases: [why: string, of: typeof spans, start: number, end: number][] = [
  ["a part of one", spans, 5_002, 5_003],
  ["the first", spans, 0, 1],
  ["the last", spans, 9_997, 9_998],
  ["several", spans, 101, 159],
  ["all", spans, 0, 20_000],
  ["nothing between two", spans, 108, 110],
  ["nothing behind the last", spans, 9_998, 20_000],
  ["one of one", spans.slice(3, 4), 0, 100],
  ["none of none", [], 0, 100],
];
test.each(cases)("%s", (_why, of, start, end) => {
  const expected = of.filter((span) => span.start < end && span.end > start);
  expect(spansBetween<(typeof spans)[0]>(JSON.stringify(of), start, end)).toEqual(expected);
});

test("few of a hundred thousand are parsed", () => {
  const many = Array.from({ length: 100_000 }, (_, at) => ({ start: at, end: at + 1 }));
  const json = JSON.stringify(many);
  const { parse } = JSON;
  let parsed = 0;
  JSON.parse = (...given) => {
    parsed += 1;
    return parse(...given);
  };
  try {
    expect(spansBetween(json, 70_000, 70_002)).toEqual(many.slice(70_000, 70_002));
  } finally {
    JSON.parse = parse;
  }
  expect(parsed).toBeLessThan(50);
});
