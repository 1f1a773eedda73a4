/** The command that starts this program again as a child that runs tasks. */

/** The hidden subcommand of the executable that calls `runChild`. */
export const task_command = "__task";

/**
 * `main` is the path of core/main.ts, which a checkout needs; a compiled executable contains it.
 */
export const childCommand = (main: string): string[] =>
  Bun.isStandaloneExecutable
    ? [process.execPath, task_command]
    : [process.execPath, main, task_command];
