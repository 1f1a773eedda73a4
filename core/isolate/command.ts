/** How to start this same program once more, as a child that runs tasks. */

/** The hidden subcommand of the executable that calls `runChild`. */
export const task_command = "__task";

/**
 * The words of the command. `main` is the path of core/main.ts, which a checkout needs and a
 * compiled executable has inside.
 */
export const childCommand = (main: string): string[] =>
  Bun.isStandaloneExecutable
    ? [process.execPath, task_command]
    : [process.execPath, main, task_command];
