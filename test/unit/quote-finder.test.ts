/** Which of many quotes occur in a text that comes in parts. */
import { expect, test } from "bun:test";
import { QuoteFinder } from "../../plugins/documents/texts/quote-finder";
import { makeText } from "../../scripts/bench/text";

const part_units = 1_000;

/** Which of the quotes are found in a text that comes in parts, and the number of steps. */
function findIn(text: string, quotes: readonly string[]) {
  const finder = new QuoteFinder(quotes);
  let steps = 0;
  for (let at = 0; at < text.length; at += part_units)
    for (const _ of finder.take(text.slice(at, at + part_units))) steps++;
  return { found: finder.found, is_complete: finder.is_complete, steps };
}

const text = `${makeText(1, 40_000)} The weir was closed – 🐟 – in the year 1923.`;
const quotesOf = (count: number, of: string): string[] =>
  Array.from({ length: count }, (_, at) => of.slice(at * 37, at * 37 + 10 + (at % 300)));

for (const count of [1, 5, 16, 17, 500])
  test(`finds those of ${count} quotes that occur, also across the parts of a text`, () => {
    const there = quotesOf(count, text);
    const missing = quotesOf(count, makeText(2, 40_000)).filter((quote) => !text.includes(quote));
    const { found, is_complete } = findIn(text, [...there, ...missing, "", "🐟", "1923."]);
    expect([...found].sort()).toEqual([...new Set([...there, "", "🐟", "1923."])].sort());
    expect(is_complete).toBe(missing.length === 0);
  });

test("tells quotes apart that begin alike", () => {
  const quotes = Array.from(
    { length: 200 },
    (_, at) => `${"The same beginning. ".repeat(3)}${at}!`,
  );
  const { found } = findIn(quotes.filter((_, at) => at % 2 === 0).join("\n"), quotes);
  expect(found.size).toBe(100);
});

test("is complete once every quote was found, and lets others in between", () => {
  const all = findIn(text, quotesOf(100, text));
  expect(all.is_complete).toBe(true);
  // Each place begins like every quote.
  const alike = Array.from({ length: 2_000 }, (_, at) => `${"a".repeat(40)}${at}.`);
  expect(findIn("a".repeat(10_000), alike).steps).toBeGreaterThan(5_000);
});
