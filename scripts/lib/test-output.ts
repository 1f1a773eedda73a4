/** What `bun test` says of its tests: how many passed and failed, in all and in each file. */

/** How `bun test` ends: a line for each count, then how many tests it ran. */
const closing_lines = new RegExp(
  "((?:^ *\\d+ (?:pass|skip|todo|fail|error|snapshots|expect\\(\\) calls).*\\n)+)" +
    "Ran (\\d+) tests? across",
  "m",
);

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * What one run of `bun test` amounts to. Its closing lines count, its exit code decides: a run that
 * ended without them, ran nothing, or failed without saying where has failed once more than it
 * says.
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

/** A line of a test, its file above it, or an error outside of every test. */
const told = /^(?:(test\/\S+\.test\.ts):|\((pass|fail|skip|todo)\) .*|(# Unhandled error).*)$/;
const counted_as = { pass: "passed", fail: "failed", skip: "skipped", todo: "skipped" } as const;

/** What each file of a run came to, by its path, as far as the run came. */
export function talliesOf(output: string): Map<string, Counts> {
  const tallies = new Map<string, Record<keyof Counts, number>>();
  // All of them are named once more at the end, without their files.
  const end = output.search(/^\d+ tests? (?:skipped|failed|todo):$/m);
  let tally: Record<keyof Counts, number> | undefined;
  for (const line of output.slice(0, end < 0 ? undefined : end).split("\n")) {
    const [, path, word, error] = told.exec(line) ?? [];
    if (path !== undefined) {
      tally = tallies.get(path) ?? { passed: 0, failed: 0, skipped: 0 };
      tallies.set(path, tally);
    } else if (tally && word !== undefined) tally[counted_as[word as keyof typeof counted_as]]++;
    else if (tally && error !== undefined) tally.failed++;
  }
  return tallies;
}
