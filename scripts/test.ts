/**
 * `npm test`: types, lint and format; unit tests and in-process HTTP, which run in a few processes
 * that take file after file; those over HTTP that touch the store most once more, on a PostgreSQL
 * that is started for it; and the other test files, of which a process runs a few of a kind one
 * after the other. A file that failed beside others runs in a process of its own; one that failed
 * in its own runs once more, alone, and that counts. Ends with `N passed, N failed`. Words on the
 * command line choose files by path, each for a process of its own: `npm test -- folders`, `npm
 * test -- browser/`.
 *
 * `npm run test:quick`: the first part, but for what starts other programs; needs no build.
 * `npm run test:databases`: whatever can run on PostgreSQL does.
 */
import { Glob } from "bun";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildConsoleIfStale } from "./build-console";
import { check, processorSeconds, tools, type Step } from "./check";
import { generateConsoleSchema } from "./console-schema";
import { embedded, whyNoPostgres, withPostgres, type Engine } from "./lib/engines";
import { cleanEnvironment } from "./lib/launch";
import { memoryPlace } from "./lib/memory-place";
import {
  left_out_of_quick,
  mostly_waiting,
  of_sqlite_alone,
  on_both,
  seconds_of,
  unit_on_both,
} from "./lib/test-files";
import { inBatches, nameOf } from "./lib/test-batches";
import { countsOf, talliesOf, type Counts } from "./lib/test-output";
import { as_many_as_fit, doTogether } from "./lib/work-pool";

const root = resolve(import.meta.dir, "..");
/** A file that takes longer hangs. */
const file_limit_ms = 8 * 60_000;
/** A test that takes longer hangs; how fast something is, benchmarks tell. */
const test_limit_ms = 60_000;
/** Processes that run file after file: what each of them loads, it loads once. */
const shared_processes = Math.min(8, availableParallelism() + 1);
/** Processes for the files that mostly wait. */
const waiting_processes = 3;
/**
 * For tests and the servers that they start: both run much code a few times each, and compiling all
 * of it costs a sixth more than it saves. Benchmarks run as the product does.
 */
const short_lived = { BUN_JSC_useFTLJIT: "0", BUN_JSC_thresholdForJITAfterWarmUp: "5000" };
/** In processes that run file after file, giving memory back in between costs more, too. */
const memory_kept = { MIMALLOC_PURGE_DELAY: "-1" };
/** Kinds of tests, in their order. */
const kinds = ["browser", "acceptance", "faults", "process", "architecture", "http", "unit"];
/** Tests that need no build: their files share processes. */
const shared_kinds = ["unit", "http"];
const isShared = (path: string): boolean =>
  shared_kinds.some((kind) => path.startsWith(`test/${kind}/`));

interface Outcome extends Counts {
  readonly name: string;
  readonly seconds: number;
  /** Seconds of one processor, children that were waited for included. */
  readonly processor: number;
  readonly output: string;
  /** Runs it once more; absent from what is no single file. */
  readonly again?: () => Promise<Outcome>;
  /** The files that it ran, when there were several. */
  readonly paths?: readonly string[];
}

