/** Shared checks of names and texts. */
import { describe, expect, test } from "bun:test";
import {
  checkedName,
  checkedText,
  codePoints,
  optionalText,
  requiredText,
  trimmed,
} from "../../core/http/fields";
import { HttpError } from "../../core/base/errors";

const everySpace =
  "\t\n\v\f\r " +
  "\u0085\u00A0\u1680\u180E\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u200B\u2028\u2029\u202F\u205F\u2060\u3000\uFEFF";

describe("trimmed:", () => {
  const cases: [string, string, string][] = [
    ["nothing to trim", "a b", "a b"],
    ["every Unicode space is removed from both ends", `${everySpace}Räume${everySpace}`, "Räume"],
    ["inner spaces are kept", " a \u3000 b ", "a \u3000 b"],
    ["only spaces leave nothing", everySpace, ""],
    ["a joiner belongs to the word", "\u200Dक\u200C", "\u200Dक\u200C"],
    ["an emoji is not split", " 🗂 ", "🗂"],
  ];
  for (const [why, text, expected] of cases) test(why, () => expect(trimmed(text)).toBe(expected));

  test("a long run of inner spaces takes linear time", () => {
    const text = `a${" ".repeat(2_000_000)}b`;
    expect(trimmed(text)).toBe(text);
  });
});

describe("codePoints:", () => {
  const cases: [string, string, number][] = [
    ["empty", "", 0],
    ["ASCII", "abc", 3],
    ["an emoji is one", "🗂", 1],
    ["combining marks count", "e\u0301", 2],
    ["a lone surrogate counts as one", "\ud83da", 2],
    ["two high surrogates, then a low one", "\ud83d\ud83d\uddc2", 2],
  ];
  for (const [why, text, expected] of cases)
    test(why, () => {
      expect(codePoints(text)).toBe(expected);
      expect([...text].length).toBe(expected);
    });
});

describe("refused with a message and pointer:", () => {
  const cases: [string, () => unknown, RegExp, string][] = [
    ["an empty name", () => checkedName("", "/name"), /name must not be blank/, "/name"],
    ["a name of spaces", () => checkedName(everySpace, "/name"), /must not be blank/, "/name"],
    [
      "a name of 256 letters",
      () => checkedName("x".repeat(256), "/name"),
      /at most 255 characters; this one has 256/,
      "/name",
    ],
    ["a name of 256 emoji", () => checkedName("🗂".repeat(256), "/name"), /at most 255/, "/name"],
    [
      "a required text of spaces",
      () => requiredText("\u00A0", "/text", 10),
      /text must not be blank/,
      "/text",
    ],
    [
      "a text above its limit",
      () => checkedText("x".repeat(4_001), "/description", 4_000),
      /at most 4,000 characters; this one has 4,001/,
      "/description",
    ],
    [
      "an optional text above its limit",
      () => optionalText("abc", "/description", 2),
      /at most 2/,
      "/description",
    ],
  ];
  for (const [why, check, sentence, pointer] of cases)
    test(why, () => {
      try {
        check();
      } catch (error) {
        expect(error).toBeInstanceOf(HttpError);
        expect((error as HttpError).status).toBe(400);
        expect((error as HttpError).detail).toMatch(sentence);
        expect((error as HttpError).errors).toEqual([
          { pointer, detail: (error as HttpError).detail },
        ]);
        return;
      }
      throw new Error("was accepted");
    });
});

describe("accepted:", () => {
  const cases: [string, () => unknown, unknown][] = [
    ["255 emoji are a name", () => checkedName("🗂".repeat(255), "/name"), "🗂".repeat(255)],
    [
      "255 letters between spaces are a name",
      () => checkedName(` ${"x".repeat(255)} `, "/name"),
      "x".repeat(255),
    ],
    ["a text keeps its spaces", () => requiredText(" a ", "/text", 10), " a "],
    ["an optional text may be empty", () => optionalText("", "/description", 10), ""],
    ["null counts as absent", () => optionalText(null, "/description", 10), null],
    ["an absent value becomes null", () => optionalText(undefined, "/description", 10), null],
  ];
  for (const [why, check, expected] of cases) test(why, () => expect(check()).toEqual(expected));
});
