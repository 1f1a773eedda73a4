/** The program. The only file that names both core and the built-in plugins. */
import { isAbsolute } from "node:path";
import * as typebox from "@sinclair/typebox";
import { builtIn } from "../plugins/built-in";
import * as contracts from "../plugins/contracts";
import { runProgram } from "./cli/program";
import { runPreflight } from "./cli/preflight";
import { serves } from "./cli/serves";
import { runChild } from "./isolate/child";
import { childCommand, task_command } from "./isolate/command";
import { ChildPool } from "./isolate/pool";
import { settlesWithin } from "./lib/timeout";
import type { Plugin } from "./plugin/contract";
import { importPlugin, installModules } from "./plugin/loader";
import * as sdk from "./sdk";

const plugins: readonly Plugin[] = builtIn;
const task_child = childCommand(import.meta.path);
const words = process.argv.slice(2);
const [first, ...rest] = words;
const is_server = serves(words);
/** How long readers may take for the last lines of a server. */
const last_lines_ms_max = 500;

/**
 * Pending output: a pipe takes only a limited amount at a time, and exiting would lose the rest.
 */
const printing: Promise<void>[] = [];
const printTo =
  (stream: NodeJS.WriteStream) =>
  (line: string): void => {
    printing.push(
      new Promise((done) => {
        stream.write(`${line}\n`, (error) => {
          // The reader closed the pipe because it has seen enough: not a failure.
          if (error && (error as NodeJS.ErrnoException).code !== "EPIPE") process.exitCode = 1;
          done();
        });
      }),
    );
  };

/** The question goes to standard error: standard output may be read by a program. */
async function typedLine(question: string): Promise<string> {
  process.stderr.write(question);
  const { createInterface } = await import("node:readline");
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line;
    return "";
  } finally {
    lines.close();
  }
}

// A broken output is no reason to exit: writers get the error in a callback.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

// Which code is compiled to machine code, and when: see scripts/build.ts.
if (!is_server) Bun.unsafe.setJITPolicy(1);

installModules({ dossier: sdk, "dossier/contracts": contracts, "@sinclair/typebox": typebox });
if (first === task_command) {
  await runChild(
    async (plugin, task) =>
      (isAbsolute(plugin)
        ? await importPlugin(plugin)
        : plugins.find((built_in) => built_in.name === plugin)
      )?.tasks[task],
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
  // The output of a command is its result; a server that was told to stop waits for no reader.
  const printed = Promise.all(printing);
  if (is_server) await settlesWithin(printed, last_lines_ms_max);
  else await printed;
  // Whatever a plugin left running must not keep the process alive after its command has ended.
  process.exit(exit_code || process.exitCode);
}
