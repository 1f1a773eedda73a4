/**
 * How `npm test` counts: the output of a `bun test` run and its exit code give the numbers of
 * passed, failed and skipped tests.
 */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { inBatches, nameOf } from "../../scripts/lib/test-batches";
import {
  excluded_from_quick,
  mostly_waiting,
  sqlite_only,
  http_on_both,
  seconds_of,
} from "../../scripts/lib/test-files";
import { countsOf, talliesOf } from "../../scripts/lib/test-output";

describe("counting one test file", () => {
  const cases: [
    reason: string,
    output: string,
    code: number,
    counted: ReturnType<typeof countsOf>,
  ][] = [
    [
      "all well",
      "\na.test.ts:\n(pass) a\n\n 6 pass\n 0 fail\n 2 expect() calls\nRan 6 tests across 1 file. " +
        "[617.00ms]\n",
      0,
      { passed: 6, failed: 0, skipped: 0 },
    ],
    [
      "failed, skipped and planned ones",
      "(fail) b\n\n 1 pass\n 1 skip\n 1 todo\n 1 fail\n 1 expect() calls\nRan 4 tests across 1 " +
        "file. [3.00ms]\n",
      1,
      { passed: 1, failed: 1, skipped: 2 },
    ],
    [
      "a file that could not be loaded",
      "\n\n 0 pass\n 1 fail\n 1 error\nRan 1 test across 1 file. [4.00ms]\n",
      1,
      { passed: 0, failed: 1, skipped: 0 },
    ],
    [
      "a process that ended half-way with exit code 0",
      "\nexits.test.ts:\n(pass) x\n",
      0,
      { passed: 0, failed: 1, skipped: 0 },
    ],
    [
      "a process that was killed",
      "\nkilled.test.ts:\n(pass) x [0.02ms]\n",
      137,
      { passed: 0, failed: 1, skipped: 0 },
    ],
    [
      "a file without tests",
      "\nnone.test.ts:\n\n 0 pass\n 0 fail\nRan 0 tests across 1 file. [2.00ms]\n",
      0,
      { passed: 0, failed: 1, skipped: 0 },
    ],
    [
      "a failure outside the tests",
      "\n\n 2 pass\n 0 fail\n 1 error\nRan 2 tests across 1 file. [4.00ms]\n",
      1,
      { passed: 2, failed: 1, skipped: 0 },
    ],
    [
      "a test that prints its own summary lines",
      "\n\n 9 pass\n 0 fail\nRan 9 tests across 1 file.\n(fail) a\n\n 0 pass\n 1 fail\nRan 1 " +
        "test across 1 file. [4.00ms]\n",
      1,
      { passed: 0, failed: 1, skipped: 0 },
    ],
  ];
  for (const [reason, output, code, counted] of cases)
    test(reason, () => expect(countsOf(output, code)).toEqual(counted));
});

describe("files in one process", () => {
  const [long, ...short] = ["acceptance/documentation", "acceptance/x", "acceptance/y"];
  const cases: [reason: string, names: string[], batches: string[][]][] = [
    ["no files", [], []],
    ["short ones together", short, [short]],
    ["a long one by itself", [long!, ...short], [[long!], short]],
    [
      "each kind by itself, in its order",
      ["process/a", "browser/a", "process/b", "browser/b"],
      [
        ["process/a", "process/b"],
        ["browser/a", "browser/b"],
      ],
    ],
    [
      "no more than half a minute",
      Array.from({ length: 7 }, (_, at) => `process/${at}`),
      [Array.from({ length: 6 }, (_, at) => `process/${at}`), ["process/6"]],
    ],
  ];
  for (const [reason, names, batches] of cases)
    test(reason, () => {
      const paths = names.map((name) => `test/${name}.test.ts`);
      expect(inBatches(paths).map((batch) => batch.map(nameOf))).toEqual(batches);
    });
});

test("the named files exist", () => {
  const named = [
    ...Object.keys({ ...seconds_of, ...sqlite_only }),
    ...http_on_both.map((name) => `http/${name}`),
    ...mostly_waiting,
    ...excluded_from_quick,
  ];
  const missing = named.filter((name) => !existsSync(join(import.meta.dir, `../${name}.test.ts`)));
  expect(missing).toEqual([]);
});

test("failures are matched to their files when outputs interleave", () => {
  const output = [
    "bun test v1.4.5 4x PARALLEL",
    "",
    "test/unit/a.test.ts:",
    "(pass) one [0.86ms]",
    "",
    "test/unit/b.test.ts:",
    "",
    "# Unhandled error between tests",
    "error: at load",
    "",
    "test/unit/a.test.ts:",
    "Expected: 2",
    "(fail) two > of it [0.03ms]",
    "(skip) three",
    "",
    "test/unit/c.test.ts:",
    "(pass) four",
    "",
    "1 tests failed:",
    "(fail) two > of it [0.03ms]",
    "",
    " 2 pass",
  ].join("\n");
  expect([...talliesOf(output)]).toEqual([
    ["test/unit/a.test.ts", { passed: 1, failed: 1, skipped: 1 }],
    ["test/unit/b.test.ts", { passed: 0, failed: 1, skipped: 0 }],
    ["test/unit/c.test.ts", { passed: 1, failed: 0, skipped: 0 }],
  ]);
});
