/** Parses the output of `bun test`: how many tests passed and failed, in total and per file. */

/** The last lines of `bun test`: one for each count, then the number of tests. */
const closing_lines = new RegExp(
  "((?:^ *\\d+ (?:pass|skip|todo|fail|error|snapshots|expect\\(\\) calls).*\\n)+)" +
    "Ran (\\d+) tests? across",
  "m",
);

/** How many tests ended how. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * The counts of one run, from its last lines. A run without these lines, without any test, or with
 * an exit code that no failed test explains counts as one more failure.
 */
export function countsOf(output: string, code: number): Counts {
  const closing = closing_lines.exec(output.slice(output.lastIndexOf("\n\n")));
  if (!closing) return { passed: 0, failed: 1, skipped: 0 };
  const count = (word: string) =>
    Number(new RegExp(`^ *(\\d+) ${word}`, "m").exec(closing[1]!)?.[1] ?? 0);
  const failed = count("fail");
  const unexplained = (code !== 0 && failed === 0) || closing[2] === "0";
  return {
    passed: count("pass"),
    failed: failed + (unexplained ? 1 : 0),
    skipped: count("skip") + count("todo"),
  };
}

/** The line of a test, of a file, or of an error outside of all tests. */
const reported_line =
  /^(?:(test\/\S+\.test\.ts):|\((pass|fail|skip|todo)\) .*|(# Unhandled error).*)$/;
const counted_as = { pass: "passed", fail: "failed", skip: "skipped", todo: "skipped" } as const;

/** The counts of each file by path, as far as the run got. */
export function talliesOf(output: string): Map<string, Counts> {
  const tallies = new Map<string, Record<keyof Counts, number>>();
  // The summary repeats the names of failed tests without their files.
  const end = output.search(/^\d+ tests? (?:skipped|failed|todo):$/m);
  let tally: Record<keyof Counts, number> | undefined;
  for (const line of output.slice(0, end < 0 ? undefined : end).split("\n")) {
    const [, path, word, error] = reported_line.exec(line) ?? [];
    if (path !== undefined) {
      tally = tallies.get(path) ?? { passed: 0, failed: 0, skipped: 0 };
      tallies.set(path, tally);
    } else if (tally && word !== undefined) tally[counted_as[word as keyof typeof counted_as]]++;
    else if (tally && error !== undefined) tally.failed++;
  }
  return tallies;
}
