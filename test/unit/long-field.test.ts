/** A long text in JSON is extracted as bytes with the parser's result, or left to the parser. */
import { describe, expect, test } from "bun:test";
import { parseJson } from "../../core/http/json";
import { parseAround } from "../../core/http/long-field";

const long = "Der Lotse fährt. ".repeat(80_000);
const bytesOf = (json: string): Uint8Array => new TextEncoder().encode(json);
/** What is found, with the text put back in its place. */
function around(json: Uint8Array) {
  const found = parseAround(json, "content");
  return (
    found && {
      ...found.value,
      content: new TextDecoder("utf-8", { ignoreBOM: true }).decode(found.long_text),
    }
  );
}

describe("a long text matches what the JSON parser reads", () => {
  const escapes = `\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u00e9 \\u20AC \\uD83d\\udea2 🚢 \\u0001 \\ufeff \\u007f`;
  const cases: [why: string, json: string][] = [
    ["alone", `{"content":"${long}"}`],
    ["among others", ` {"folder_id" : "f", "content" : "${long}", "name":null, "x":[{"y":"z"}]} `],
    ["with every escape", `{"content":"${escapes}${long}${escapes}","name":"${escapes}"}`],
    ["as every escape", `{"content":"${escapes.repeat(20_000)}"}`],
    ["that begins with U+FEFF", `{"content":"\ufeff${long}"}`],
    ["under a name with escapes", `{"\\u0063ontent":"${long}"}`],
    ["in the last of two fields", `{"content":"short","content":"${long}"}`],
    ["that ends with a backslash", `{"content":"${long}\\\\"}`],
  ];
  for (const [why, json] of cases)
    test(why, () => {
      const bytes = bytesOf(json);
      expect(Bun.deepEquals(around(bytes), parseJson(bytes))).toBe(true);
      // The input is unchanged.
      expect(Bun.deepEquals(bytes, bytesOf(json))).toBe(true);
    });
});

describe("left to the JSON parser", () => {
  const cases: [why: string, json: string][] = [
    ["a short text", `{"content":"short"}`],
    ["a long text in another field", `{"name":"${long}","content":"x"}`],
    ["a long text in a nested object", `{"x":{"content":"${long}"}}`],
    ["the first of two fields", `{"content":"${long}","content":"x"}`],
    ["a long name", `{"${long}":"content"}`],
    ["a list", `["${long}"]`],
    ["a bare string", `"${long}"`],
    ["a text that does not end", `{"content":"${long}`],
    ["an object that does not end", `{"content":"${long}"`],
    ["an unknown escape", `{"content":"${long}\\x"}`],
    ["an escape that is cut off", `{"content":"${long}\\u12"}`],
    ["an escape without digits", `{"content":"${long}\\u12g4"}`],
    ["a high surrogate alone", `{"content":"${long}\\ud83d"}`],
    ["a high surrogate before another escape", `{"content":"${long}\\ud83d\\u0041"}`],
    ["a low surrogate alone", `{"content":"${long}\\udea2"}`],
    ["U+0000", `{"content":"${long}\\u0000"}`],
    ["an unescaped line break", `{"content":"${long}\n"}`],
  ];
  for (const [why, json] of cases) test(why, () => expect(around(bytesOf(json))).toBe(null));
  test("bytes that are not valid UTF-8", () => {
    const json = bytesOf(`{"content":"${long}"}`);
    json[500_000] = 0xff;
    expect(around(json)).toBe(null);
    expect(around(bytesOf(`{"content":"${long}"}`))).not.toBe(null);
  });
  test("JSON that is nested too deep is refused at once", () => {
    expect(() => around(bytesOf(`{"content":"${long}","x":${"[".repeat(100)}`))).toThrow("levels");
  });
});
