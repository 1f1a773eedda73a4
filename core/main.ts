/** The executable. The only file that names both core and the built-in plugins. */
import { isAbsolute } from "node:path";
import { createInterface } from "node:readline";
import * as typebox from "@sinclair/typebox";
import { builtIn } from "../plugins/built-in";
import * as contracts from "../plugins/contracts";
import { runProgram } from "./cli/program";
import { runPreflight } from "./cli/preflight";
import { runChild } from "./isolate/child";
import { childCommand, task_command } from "./isolate/command";
import { ChildPool } from "./isolate/pool";
import { settlesWithin } from "./lib/timeout";
import type { Plugin } from "./plugin/define";
import { importPlugin, installModules } from "./plugin/load";
import * as sdk from "./sdk";

const plugins: readonly Plugin[] = builtIn;
const task_child = childCommand(import.meta.path);
const words = process.argv.slice(2);
const [first, ...rest] = words;
const serves = words.length === 0 || words.includes("serve");
/** How long the last lines of a server may take to be read. */
const last_lines_ms_max = 500;

/**
 * What is on its way out: a pipe takes only so much at a time, and an end of the process loses the
 * rest.
 */
const printing: Promise<void>[] = [];
const printTo =
  (stream: NodeJS.WriteStream) =>
  (line: string): void =>
    void printing.push(
      new Promise((done) => {
        stream.write(`${line}\n`, (error) => {
          // Who has closed the pipe has seen enough: that is no failure.
          if (error && (error as NodeJS.ErrnoException).code !== "EPIPE") process.exitCode = 1;
          done();
        });
      }),
    );

/** The question goes where complaints go: what a command prints may be read by a program. */
async function typedLine(question: string): Promise<string> {
  process.stderr.write(question);
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line;
    return "";
  } finally {
    lines.close();
  }
}

// An output that can't be written to is no reason to end: whoever writes is told by a callback.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

// What is compiled to machine code, and when: see scripts/build.ts.
if (!serves) Bun.unsafe.setJITPolicy(1);

installModules({ dossier: sdk, "dossier/contracts": contracts, "@sinclair/typebox": typebox });
if (first === task_command) {
  await runChild(
    async (plugin, task) =>
      (isAbsolute(plugin) ? await importPlugin(plugin) : plugins.find((one) => one.name === plugin))
        ?.tasks[task],
  );
} else {
  if (first === "__preflight") {
    const exit = process.exit.bind(process);
    try {
      await runPreflight(rest, plugins);
      exit(0);
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : error}\n`);
      exit(1);
    }
  }
  const exit_code = await runProgram(words, {
    built_in: plugins,
    isolate: (log) => new ChildPool({ command: task_child, log }),
    preflight_command: [...task_child.slice(0, -1), "__preflight"],
    print: printTo(process.stdout),
    complain: printTo(process.stderr),
    stdin: async () => (await Bun.stdin.text()).replace(/\r?\n$/, ""),
    ask: typedLine,
  });
  // What a command prints is its work; a server that was told to stop waits for no reader.
  const printed = Promise.all(printing);
  if (serves) await settlesWithin(printed, last_lines_ms_max);
  else await printed;
  // Nothing that a plugin left running may keep the process alive after its command has ended.
  process.exit(exit_code || process.exitCode);
}
