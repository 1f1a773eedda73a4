/** The place in a plugin's file where something went wrong. */
import { basename } from "node:path";

/** A frame of a stack trace: `at setUp (/data/plugins/notes.ts:3:9)`. */
const call = /^\s*at .*?\(?((?:\/|[A-Z]:\\)[^()]*?):(\d+):(\d+)\)?$/;

/**
 * ` (notes.ts:3:9)`: the innermost frame outside this program; empty when there is none. Only the
 * compiled executable can tell them apart.
 */
export function locationOf(error: unknown): string {
  if (!Bun.isStandaloneExecutable || !(error instanceof Error)) return "";
  for (const line of (error.stack ?? "").split("\n")) {
    const [, file, row, column] = call.exec(line) ?? [];
    if (file !== undefined && !file.includes("$bunfs"))
      return ` (${basename(file)}:${row}:${column})`;
  }
  return "";
}
