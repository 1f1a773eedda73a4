/** `dossier plugin test`: Bun's test runner, which the executable carries. */
import type { Project } from "./project";
import { asBun } from "./toolchain";

/**
 * Longer than Bun's default of five seconds, because starting a server takes longer on a busy
 * machine.
 */
const timeout_ms = 30_000;

/** Runs the tests of a plugin on the terminal of this process and returns the exit code. */
export async function runTests(
  { directory }: Project,
  runner_args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const child = Bun.spawn([process.execPath, "test", `--timeout=${timeout_ms}`, ...runner_args], {
    cwd: directory,
    env: asBun(env),
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  });
  return child.exited;
}
