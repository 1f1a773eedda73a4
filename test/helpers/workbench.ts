/** Runs the commands for plugin developers as they do, with only the executable available. */
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { executable } from "../../scripts/build";
import type { CommandResult } from "../../scripts/lib/launch";
import { temporaryDirectory } from "./data-directory";

/** Hides this checkout: no Node, no npm, no settings. */
export const newcomer = { HOME: tmpdir(), PATH: "/usr/bin:/bin" };

/** Runs `dossier plugin …` in a directory and waits for its end. */
export async function runPluginCommand(
  cwd: string,
  ...words: readonly string[]
): Promise<CommandResult> {
  const run = Bun.spawn([executable, "plugin", ...words], {
    cwd,
    env: newcomer,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    run.stdout.text(),
    run.stderr.text(),
    run.exited,
  ]);
  return { code, stdout, stderr };
}

/** The same, for a command that must succeed; returns its output. @throws Error with its output. */
export async function mustRunPluginCommand(
  cwd: string,
  ...words: readonly string[]
): Promise<string> {
  const { code, stdout, stderr } = await runPluginCommand(cwd, ...words);
  if (code !== 0)
    throw new Error(`dossier plugin ${words.join(" ")} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

/** Packs a plugin of `examples/` into this file. */
export const packExample = (name: string, file: string): Promise<string> =>
  mustRunPluginCommand(
    resolve(import.meta.dir, "../.."),
    "pack",
    `examples/${name}`,
    relative(resolve(import.meta.dir, "../.."), file),
  );

/** Packs a plugin of `examples/` and adds it to a data directory like an operator. */
export async function addExample(name: string, data: string): Promise<void> {
  const packed = join(temporaryDirectory(), `${name}.js`);
  await packExample(name, packed);
  await mustRunPluginCommand(data, "add", packed, "--data", data);
  rmSync(dirname(packed), { recursive: true });
}
