/**
 * `npm test` runs the checks (types, lint, format) and every test file, as many at a time as the
 * processors have time for:
 *
 * - unit tests and tests over HTTP in this process share a few processes that each run many files;
 *   those that use the store most run again on a PostgreSQL that is started for them,
 * - other files run in batches of one kind.
 *
 * A file that failed in a shared process runs again in its own, and a file that failed there runs
 * once more alone: that result counts. The last line is `N passed, N failed`. Words on the command
 * line select files by path, and each then has its own process: `npm test -- folders`, `npm test --
 * browser/`.
 *
 * `npm run test:quick` runs the checks and most unit tests and tests over HTTP; it needs no build.
 * `npm run test:databases` runs on PostgreSQL whatever can.
 */
import { Glob } from "bun";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { buildConsoleIfStale } from "./build-console";
import { tools } from "./check";
import { generateConsoleSchema } from "./console-schema";
import { embedded, whyNoPostgres, withPostgres, type Engine } from "./lib/engines";
import {
  excluded_from_quick,
  mostly_waiting,
  sqlite_only,
  http_on_both,
  seconds_of,
  unit_on_both,
} from "./lib/test-files";
import { inBatches, nameOf } from "./lib/test-batches";
import { talliesOf, type Counts } from "./lib/test-output";
import { as_many_as_fit, runTogether } from "./lib/work-pool";
import { report, runBatch, runFile, runShared, runTool, type Outcome } from "./lib/test-runs";

const root = resolve(import.meta.dir, "..");

/** Processes that run many files each, and so load common modules once. */
const shared_processes = Math.min(8, availableParallelism() + 1);

/** Processes for files that mostly wait. */
const waiting_processes = 3;

/** The kinds of tests, in the order in which they run. */
const kinds = ["browser", "acceptance", "faults", "process", "architecture", "http", "unit"];

/** Tests that need no build; their files share processes. */
const shared_kinds = ["unit", "http"];

const isShared = (path: string): boolean =>
  shared_kinds.some((kind) => path.startsWith(`test/${kind}/`));

/**
 * Runs each failed file once more, alone: a test that fails only while others use the processor
 * says nothing about the product. It is reported as flaky, so that it gets fixed.
 */
async function repeatedAlone(outcomes: readonly Outcome[]): Promise<Outcome[]> {
  const results: Outcome[] = [];
  for (const outcome of outcomes) {
    if (outcome.failed === 0 || !outcome.repeat) {
      results.push(outcome);
      continue;
    }
    console.log(`     ${outcome.name} once more, alone …`);
    const second = await outcome.repeat();
    report(second);
    if (second.failed === 0) reportFlaky(outcome);
    results.push(second);
  }
  return results;
}

const reportFlaky = ({ name }: Outcome): void =>
  console.log(`FLAKY ${name}: it failed beside others`);

/** The test files whose path contains one of these words, or all: slow ones first, then by kind. */
function testFiles(words: readonly string[]): string[] {
  const files = kinds.flatMap((kind) =>
    [...new Glob(`test/${kind}/*.test.ts`).scanSync({ cwd: root })].sort(),
  );
  files.sort((a, b) => (seconds_of[nameOf(b)] ?? 0) - (seconds_of[nameOf(a)] ?? 0));
  return files.filter((path) => words.length === 0 || words.some((word) => path.includes(word)));
}

type Work = () => Promise<Outcome>;

/** The checks, and these test files, which need no build. */
function checksAndShared(paths: readonly string[]): Work[] {
  const waits = (path: string): boolean => mostly_waiting.includes(nameOf(path));
  const together = (name: string, files: readonly string[], processes: number) => async () => ({
    ...(await runShared(name, embedded, files, processes)),
    paths: files,
  });
  return [
    together(
      "unit and http",
      paths.filter((path) => !waits(path)),
      shared_processes,
    ),
    together("unit and http, waiting", paths.filter(waits), waiting_processes),
    ...tools.map((step) => () => runTool(step)),
  ];
}

/** The same on PostgreSQL; if a test fails, each file runs again in its own process. */
async function runSharedOnPostgres(engine: Engine, paths: readonly string[]): Promise<Outcome[]> {
  const all = await runShared("http", engine, paths, shared_processes);
  report(all);
  if (all.failed === 0) return [all];
  const work = paths.map((path) => () => runFile(path, engine));
  return repeatedAlone(await runTogether(work, as_many_as_fit, report));
}

const skippedOnPostgres = (): Outcome => {
  console.log(whyNoPostgres());
  const counts = { passed: 0, failed: 0, skipped: 1 };
  return { name: "http on PostgreSQL", seconds: 0, processor: 0, output: "", ...counts };
};

/** What `npm test` runs on PostgreSQL: the tests that use the store most. */
async function runBrieflyOnPostgres(): Promise<Outcome> {
  const paths = http_on_both.map((name) => `test/http/${name}.test.ts`);
  const outcome = await withPostgres((engine) => runShared("http", engine(1), paths, 2));
  return outcome === null ? skippedOnPostgres() : { ...outcome, repeat: runBrieflyOnPostgres };
}

/**
 * `npm test`: everything, at the same time, so that computing tests use the processors while others
 * wait for a clock.
 */
