/**
 * What tools have done to a data directory, written down beside its database: a tool opens no
 * server that could be told, and the database it leaves may be one of another version. Whoever
 * observes commands takes the notes in at the next start.
 */
import { appendFileSync, existsSync } from "node:fs";
import { readFile, rename, rm } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { systemClock } from "../base/clock";
import { newId } from "../base/ids";
import type { RunCommand } from "./command";

export interface CommandNote extends RunCommand {
  /** Its own: notes that were taken in, but not deleted yet, are known by it. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at_ms: number;
  /** The user of the operating system. */
  readonly by: string | null;
}

const notes_file = "dossier.commands.jsonl";
const taken_file = "dossier.commands-taken.jsonl";
/** Older ones are not taken in. */
const notes_max = 1_000;

/** Nothing is written where there is no database: a restore that was refused, for one. */
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

/** Hands the notes over, and deletes them when that went well. `take` may be given one twice. */
export async function takeCommandNotes(
  data: string,
  take: (notes: readonly CommandNote[]) => Promise<void>,
): Promise<void> {
  const [notes, taken] = [join(data, notes_file), join(data, taken_file)];
  // Those that an earlier start could not take in come first.
  for (const path of [taken, notes]) {
    if (!existsSync(path)) continue;
    if (path === notes) await rename(notes, taken);
    const lines = (await readFile(taken, "utf8")).split("\n").filter(Boolean).slice(-notes_max);
    await take(lines.flatMap(noteOf));
    await rm(taken);
  }
}

/** None of a line that was cut off. */
function noteOf(line: string): CommandNote[] {
  try {
    return [JSON.parse(line) as CommandNote];
  } catch {
    return [];
  }
}

/** Who runs this process, as the operating system knows them. */
export function systemUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    // A user id without a name, as in containers.
    return process.getuid ? `uid ${process.getuid()}` : null;
  }
}
