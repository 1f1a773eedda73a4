/**
 * Records how the last run of the server ended when a plugin's code ended it, for the next start to
 * report.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CodeLabel } from "./running-code";

/** How a plugin ended the server. */
export interface LastExit extends CodeLabel {
  /** RFC 3339. */
  readonly at: string;
  /** What happened, in words that follow the plugin's name. */
  readonly how: string;
}

const end_file = "dossier.last-end.json";

/** Never throws: the process ends either way. */
export function writeLastExit(data: string, end: LastExit): void {
  try {
    writeFileSync(join(data, end_file), `${JSON.stringify(end)}\n`, { mode: 0o600 });
  } catch {
    // The disk is full: the log has to suffice.
  }
}

/** Removes the record, because it is reported once. Null when the last run ended otherwise. */
export function takeLastExit(data: string): LastExit | null {
  const path = join(data, end_file);
  try {
    const end = JSON.parse(readFileSync(path, "utf8")) as LastExit;
    rmSync(path);
    return end;
  } catch {
    return null;
  }
}