async function runAll(): Promise<Outcome[]> {
  const files = testFiles([]);
  const batches = inBatches(files.filter((path) => !isShared(path))).map(
    (paths) => () => runBatch(paths),
  );
  const work = [...checksAndShared(files.filter(isShared)), runBrieflyOnPostgres, ...batches];
  return repeatedAlone(await repeatedApart(await runTogether(work, as_many_as_fit, report)));
}

/** `npm run test:quick`. */
async function runQuickly(): Promise<Outcome[]> {
  const left_out = excluded_from_quick.map((name) => `test/${name}.test.ts`);
  const paths = testFiles([]).filter((path) => isShared(path) && !left_out.includes(path));
  const outcomes = await runTogether(checksAndShared(paths), { min: 3, max: 3 }, report);
  console.log(
    `Only npm test also runs ${left_out.length} files that are slow or start other programs.`,
  );
  return outcomes;
}

/** A failure in a shared process may be caused by another file: each runs again in its own. */
async function repeatedApart(outcomes: readonly Outcome[]): Promise<Outcome[]> {
  const results: Outcome[] = [];
  const alone: Work[] = [];
  const named = new Set<string>();
  for (const outcome of outcomes) {
    if (outcome.failed === 0 || !outcome.paths) {
      results.push(outcome);
      continue;
    }
    const { rest: others, failing } = splitFailed(outcome);
    results.push(...others);
    for (const path of failing ?? []) named.add(nameOf(path));
    alone.push(...(failing ?? outcome.paths).map((path) => () => runFile(path)));
  }
  const alone_outcomes = await runTogether(alone, as_many_as_fit, (outcome) => {
    report(outcome);
    if (outcome.failed === 0 && named.has(outcome.name)) reportFlaky(outcome);
  });
  return [...results, ...alone_outcomes];
}

/**
 * Separates the failing files of a shared run from the results of the others. `failing` is null
 * when the counts of the files don't add up to the total, as after a crash: all run again then.
 */
function splitFailed(shared: Outcome): { rest: Outcome[]; failing: string[] | null } {
  const all = [...talliesOf(shared.output)];
  const bad = all.filter(([, { failed }]) => failed > 0);
  const sum = (of: typeof all, count: keyof Counts) =>
    of.reduce((n, [, counts]) => n + counts[count], 0);
  if (sum(all, "failed") !== shared.failed || sum(all, "passed") !== shared.passed)
    return { rest: [], failing: null };
  const passed = shared.passed - sum(bad, "passed");
  const skipped = shared.skipped - sum(bad, "skipped");
  return {
    rest: [{ ...shared, passed, skipped, failed: 0 }],
    failing: bad.map(([path]) => path),
  };
}

/**
 * `npm run test:databases`: every test over HTTP and of the store on PostgreSQL, and the acceptance
 * tests on it with one process and with three.
 */
async function runOnPostgres(words: readonly string[]): Promise<Outcome[]> {
  const ofKind = (kind: string): string[] =>
    testFiles(words).filter((path) => path.startsWith(`test/${kind}/`));
  const acceptance = ofKind("acceptance").filter((path) => !(nameOf(path) in sqlite_only));
  const outcomes = await withPostgres(async (engine) => {
    const units = unit_on_both.map((name) => `test/unit/${name}.test.ts`);
    const shared = [...ofKind("http"), ...ofKind("unit").filter((path) => units.includes(path))];
    const all = shared.length === 0 ? [] : await runSharedOnPostgres(engine(1), shared);
    for (const processes of [1, 3]) {
      const work = acceptance.map((path) => () => runFile(path, engine(processes)));
      all.push(...(await repeatedAlone(await runTogether(work, as_many_as_fit, report))));
    }
    return all;
  });
  return outcomes ?? [skippedOnPostgres()];
}

/** Prints the totals and the names of failed files, and ends the process. */
function finish(outcomes: readonly Outcome[]): never {
  const total = (count: keyof Counts) => outcomes.reduce((sum, outcome) => sum + outcome[count], 0);
  for (const { name, failed } of outcomes) if (failed > 0) console.log(`FAIL ${name}`);
  const failed = total("failed") + (outcomes.length === 0 ? 1 : 0);
  const processor = outcomes.reduce((sum, outcome) => sum + outcome.processor, 0);
  console.log(`${processor.toFixed(0)} s of processor time in total.`);
  const skipped = total("skipped") > 0 ? `, ${total("skipped")} skipped` : "";
  console.log(`${total("passed")} passed, ${failed} failed${skipped}`);
  process.exit(failed > 0 ? 1 : 0);
}

if (import.meta.main) {
  await buildConsoleIfStale();
  const words = process.argv.slice(2).filter((word) => !/^--(quick|databases)$/.test(word));
  if (words.some((word) => word.startsWith("-"))) {
    console.error("usage: test.ts [--quick | --databases] [words of the paths of test files]");
    process.exit(2);
  }
  if (process.argv.includes("--databases")) finish(await runOnPostgres(words));
  if (words.length === 0) await generateConsoleSchema();
  if (process.argv.includes("--quick")) finish(await runQuickly());
  if (words.length === 0) finish(await runAll());
  const files = testFiles(words);
  if (files.length === 0) console.log(`No test file has ${words.join(" or ")} in its path.`);
  const work = files.map((path) => () => runFile(path));
  finish(await repeatedAlone(await runTogether(work, as_many_as_fit, report)));
}
