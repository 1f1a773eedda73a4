/**
 * `npm test`: type check, lint, then every test file in a process of its own, so that a crash of
 * one is a failure and takes no other along.
 * Ends with `N passed, N failed`. Words on the command line choose files by name: `npm test --
 * folders`.
 */
import { Glob } from "bun";
import { availableParallelism } from "node:os";
import { basename, resolve } from "node:path";
import { buildConsoleIfStale } from "./build-console";
import { check, tools } from "./check";
import { generateConsoleSchema } from "./console-schema";
import { cleanEnvironment } from "./lib/launch";

const root = resolve(import.meta.dir, "..");
/** A file that takes longer hangs. */
const file_limit_ms = 8 * 60_000;
const together_max = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * What one run of `bun test` amounts to. Its closing lines count, its exit code decides: a run that
 * ended without them,
 * ran nothing, or failed without saying where has failed once more than it says.
 */
export function countsOf(output: string, code: number): Counts {
  const closing =
    /((?:^ *\d+ (?:pass|skip|todo|fail|error|snapshots|expect\(\) calls).*\n)+)Ran (\d+) tests? across/m.exec(
      output.slice(output.lastIndexOf("\n\n")),
    );
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

async function runFile(path: string): Promise<Outcome> {
  const started = performance.now();
  const run = Bun.spawn([process.execPath, "test", `./${path}`], {
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
  const counts = countsOf(stderr, code);
  const why =
    run.signalCode === null
      ? ""
      : `\nThe process ended by ${run.signalCode}${performance.now() - started > file_limit_ms ? `: it took longer than ${file_limit_ms / 60_000} minutes` : ""}.`;
  return {
    name: basename(path),
    seconds: (performance.now() - started) / 1000,
    output: `${stdout}${stderr}${why}`,
    ...counts,
  };
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

if (import.meta.main) {
  await buildConsoleIfStale();
  const words = process.argv.slice(2);
  if (words.length === 0) await generateConsoleSchema();
  const files = [...new Glob("test/**/*.test.ts").scanSync({ cwd: root })]
    .sort()
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word)));
  const work = [
    ...(words.length === 0 ? tools.map((step) => () => runTool(step)) : []),
    ...files.map((path) => () => runFile(path)),
  ];
  const outcomes = await runAll(work);
  const total = (count: keyof Counts) => outcomes.reduce((sum, outcome) => sum + outcome[count], 0);
  const failed = total("failed") + (work.length === 0 ? 1 : 0);
  if (work.length === 0) console.log(`No test file is named like ${words.join(" or ")}.`);
  for (const { name, failed: here } of outcomes) if (here > 0) console.log(`FAIL ${name}`);
  console.log(
    `${total("passed")} passed, ${failed} failed${total("skipped") > 0 ? `, ${total("skipped")} skipped` : ""}`,
  );
  process.exit(failed > 0 ? 1 : 0);
}
