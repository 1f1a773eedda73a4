/** Runs of `bun test` and of the checks, and their outcomes. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { check, processorSeconds, type Step } from "../check";
import { embedded, type Engine } from "./engines";
import { cleanEnvironment } from "./launch";
import { memoryDirectory } from "./memory-directory";
import { nameOf } from "./test-batches";
import { seconds_of } from "./test-files";
import { countsOf, type Counts } from "./test-output";

const root = resolve(import.meta.dir, "../..");

/** A file that takes longer is considered hanging. */
const file_limit_ms = 8 * 60_000;
/** So are processes that share hundreds of files; a busy machine is several times slower. */
const shared_limit_ms = 40 * 60_000;

/** A test that takes longer is considered hanging: speed is measured by benchmarks, not here. */
const test_limit_ms = 60_000;

/**
 * For tests and the servers they start. They run much code, but each part only a few times, so that
 * optimising it costs a sixth more than it saves. Benchmarks run like the product.
 */
const short_lived = { BUN_JSC_useFTLJIT: "0", BUN_JSC_thresholdForJITAfterWarmUp: "5000" };

/** In processes that run many files, returning memory in between also costs more than it saves. */
const memory_kept = { MIMALLOC_PURGE_DELAY: "-1" };

/** How a run ended. */
export interface Outcome extends Counts {
  readonly name: string;
  readonly seconds: number;
  /** Processor time in seconds, including children that were waited for. */
  readonly processor: number;
  readonly output: string;
  /** Runs it again; absent unless it is a single file. */
  readonly repeat?: () => Promise<Outcome>;
  /** The files, if there were several. */
  readonly paths?: readonly string[];
}

/** Directories for temporary files, on disk and in memory; removed when the tests have ended. */
function temporaryPlaces(): { TMPDIR: string; TEST_MEMORY_PLACE: string } & Disposable {
  const TMPDIR = mkdtempSync(join(tmpdir(), "dossier-tests-"));
  const TEST_MEMORY_PLACE = mkdtempSync(join(memoryDirectory(), "dossier-tests-"));
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

/** Set by `npm run test:faults`, `npm run test:long`, or to repeat a random test. */
const settingsOfTests = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env as Record<string, string>).filter(([name]) =>
      name.startsWith("DOSSIER_TEST_"),
    ),
  );

/** Runs `bun test` with these arguments. `output` is everything it printed, and how it ended. */
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
  const is_late = performance.now() - started > limit_ms;
  const limit = is_late ? `: it took longer than ${limit_ms / 60_000} minutes` : "";
  const end = run.signalCode ? `\nThe process ended by ${run.signalCode}${limit}.` : "";
  return {
    output: `${stdout}${stderr}${end}`,
    counts: countsOf(stderr, code),
    processor: processorSeconds(run),
  };
}

const secondsSince = (started_ms: number): number => (performance.now() - started_ms) / 1000;

/** Runs the tests of one file. */
export async function runFile(path: string, engine: Engine = embedded): Promise<Outcome> {
  const started = performance.now();
  const { counts, ...run } = await runBunTest([`./${path}`], engine);
  return {
    name: nameOf(path) + engine.suffix,
    seconds: secondsSince(started),
    ...run,
    ...counts,
    repeat: () => runFile(path, engine),
  };
}

/** Runs files of one kind one after another in one process, which loads common modules once. */
export async function runBatch(paths: readonly string[]): Promise<Outcome> {
  if (paths.length === 1) return runFile(paths[0]!);
  const started = performance.now();
  const files = paths.map((path) => `./${path}`);
  const { counts, ...run } = await runBunTest(files, embedded, file_limit_ms * paths.length);
  const [first, ...others] = paths.map(nameOf);
  const name = [first, ...others.map((other) => other.split("/").at(-1))].join(", ");
  return { name, seconds: secondsSince(started), ...run, ...counts, paths };
}

/** Runs one step of the check. */
export async function runTool(step: Step): Promise<Outcome> {
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

/** Prints the outcomes: failures with their output, and the totals. */
export function report({
  name,
  seconds,
  processor,
  passed,
  failed,
  skipped,
  output,
}: Outcome): void {
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

/** Runs test files that need no build in a few processes. */
export async function runShared(
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
    shared_limit_ms,
  );
  return { name: name + engine.suffix, seconds: secondsSince(started), ...run, ...counts };
}

/** Writes the durations for `bun test`, in milliseconds, and returns the path of the file. */
async function writeTimings(): Promise<string> {
  const path = join(root, "node_modules/.cache/dossier-timings.json");
  const times = Object.entries(seconds_of).map(([name, seconds]) => [
    `test/${name}.test.ts`,
    seconds * 1_000,
  ]);
  await Bun.write(path, JSON.stringify({ version: 1, files: Object.fromEntries(times) }));
  return path;
}
