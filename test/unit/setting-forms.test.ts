/** Which values of settings may be stored, according to the API document. */
import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { decode } from "../../core/base/setting-decoder";
import type { SettingSchema } from "../../core/base/settings";
import { Duration, List, Secret, Size } from "../../core/base/settings";
import { hasForm, storedForm } from "../../core/base/stored-form";
import { KeyLimits, NotBlankLimits } from "../../core/http/setting-limits";
import { integers } from "../../core/lib/number-pattern";

const integer = Type.Integer({ minimum: 2, maximum: 120 });
const flag = Type.Boolean();
const duration = Duration();
const short = Duration({ stored: { least_ms: 1, most_ms: 30_000 } });
const schema = Duration({ stored: { least_ms: 1 } });
const size = Size();
const names = List();
const delays = List("duration", { stored: { items_least: 1, items_most: 2 } });
const choice = Type.Union([Type.Literal("a"), Type.Literal("b")]);
const title = Type.String({ maxLength: 3, stored: NotBlankLimits });

describe("accepted and decodable:", () => {
  const cases: [why: string, of: unknown, values: readonly unknown[]][] = [
    ["a number, also as text", integer, [2, 120, "2", "99", "120"]],
    ["a boolean, also as text", flag, [true, false, "true", "false"]],
    ["a duration", duration, ["0s", "500ms", "1.5h", "30 d", "007s"]],
    ["a duration within limits", short, ["1ms", "30000ms", "30s", "29.999s", "0.001s"]],
    ["a duration above zero", schema, ["1ms", "0.001s", "999999d"]],
    ["a size", size, ["0", "512", "512KiB", "1.5 GB", 0, 1_048_576]],
    ["a list, also as one text", names, [[], ["a", "b, c"], "a, b", ""]],
    ["a list of durations", delays, [["5s"], ["5s", "5m"], "5s", "5s, 5m"]],
    ["a choice", choice, ["a", "b"]],
    ["a text, counted in code points", title, ["abc", "🗂🗂🗂"]],
    ["a secret", Secret({ stored: KeyLimits }), ["sk-1!~"]],
  ];
  test.each(cases)("%s", (_why, of, values) => {
    for (const value of [...values, null]) {
      expect([value, hasForm(value, storedForm(of as SettingSchema))]).toEqual([value, true]);
      if (value !== null) expect(decode(value, of as SettingSchema)).toHaveProperty("value");
    }
  });
});

describe("refused:", () => {
  const cases: [why: string, of: unknown, values: readonly unknown[]][] = [
    [
      "a number out of range or in another notation",
      integer,
      [1, 121, 2.5, "1", "121", "02", "2.0", " 2"],
    ],
    ["not a boolean", flag, [1, "yes", "TRUE", ""]],
    ["not a duration", duration, [5, "5", "5 weeks", "0.5ms", "1e3s", "-1s", "9999999d"]],
    ["a duration outside its limits", short, ["0s", "0.000s", "30.001s", "31s", "30001ms", "1m"]],
    ["a duration of zero", schema, ["0ms", "0.0s", "0d"]],
    ["not a size", size, ["1 EB", "1.5", -1, 1.5, 1e18]],
    ["not a list", names, [[1], [["a"]], { a: 1 }, ["x".repeat(256)]]],
    ["too many durations, or none", delays, [[], ["1s", "1s", "1s"], "", "1s,,1s", "1s,2"]],
    ["an unknown choice", choice, ["c", "A", 1]],
    ["a text that is too long, or blank", title, ["abcd", "", " \u2003", 5]],
    ["a secret with a space", Secret({ stored: KeyLimits }), ["sk 1", "schlüssel"]],
  ];
  test.each(cases)("%s", (_why, of, values) => {
    for (const value of values)
      expect([value, hasForm(value, storedForm(of as SettingSchema))]).toEqual([value, false]);
  });
});

test("the pattern for integers matches exactly those within the limits", () => {
  const limits = [
    [0, 0],
    [1, 50],
    [0, 200],
    [64, 8_192],
    [99, 101],
    [10, 99],
    [-5, 12],
    [-300, -7],
  ] as const;
  for (const [least, most] of limits) {
    const pattern = new RegExp(`^${integers(least, most)}$`);
    const numbers = Array.from({ length: 9_000 }, (_, n) => n - 400);
    const matched = numbers.filter((n) => pattern.test(String(n)));
    expect(matched).toEqual(numbers.filter((n) => n >= least && n <= most));
  }
});
