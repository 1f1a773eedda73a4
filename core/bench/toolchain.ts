/** Bun itself: the executable is it, too, when it is told so. */

/** The environment of a child that is Bun, and no Dossier. */
export const asBun = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> => ({ ...env, BUN_BE_BUN: "1" });

/** The environment of a child that is Dossier, whatever this process was started as. */
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

/** The settings of Dossier that a shell gives. */
export const settingsOf = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[0].startsWith("DOSSIER_") && entry[1] !== undefined,
    ),
  );

export interface Ran {
  readonly code: number;
  readonly output: string;
}

/** Runs `bun WORDS` to its end. */
export async function runBun(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Ran> {
  const child = Bun.spawn([process.execPath, ...words], {
    cwd,
    env: asBun(env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, complaints, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { code, output: `${out}${complaints}`.trim() };
}
