/** Which texts are embedded for a passage, so that the entries of a list are found by meaning. */
import { expect, test } from "bun:test";
import { textsToEmbed } from "../../plugins/search-index/embedding/passage-texts";

const title = "handbook.pdf";
const heading = "Tools › Options";
const entry = (mark: string, name: string): string =>
  `${mark}${name} ${"tells what the tool does with it, ".repeat(6)}and no more`;
const listOf = (mark: string): string =>
  ["one", "two", "three"].map((name) => entry(mark, name)).join("\n");
const textsOf = (text: string, more: { heading?: string | null; is_listing?: boolean } = {}) =>
  textsToEmbed(title, { heading, is_listing: false, ...more, text });
const whole = (text: string): string => `${title}\n${heading}\n${text}`;

const short_list = "- one\n- two\n- three";
const prose = entry("", "One").repeat(4);
const introduced = `What the options mean:\n${listOf("- ")}`;
const small_entries = Array.from({ length: 40 }, (_, at) => `- entry number ${at}`).join("\n");
const long_list = Array.from({ length: 20 }, (_, at) => entry("- ", String(at))).join("\n");

const partsOf = (text: string): number => textsOf(text).length - 1;
const cases: [string, string, number][] = [
  ["prose has one text", prose, 0],
  ["a short list has one text", short_list, 0],
  ["two entries are no list", [entry("- ", "one"), entry("- ", "two")].join("\n"), 0],
  ["each long entry is a part", listOf("- "), 3],
  ["numbers begin entries", [1, 2, 3].map((at) => entry(`${at}. `, "x")).join("\n"), 3],
  ["options begin entries", listOf("--"), 3],
  ["options in quotation marks begin entries", listOf("‘-"), 3],
  ["rows of a table are entries", listOf("| "), 3],
  ["bullets of other kinds begin entries", listOf("▶ "), 3],
  ["what introduces a list stays with its first entry", introduced, 3],
  ["short entries share a part", small_entries, 3],
  ["entries beyond the maximum are in the last part", long_list, 12],
];
for (const [why, text, parts] of cases) test(why, () => expect(partsOf(text)).toBe(parts));

test("the passage is embedded below its title and headings, a part below its nearest heading", () => {
  const [passage, ...parts] = textsOf(listOf("- "));
  expect(passage).toBe(whole(listOf("- ")));
  expect(parts).toEqual(["one", "two", "three"].map((name) => `Options\n${entry("- ", name)}`));
});
test("without a heading, a part is its entry alone", () => {
  expect(textsOf(listOf("- "), { heading: null })[1]).toBe(entry("- ", "one"));
});
test("no entry of a list is lost", () => {
  const parts = textsOf(long_list, { heading: null }).slice(1);
  expect(parts.join("\n")).toBe(long_list);
});
test("a table of contents has no text", () => {
  expect(textsOf(listOf("- "), { is_listing: true })).toEqual([]);
});