/** Where tests put temporary files, on disk and in memory: removed when they have ended. */
function temporaryPlaces(): { TMPDIR: string; TEST_MEMORY_PLACE: string } & Disposable {
  const TMPDIR = mkdtempSync(join(tmpdir(), "dossier-tests-"));
  const TEST_MEMORY_PLACE = mkdtempSync(join(memoryPlace(), "dossier-tests-"));
  // PostgreSQL runs as another user, in directories of its own below.
  for (const path of [TMPDIR, TEST_MEMORY_PLACE]) chmodSync(path, 0o711);
  return {
    TMPDIR,
    TEST_MEMORY_PLACE,
    [Symbol.dispose]() {
      for (const path of [TMPDIR, TEST_MEMORY_PLACE])
        rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Those of `npm run test:faults`, `npm run test:long` and of whoever repeats a random test. */
const settingsOfTests = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env as Record<string, string>).filter(([name]) =>
      name.startsWith("DOSSIER_TEST_"),
    ),
  );

/** Runs `bun test` with these arguments. `output` is all it printed, and how it ended. */
async function runBunTest(
  args: readonly string[],
  { env }: Engine,
  limit_ms = file_limit_ms,
): Promise<{ output: string; counts: Counts; processor: number }> {
  const started = performance.now();
  using places = temporaryPlaces();
  const { TMPDIR, TEST_MEMORY_PLACE } = places;
  const run = Bun.spawn([process.execPath, "test", "--timeout", String(test_limit_ms), ...args], {
    cwd: root,
    env: {
      ...cleanEnvironment(settingsOfTests()),
      ...short_lived,
      TMPDIR,
      TEST_MEMORY_PLACE,
      TEST_POSTGRES: "",
      ...env,
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: limit_ms,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr, code] = await Promise.all([
    run.stdout.text(),
    run.stderr.text(),
    run.exited,
  ]);
  const late = performance.now() - started > limit_ms;
  const limit = late ? `: it took longer than ${limit_ms / 60_000} minutes` : "";
  const end = run.signalCode ? `\nThe process ended by ${run.signalCode}${limit}.` : "";
  return {
    output: `${stdout}${stderr}${end}`,
    counts: countsOf(stderr, code),
    processor: processorSeconds(run),
  };
}

const secondsSince = (started_ms: number): number => (performance.now() - started_ms) / 1000;

async function runFile(path: string, engine: Engine = embedded): Promise<Outcome> {
  const started = performance.now();
  const { counts, ...run } = await runBunTest([`./${path}`], engine);
  return {
    name: nameOf(path) + engine.suffix,
    seconds: secondsSince(started),
    ...run,
    ...counts,
    again: () => runFile(path, engine),
  };
}

/** Files of a kind in one process, one after the other: what they load is loaded once. */
async function runBatch(paths: readonly string[]): Promise<Outcome> {
  if (paths.length === 1) return runFile(paths[0]!);
  const started = performance.now();
  const files = paths.map((path) => `./${path}`);
  const { counts, ...run } = await runBunTest(files, embedded, file_limit_ms * paths.length);
  const [first, ...others] = paths.map(nameOf);
  const name = [first, ...others.map((other) => other.split("/").at(-1))].join(", ");
  return { name, seconds: secondsSince(started), ...run, ...counts, paths };
}

async function runTool(step: Step): Promise<Outcome> {
  const started = performance.now();
  const { ok, ...run } = await check(step);
  return {
    name: step.name,
    seconds: secondsSince(started),
    ...run,
    passed: ok ? 1 : 0,
    failed: ok ? 0 : 1,
    skipped: 0,
  };
}

/**
 * The files that failed, once more, each alone: a test that only fails while five others take the
 * processor says nothing of the product. It is named, so that it gets mended.
 */
async function againAlone(outcomes: readonly Outcome[]): Promise<Outcome[]> {
  const settled: Outcome[] = [];
  for (const outcome of outcomes) {
    if (outcome.failed === 0 || !outcome.again) {
      settled.push(outcome);
      continue;
    }
    console.log(`     ${outcome.name} once more, alone …`);
    const second = await outcome.again();
    tell(second);
    if (second.failed === 0) tellFlaky(outcome);
    settled.push(second);
  }
  return settled;
}

const tellFlaky = ({ name }: Outcome): void =>
  console.log(`FLAKY ${name}: it failed beside others`);

function tell({ name, seconds, processor, passed, failed, skipped, output }: Outcome): void {
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} FAILED`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ].join(", ");
  if (failed > 0) console.log(output.replace(/^\(pass\).*\n/gm, "").trimEnd());
  console.log(
    `${failed > 0 ? "FAIL" : "ok  "} ${name.padEnd(34)} ${counts}, ${seconds.toFixed(1)} s, ` +
      `processor ${processor.toFixed(1)} s`,
  );
}

/** Every test file whose path has one of these words, or all: the long ones, then kind by kind. */
function testFiles(words: readonly string[]): string[] {
  const files = kinds.flatMap((kind) =>
    [...new Glob(`test/${kind}/*.test.ts`).scanSync({ cwd: root })].sort(),
  );
  files.sort((a, b) => (seconds_of[nameOf(b)] ?? 0) - (seconds_of[nameOf(a)] ?? 0));
  return files.filter((path) => words.length === 0 || words.some((word) => path.includes(word)));
}

type Work = () => Promise<Outcome>;

/** The checks, and these files of tests that need no build. */
function basics(paths: readonly string[]): Work[] {
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

/** Tests that need no build in a few processes that each run many files. */
async function runShared(
  name: string,
  engine: Engine,
  paths: readonly string[],
  processes: number,
): Promise<Outcome> {
  const started = performance.now();
  const { counts, ...run } = await runBunTest(
    [
      `--parallel=${processes}`,
      "--no-isolate",
      `--timings=${await writeTimings()}`,
      ...paths.map((path) => `./${path}`),
    ],
    { ...engine, env: { ...memory_kept, ...engine.env } },
  );
  return { name: name + engine.suffix, seconds: secondsSince(started), ...run, ...counts };
}

/** The same on PostgreSQL; should one of them fail, each file in a process of its own. */
async function runSharedOnPostgres(engine: Engine, paths: readonly string[]): Promise<Outcome[]> {
  const all = await runShared("http", engine, paths, shared_processes);
  tell(all);
  if (all.failed === 0) return [all];
  const work = paths.map((path) => () => runFile(path, engine));
  return againAlone(await doTogether(work, as_many_as_fit, tell));
}

const skippedOnPostgres = (): Outcome => {
  console.log(whyNoPostgres());
  const counts = { passed: 0, failed: 0, skipped: 1 };
  return { name: "http on PostgreSQL", seconds: 0, processor: 0, output: "", ...counts };
};

/** Of `npm test`: what touches the store most. */
async function runBrieflyOnPostgres(): Promise<Outcome> {
  const paths = on_both.map((name) => `test/http/${name}.test.ts`);
  const outcome = await withPostgres((engine) => runShared("http", engine(1), paths, 2));
  return outcome === null ? skippedOnPostgres() : { ...outcome, again: runBrieflyOnPostgres };
}

/**
 * `npm test`: everything, beside each other: what waits for a clock leaves the processors to what
 * computes.
 */
async function runAll(): Promise<Outcome[]> {
  const files = testFiles([]);
  const batches = inBatches(files.filter((path) => !isShared(path))).map(
    (paths) => () => runBatch(paths),
  );
  const work = [...basics(files.filter(isShared)), runBrieflyOnPostgres, ...batches];
  return againAlone(await eachForItself(await doTogether(work, as_many_as_fit, tell)));
}

/** `npm run test:quick`. */
async function runQuickly(): Promise<Outcome[]> {
  const left_out = left_out_of_quick.map((name) => `test/${name}.test.ts`);
  const paths = testFiles([]).filter((path) => isShared(path) && !left_out.includes(path));
  const outcomes = await doTogether(basics(paths), { min: 3, max: 3 }, tell);
  console.log(`Left to npm test: ${left_out.length} files that take long or other programs.`);
  return outcomes;
}

/** What failed in a shared process may be another file's doing: each for itself then. */
async function eachForItself(outcomes: readonly Outcome[]): Promise<Outcome[]> {
  const settled: Outcome[] = [];
  const alone: Work[] = [];
  const named = new Set<string>();
  for (const outcome of outcomes) {
    if (outcome.failed === 0 || !outcome.paths) {
      settled.push(outcome);
      continue;
    }
    const { rest, failing } = failedApart(outcome);
    settled.push(...rest);
    for (const path of failing ?? []) named.add(nameOf(path));
    alone.push(...(failing ?? outcome.paths).map((path) => () => runFile(path)));
  }
  const apart = await doTogether(alone, as_many_as_fit, (outcome) => {
    tell(outcome);
    if (outcome.failed === 0 && named.has(outcome.name)) tellFlaky(outcome);
  });
  return [...settled, ...apart];
}

/**
 * The files that hold what failed in a shared run, and what the others came to. `failing` is null
 * when its files don't add up to what it says, as when it was cut off: it counts for nothing then.
 */
function failedApart(shared: Outcome): { rest: Outcome[]; failing: string[] | null } {
  const all = [...talliesOf(shared.output)];
  const bad = all.filter(([, { failed }]) => failed > 0);
  const sum = (of: typeof all, count: keyof Counts) => of.reduce((n, [, one]) => n + one[count], 0);
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
  const acceptance = ofKind("acceptance").filter((path) => !(nameOf(path) in of_sqlite_alone));
  const outcomes = await withPostgres(async (engine) => {
    const units = unit_on_both.map((name) => `test/unit/${name}.test.ts`);
    const shared = [...ofKind("http"), ...ofKind("unit").filter((path) => units.includes(path))];
    const all = shared.length === 0 ? [] : await runSharedOnPostgres(engine(1), shared);
    for (const processes of [1, 3]) {
      const work = acceptance.map((path) => () => runFile(path, engine(processes)));
      all.push(...(await againAlone(await doTogether(work, as_many_as_fit, tell))));
    }
    return all;
  });
  return outcomes ?? [skippedOnPostgres()];
}

/** What takes how long, as `bun test` wants to know it, in milliseconds. Resolves to its path. */
async function writeTimings(): Promise<string> {
  const path = join(root, "node_modules/.cache/dossier-timings.json");
  const times = Object.entries(seconds_of).map(([name, seconds]) => [
    `test/${name}.test.ts`,
    seconds * 1_000,
  ]);
  await Bun.write(path, JSON.stringify({ version: 1, files: Object.fromEntries(times) }));
  return path;
}

/** Adds up, names what failed, and ends the process. */
function finish(outcomes: readonly Outcome[]): never {
  const total = (count: keyof Counts) => outcomes.reduce((sum, outcome) => sum + outcome[count], 0);
  for (const { name, failed } of outcomes) if (failed > 0) console.log(`FAIL ${name}`);
  const failed = total("failed") + (outcomes.length === 0 ? 1 : 0);
  const processor = outcomes.reduce((sum, outcome) => sum + outcome.processor, 0);
  console.log(`In all ${processor.toFixed(0)} s of one processor.`);
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
  finish(await againAlone(await doTogether(work, as_many_as_fit, tell)));
}
