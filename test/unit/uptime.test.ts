/** The uptime of the machine is a whole number of milliseconds, as its column is. */
import { expect, test } from "bun:test";
import { systemClock, uptimeIn } from "../../core/base/clock";

const cases: [why: string, written: string, ms: number][] = [
  ["whole seconds", "12.00 3.21", 12_000],
  ["hundredths", "32819.68 10921.88", 32_819_680],
  ["whose product with 1000 is a little less", "32768.02 10921.88", 32_768_020],
  ["whose product with 1000 is a little more", "32768.01 10921.88", 32_768_010],
];
test.each(cases)("%s", (_why, written, ms) => expect(uptimeIn(written)).toBe(ms));

test("of this machine", () => {
  const { boot, ms } = systemClock.uptime();
  expect([boot !== "", Number.isInteger(ms)]).toEqual([true, true]);
});
