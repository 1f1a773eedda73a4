/**
 * `npm run check`: types, lint, format, import rule, tidy. Prints violations and exits 1 if there
 * are any.
 */
import { join, resolve } from "node:path";
import { buildConsoleIfStale } from "./build-console";
import { generateConsoleSchema } from "./console-schema";
import { formatter } from "./format";

const root = resolve(import.meta.dir, "..");
const folders = ["core", "plugins", "scripts", "test", "examples", "client/src"];

/** A part of the check: a command of its own. */
export interface Step {
  readonly name: string;
  readonly command: readonly string[];
}

/**
 * The checks that are not tests themselves; the other two are (test/architecture/imports.test.ts,
 * test/architecture/tidy.test.ts). The console's pages have browser types, the rest has not.
 */
export const tools: readonly Step[] = [
  { name: "types", command: [process.execPath, "check", "--no-script"] },
  {
    name: "types of the console",
    command: [process.execPath, "check", "--no-script", "-p", "plugins/console/web"],
  },
  {
    name: "types of the client",
    command: [process.execPath, "check", "--no-script", "-p", "client"],
  },
  { name: "format", command: formatter("--check") },
  {
    name: "lint",
    command: [
      process.execPath,
      join(root, "node_modules/oxlint/bin/oxlint"),
      "--config",
      ".oxlintrc.json",
      "--deny-warnings",
      ...folders,
    ],
  },
];
const own_steps: readonly Step[] = [
  { name: "imports", command: [process.execPath, "scripts/check-imports.ts"] },
  { name: "tidy", command: [process.execPath, "scripts/tidy.ts"] },
];

/** How a step ended. */
export interface Checked {
  readonly ok: boolean;
  /** Its output. */
  readonly output: string;
  /** Processor time in seconds. */
  readonly processor: number;
}

/** Processor time of a process that has ended, including children it waited for. */
export const processorSeconds = (run: Bun.Subprocess): number =>
  Number(run.resourceUsage()?.cpuTime.total ?? 0) / 1e6;

/** Runs one check. */
export async function check({ command }: Step): Promise<Checked> {
  const run = Bun.spawn([...command], {
    cwd: root,
    stdout: "pipe",
    stderr: "pipe",
    stdin: "ignore",
  });
  const [stdout, stderr, code] = await Promise.all([
    run.stdout.text(),
    run.stderr.text(),
    run.exited,
  ]);
  return {
    ok: code === 0,
    output: `${stdout}${stderr}`.trim(),
    processor: processorSeconds(run),
  };
}

if (import.meta.main) {
  await buildConsoleIfStale();
  await generateConsoleSchema();
  let failed = false;
  for (const step of [...tools, ...own_steps]) {
    const { ok, output } = await check(step);
    console.log(`${ok ? "ok  " : "FAIL"} ${step.name}${ok ? "" : `\n${output}`}`);
    failed ||= !ok;
  }
  process.exit(failed ? 1 : 0);
}
