/** When the storage counts as slow, according to how long commits have taken. */
import { describe, expect, test } from "bun:test";
import { jsonLog } from "../../core/base/log";
import { SyncMeter } from "../../core/store/sync-meter";

type Commit = readonly [at_s: number, took_ms: number];
const cases: readonly (readonly [
  why: string,
  commits: readonly Commit[],
  asked_at_s: number,
  says: string | null,
])[] = [
  ["nothing was written", [], 0, null],
  ["commits are fast", [1, 2, 3, 4, 5].map((at) => [at, 8]), 6, null],
  [
    "most are slow",
    [
      [1, 900],
      [3, 2_100],
      [6, 3_000],
      [9, 2_500],
    ],
    10,
    "The storage is slow: of the last 4 commits half took 2.5 s or longer, the longest 3.0 s.",
  ],
  [
    "a few are slow",
    [
      [1, 5_000],
      [6, 4_000],
      [7, 8],
      [8, 9],
      [9, 8],
    ],
    10,
    null,
  ],
  [
    "too few say anything",
    [
      [1, 5_000],
      [6, 5_000],
      [11, 5_000],
    ],
    12,
    null,
  ],
  ["it was slow more than a minute ago", [1, 2, 3, 4].map((at) => [at, 5_000]), 65, null],
];

describe("the storage", () => {
  test.each(cases)("%s", (_why, commits, asked_at_s, says) => {
    let now_ms = 0;
    const meter = new SyncMeter(
      jsonLog("error", () => undefined),
      () => now_ms,
    );
    for (const [at_s, took_ms] of commits) {
      now_ms = at_s * 1_000;
      meter.note(took_ms);
    }
    now_ms = asked_at_s * 1_000;
    expect(meter.slowness()).toBe(says);
  });

  test("the log has one line when it becomes slow, and one when that is over", () => {
    let now_ms = 0;
    const lines: string[] = [];
    const meter = new SyncMeter(
      jsonLog("info", (line) => lines.push(JSON.parse(line).message)),
      () => now_ms,
    );
    for (; now_ms < 20_000; now_ms += 2_000) meter.note(2_000);
    for (; now_ms < 120_000; now_ms += 2_000) meter.note(5);
    expect(lines).toEqual(["the storage is slow", "the storage is no longer slow"]);
  });
});
