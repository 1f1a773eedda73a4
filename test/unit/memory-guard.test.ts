/** Garbage is collected early, but only while the process uses much memory. */
import { expect, spyOn, test } from "bun:test";
import { collector } from "../../core/lib/collector";
import { guardMemory } from "../../core/lib/memory-guard";

const mib = 2 ** 20;
/** How often the guard collects when it checks a heap that has grown by this much. */
function collections(limit_bytes: number, grown_bytes: number): number {
  Bun.gc(true);
  const look = spyOn(globalThis, "setInterval");
  const unguard = guardMemory(limit_bytes);
  const grown = new Uint8Array(grown_bytes);
  // The heap's size is only known as of its last collection.
  Bun.gc(true);
  const collect = spyOn(collector, "collect").mockImplementation(() => {});
  try {
    (look.mock.calls[0]![0] as () => void)();
    return grown.length === 0 ? -1 : collect.mock.calls.length;
  } finally {
    unguard();
    look.mockRestore();
    collect.mockRestore();
  }
}

const cases: [why: string, limit_bytes: number, grown_bytes: number, expected: number][] = [
  ["above the limit, large growth is collected", 1, 30 * mib, 1],
  ["above the limit, little growth is left alone", 1, mib, 0],
  ["below the limit, the collector decides by itself", 2 ** 60, 30 * mib, 0],
];
for (const [why, limit_bytes, grown_bytes, expected] of cases)
  test(why, () => {
    expect(collections(limit_bytes, grown_bytes)).toBe(expected);
  });
