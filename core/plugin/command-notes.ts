/**
 * Notes about what tools did to a data directory, written beside its database: a tool opens no
 * server that could record it, and leaves a database that may be of another version. Observers of
 * commands receive the notes at the next start.
 */
import { appendFileSync, existsSync } from "node:fs";
import { readFile, rename, rm } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { systemClock } from "../base/clock";
import { newId } from "../base/ids";
import type { RunCommand } from "./command";

/** A finished tool that changes something. */
export interface CommandNote extends RunCommand {
  /** Identifies a note that was processed but not deleted yet. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at_ms: number;
  /** The user of the operating system. */
  readonly by: string | null;
}

const notes_file = "dossier.commands.jsonl";
const taken_file = "dossier.commands-taken.jsonl";
/** Older ones are ignored. */
const notes_max = 1_000;

/** Writes nothing where there is no database, as after a refused restore. */
export function noteCommand(
  { data, database }: { readonly data: string; readonly database: string | null },
  ran: RunCommand,
): void {
  if (database !== null && !existsSync(database)) return;
  const note: CommandNote = {
    ...ran,
    id: newId("aud"),
    at_ms: systemClock.now_ms(),
    by: systemUser(),
  };
  appendFileSync(join(data, notes_file), `${JSON.stringify(note)}\n`, { mode: 0o600 });
}

/** Passes the notes on, and deletes them if that succeeds. `take` may receive a note twice. */
export async function takeCommandNotes(
  data: string,
  take: (notes: readonly CommandNote[]) => Promise<void>,
): Promise<void> {
  const notes_path = join(data, notes_file);
  const taken_path = join(data, taken_file);
  // Notes that an earlier start could not process come first.
  for (const path of [taken_path, notes_path]) {
    if (!existsSync(path)) continue;
    if (path === notes_path) await rename(notes_path, taken_path);
    const lines = (await readFile(taken_path, "utf8"))
      .split("\n")
      .filter(Boolean)
      .slice(-notes_max);
    await take(lines.flatMap(noteOf));
    await rm(taken_path);
  }
}

/** Empty for a truncated line. */
function noteOf(line: string): CommandNote[] {
  try {
    return [JSON.parse(line) as CommandNote];
  } catch {
    return [];
  }
}

/** The user of this process, according to the operating system. */
export function systemUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    // A user id without a name, as in containers.
    return process.getuid ? `uid ${process.getuid()}` : null;
  }
}
