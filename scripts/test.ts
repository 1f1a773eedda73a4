/**
 * `npm test`: types, lint, format, then every test file in a process of its own, so that a crash of
 * one is a failure and takes no other along. Ends with `N passed, N failed`. Words on the command
 * line choose files by path: `npm test -- folders`, `npm test -- browser/`.
 *
 * `npm run test:quick`: the same checks, then unit tests and in-process HTTP in one run that shares
 * processes; needs no build.
 */
import { Glob } from "bun";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { buildConsoleIfStale } from "./build-console";
import { check, tools } from "./check";
import { generateConsoleSchema } from "./console-schema";
import { cleanEnvironment } from "./lib/launch";

const root = resolve(import.meta.dir, "..");
/** A file that takes longer hangs. */
const file_limit_ms = 8 * 60_000;
/** A test that takes longer hangs; how fast something is, benchmarks tell. */
const test_limit_ms = 60_000;
/** Test files at the same time. Browser and crash tests wait a lot, so each core may have one. */
const together_max = Math.max(1, Math.min(4, availableParallelism()));
/** Kinds of tests, those with the longest files first: no long file runs last and alone. */
const kinds = ["browser", "acceptance", "process", "architecture", "http", "unit"];
/** What `npm run test:quick` runs. */
const quick_kinds = ["unit", "http"];

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

interface Outcome extends Counts {
  readonly name: string;
  readonly seconds: number;
  readonly output: string;
}

/** Runs `bun test` with these arguments. `output` is all it printed, and how it ended. */
async function runBunTest(args: readonly string[]): Promise<{ output: string; counts: Counts }> {
  const started = performance.now();
  const run = Bun.spawn([process.execPath, "test", "--timeout", String(test_limit_ms), ...args], {
    cwd: root,
    env: cleanEnvironment(),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: file_limit_ms,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr, code] = await Promise.all([
    run.stdout.text(),
    run.stderr.text(),
    run.exited,
  ]);
  const late = performance.now() - started > file_limit_ms;
  const limit = late ? `: it took longer than ${file_limit_ms / 60_000} minutes` : "";
  const end = run.signalCode ? `\nThe process ended by ${run.signalCode}${limit}.` : "";
  return { output: `${stdout}${stderr}${end}`, counts: countsOf(stderr, code) };
}

const secondsSince = (started_ms: number): number => (performance.now() - started_ms) / 1000;

async function runFile(path: string): Promise<Outcome> {
  const started = performance.now();
  const { output, counts } = await runBunTest([`./${path}`]);
  const name = path.replace(/^test\//, "").replace(/\.test\.ts$/, "");
  return { name, seconds: secondsSince(started), output, ...counts };
}

async function runTool(step: (typeof tools)[number]): Promise<Outcome> {
  const started = performance.now();
  const { ok, output } = await check(step);
  return {
    name: step.name,
    seconds: (performance.now() - started) / 1000,
    output,
    passed: ok ? 1 : 0,
    failed: ok ? 0 : 1,
    skipped: 0,
  };
}

/** Does every piece of work, at most `together_max` at a time, and tells of each as it ends. */
async function runAll(work: readonly (() => Promise<Outcome>)[]): Promise<Outcome[]> {
  const waiting = [...work];
  const outcomes: Outcome[] = [];
  const takeTurns = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const outcome = await next();
      tell(outcome);
      outcomes.push(outcome);
    }
  };
  await Promise.all(Array.from({ length: together_max }, takeTurns));
  return outcomes;
}

function tell({ name, seconds, passed, failed, skipped, output }: Outcome): void {
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} FAILED`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ].join(", ");
  if (failed > 0) console.log(output.replace(/^\(pass\).*\n/gm, "").trimEnd());
  console.log(
    `${failed > 0 ? "FAIL" : "ok  "} ${name.padEnd(34)} ${counts}, ${seconds.toFixed(1)} s`,
  );
}

/** Every test file whose path has one of these words, or all of them, kind by kind. */
function testFiles(words: readonly string[]): string[] {
  const files = kinds.flatMap((kind) =>
    [...new Glob(`test/${kind}/*.test.ts`).scanSync({ cwd: root })].sort(),
  );
  return files.filter((path) => words.length === 0 || words.some((word) => path.includes(word)));
}

/** Unit and in-process HTTP tests in a few processes that each run many files. */
async function runQuick(): Promise<Outcome> {
  const started = performance.now();
  const folders = quick_kinds.map((kind) => `./test/${kind}/`);
  const parallel = ["--parallel", String(together_max), "--no-isolate"];
  const { output, counts } = await runBunTest([...parallel, ...folders]);
  return { name: quick_kinds.join(" and "), seconds: secondsSince(started), output, ...counts };
}

/** Adds up, names what failed, and ends the process. */
function finish(outcomes: readonly Outcome[]): never {
  const total = (count: keyof Counts) => outcomes.reduce((sum, outcome) => sum + outcome[count], 0);
  for (const { name, failed } of outcomes) if (failed > 0) console.log(`FAIL ${name}`);
  const failed = total("failed") + (outcomes.length === 0 ? 1 : 0);
  const skipped = total("skipped") > 0 ? `, ${total("skipped")} skipped` : "";
  console.log(`${total("passed")} passed, ${failed} failed${skipped}`);
  process.exit(failed > 0 ? 1 : 0);
}

if (import.meta.main) {
  await buildConsoleIfStale();
  const words = process.argv.slice(2).filter((word) => word !== "--quick");
  if (words.some((word) => word.startsWith("-"))) {
    console.error("usage: test.ts [--quick] [words of the paths of test files]");
    process.exit(2);
  }
  if (words.length === 0) await generateConsoleSchema();
  const checks = tools.map((step) => () => runTool(step));
  if (process.argv.includes("--quick")) {
    const checked = await runAll(checks);
    const tested = await runQuick();
    tell(tested);
    finish([...checked, tested]);
  }
  const files = testFiles(words);
  if (files.length === 0) console.log(`No test file has ${words.join(" or ")} in its path.`);
  const tests = files.map((path) => () => runFile(path));
  finish(await runAll(words.length === 0 ? [...checks, ...tests] : tests));
}
