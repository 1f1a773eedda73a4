/** Garbage is collected early, but only while the process uses much memory. */
import { expect, spyOn, test } from "bun:test";
import { collector } from "../../core/lib/collector";
import { guardMemory } from "../../core/lib/memory-guard";

const mib = 2 ** 20;
/** What a guard finds at its second check. */
interface Found {
  /** How much the process uses. */
  readonly used_mib: number;
  /** How much of that it did not use at the first check. */
  readonly more_used_mib: number;
  /** How much the heap has grown since then. */
  readonly grown_mib: number;
}

/** How often the guard collects. */
function collections({ used_mib, more_used_mib, grown_mib }: Found): number {
  Bun.gc(true);
  const look = spyOn(globalThis, "setInterval");
  const used = spyOn(process.memoryUsage, "rss").mockReturnValue((used_mib - more_used_mib) * mib);
  const unguard = guardMemory();
  const check = look.mock.calls[0]![0] as () => void;
  check();
  used.mockReturnValue(used_mib * mib);
  const grown = new Uint8Array(grown_mib * mib);
  // The heap's size is only known as of its last collection.
  Bun.gc(true);
  const collect = spyOn(collector, "collect").mockImplementation(() => {});
  try {
    check();
    return grown.length === 0 ? -1 : collect.mock.calls.length;
  } finally {
    unguard();
    look.mockRestore();
    used.mockRestore();
    collect.mockRestore();
  }
}

const much = { used_mib: 250, more_used_mib: 30, grown_mib: 30 };
const cases: [why: string, found: Found, expected: number][] = [
  ["above the limit, large growth is collected", much, 1],
  ["above the limit, little growth is left alone", { ...much, grown_mib: 1 }, 0],
  ["what has been freed and used again is no growth", { ...much, more_used_mib: 1 }, 0],
  ["below the limit, the collector decides by itself", { ...much, used_mib: 150 }, 0],
];
for (const [why, found, expected] of cases)
  test(why, () => {
    expect(collections(found)).toBe(expected);
  });
