/** Times and ids as text: same results as the slow and simple way, and sortable. */
import { describe, expect, test } from "bun:test";
import { rfc3339 } from "../../core/base/clock";
import { newId, ulid } from "../../core/base/ids";

describe("rfc3339 matches toISOString for", () => {
  const cases: [why: string, at_ms: number][] = [
    ["the epoch", 0],
    ["one millisecond", 1],
    ["the last millisecond of a second", 999],
    ["the last millisecond of a day", 86_399_999],
    ["the first millisecond of the next day", 86_400_000],
    ["ten milliseconds", 1_795_219_200_010],
    ["hundred milliseconds", 1_795_219_200_100],
    ["a leap day", Date.UTC(2028, 1, 29, 23, 59, 59, 999)],
    ["the same day, earlier", Date.UTC(2028, 1, 29, 0, 0, 0, 7)],
    ["the last time with a four-digit year", 253_402_300_799_999],
    ["the first time with a longer year", 253_402_300_800_000],
    ["before the epoch", -1],
    ["a fraction of a millisecond", 1_795_219_200_010.75],
  ];
  test.each(cases)("%s", (_why, at_ms) => {
    expect(rfc3339(at_ms)).toBe(new Date(at_ms).toISOString());
  });
  test("random times", () => {
    for (let n = 0; n < 10_000; n++) {
      const at_ms = Math.floor(Math.random() * 4e12);
      expect(rfc3339(at_ms)).toBe(new Date(at_ms).toISOString());
    }
  });
  test("NaN, by throwing a RangeError", () => {
    expect(() => rfc3339(Number.NaN)).toThrow(RangeError);
  });
});

describe("ids", () => {
  test("sort in creation order, within one millisecond and when the clock is set back", () => {
    const at_ms = Date.now() + 1_000;
    const times = [at_ms, at_ms, at_ms + 1, at_ms - 5_000, at_ms, at_ms + 2];
    const ids = times.map((ms) => ulid(ms));
    expect(ids.toSorted()).toEqual(ids);
  });
  test("are unique and have a prefix and 26 characters", () => {
    const ids = Array.from({ length: 20_000 }, () => newId("fld"));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^fld_[0-9A-HJKMNP-TV-Z]{26}$/);
  });
  test("of different milliseconds share no random digits", () => {
    const begin_ms = Date.now() + 10_000;
    const random = Array.from({ length: 1_000 }, (_, n) => ulid(begin_ms + n).slice(10));
    expect(new Set(random).size).toBe(random.length);
  });
  test("encode their time", () => {
    const at_ms = Date.now() + 60_000;
    const digits = [...ulid(at_ms).slice(0, 10)];
    const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    expect(digits.reduce((ms, digit) => ms * 32 + alphabet.indexOf(digit), 0)).toBe(at_ms);
  });
});
