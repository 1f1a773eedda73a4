/** Garbage is collected early, but only while the process uses much memory. */
import { expect, spyOn, test } from "bun:test";
import { collector } from "../../core/lib/collector";
import { guardMemory } from "../../core/lib/memory-guard";

const mib = 2 ** 20;
/** What the guard finds at a check. */
interface Check {
  /** How much the process uses. */
  readonly used_mib: number;
  /** How much of the heap is in use beyond that of the test itself. */
  readonly heap_mib: number;
  /** How much of it a collection of what is new frees. Default: all. */
  readonly garbage_mib?: number;
}
type Collection = "none" | "new" | "all";

/** A timer that never fires: the checks are called by the test. */
const unstarted = { unref: () => unstarted } as unknown as NodeJS.Timeout;

/** What the guard collects at each of these checks. */
function collections(checks: readonly Check[]): Collection[] {
  // A property, so that it stays in memory.
  const held = { bytes: new Uint8Array(0) };
  // The heap's size is only known as of its last collection.
  const hold = (heap_mib: number): void => {
    held.bytes = new Uint8Array(heap_mib * mib);
    Bun.gc(true);
  };
  hold(0);
  const timer = spyOn(globalThis, "setTimeout").mockReturnValue(unstarted);
  const used = spyOn(process.memoryUsage, "rss");
  const collect = spyOn(collector, "collect");
  const collectNew = spyOn(collector, "collectNew");
  const unguard = guardMemory();
  const check = timer.mock.calls[0]![0] as () => void;
  try {
    return checks.map(({ used_mib, heap_mib, garbage_mib = heap_mib }) => {
      hold(heap_mib);
      used.mockReturnValue(used_mib * mib);
      let collected: Collection = "none";
      collectNew.mockImplementation(() => {
        collected = "new";
        hold(heap_mib - garbage_mib);
      });
      collect.mockImplementation(() => {
        collected = "all";
      });
      check();
      return collected;
    });
  } finally {
    unguard();
    for (const spy of [timer, used, collect, collectNew]) spy.mockRestore();
  }
}

const before = { used_mib: 220, heap_mib: 0 };
const live = { garbage_mib: 0 };
const cases: [why: string, checks: Check[], expected: Collection[]][] = [
  [
    "above the limit, large growth is collected",
    [before, { used_mib: 250, heap_mib: 30 }],
    ["none", "new"],
  ],
  [
    "above the limit, little growth is left alone",
    [before, { used_mib: 250, heap_mib: 1 }],
    ["none", "none"],
  ],
  [
    "what has been freed and used again is no growth",
    [before, { used_mib: 221, heap_mib: 30 }],
    ["none", "none"],
  ],
  [
    "below the limit, the collector decides by itself",
    [
      { used_mib: 120, heap_mib: 0 },
      { used_mib: 150, heap_mib: 30 },
    ],
    ["none", "none"],
  ],
  [
    "growth below the limit does not count when it is exceeded",
    [
      { used_mib: 100, heap_mib: 0 },
      { used_mib: 190, heap_mib: 30 },
      { used_mib: 220, heap_mib: 34 },
      { used_mib: 226, heap_mib: 40 },
    ],
    ["none", "none", "none", "new"],
  ],
  [
    "after growth that was no garbage, twice as much is waited for",
    [
      before,
      { used_mib: 230, heap_mib: 10, ...live },
      { used_mib: 245, heap_mib: 22, ...live },
      { used_mib: 250, heap_mib: 28, ...live },
      { used_mib: 268, heap_mib: 50, ...live },
      { used_mib: 294, heap_mib: 76, ...live },
    ],
    ["none", "new", "none", "new", "none", "all"],
  ],
  [
    "all of a heap that has grown as much is left alone while the process is smaller",
    [before, { used_mib: 280, heap_mib: 60, ...live }],
    ["none", "new"],
  ],
  [
    "after garbage, little growth is enough again",
    [
      before,
      { used_mib: 230, heap_mib: 10, ...live },
      { used_mib: 250, heap_mib: 28, garbage_mib: 18 },
      { used_mib: 259, heap_mib: 19 },
    ],
    ["none", "new", "new", "new"],
  ],
];
for (const [why, checks, expected] of cases)
  test(why, () => {
    expect(collections(checks)).toEqual(expected);
  });

test.each([
  ["while the process is small", 150, 250],
  ["while it uses much, more often", 300, 100],
])("when the next check is: %s", (_why, used_mib, delay_ms) => {
  const timer = spyOn(globalThis, "setTimeout").mockReturnValue(unstarted);
  const used = spyOn(process.memoryUsage, "rss").mockReturnValue(used_mib * mib);
  const collectors = [spyOn(collector, "collect"), spyOn(collector, "collectNew")];
  for (const spy of collectors) spy.mockImplementation(() => {});
  try {
    const unguard = guardMemory();
    (timer.mock.calls[0]![0] as () => void)();
    expect(timer.mock.calls[1]![1]).toBe(delay_ms);
    unguard();
  } finally {
    for (const spy of [timer, used, ...collectors]) spy.mockRestore();
  }
});
