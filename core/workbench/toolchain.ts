/** Bun itself: this executable behaves as Bun when told to. */

/** The environment of a child process that runs as Bun. */
export const asBun = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> => ({ ...env, BUN_BE_BUN: "1" });

/** The environment of a child process that runs as Dossier, however this process was started. */
export function asDossier(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) =>
        !name.startsWith("DOSSIER_") && !["BUN_BE_BUN", "BUN_OPTIONS", "NODE_ENV"].includes(name),
    ),
  );
}

/** The settings of Dossier in a shell's environment. */
export const settingsOf = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[0].startsWith("DOSSIER_") && entry[1] !== undefined,
    ),
  );

/** How a run ended. `output`: of both streams. */
export interface RunResult {
  readonly code: number;
  readonly output: string;
}

/** Runs `bun WORDS` to its end. */
export async function runBun(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<RunResult> {
  const child = Bun.spawn([process.execPath, ...args], {
    cwd,
    env: asBun(env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, errors, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { code, output: `${out}${errors}`.trim() };
}
