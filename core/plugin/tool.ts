/**
 * Commands on a data directory that no server may be able to open: a new one, a damaged one, one of
 * a newer version.
 */
import type { SlotRef } from "../base/refs";
import type { IsolatedRun } from "../isolate/pool";
import type { Command, CommandInput } from "./command";

/** The server on the data directory, set up but not started: no jobs and no port. */
export interface OpenedData {
  readonly slot: <T>(ref: SlotRef<T>) => readonly T[];
}
/** What a tool is given. */
export interface ToolInput extends Omit<CommandInput, "ask"> {
  /** The path of the data directory, which may be missing. */
  readonly data: string;
  /** The path of its database, which may be missing; null where the database is a server. */
  readonly database: string | null;
  /** The settings of this plugin. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The migration steps known to this version, by plugin. */
  readonly known_steps: ReadonlyMap<string, readonly string[]>;
  /**
   * Locks the data directory, which must exist, and returns a function that unlocks it. @throws
   * Error when a server runs on it.
   */
  readonly lock: () => () => void;
  /**
   * Calls `use` with the data directory open, like any other command; tables are never changed.
   * @throws Error when it can't be opened, or is of another version.
   */
  readonly open: <R>(use: (opened: OpenedData) => Promise<R>) => Promise<R>;
  /** Runs one of this plugin's `tasks` in a child process. @throws TaskFailure */
  readonly isolate: (
    task: string,
    input: unknown,
    options: Parameters<IsolatedRun>[3],
  ) => Promise<unknown>;
  /** Epoch milliseconds. */
  readonly now_ms: () => number;
}
/**
 * Unlike a command, it runs without `setup`, and opens the data directory itself or not at all. If
 * it `changes` something, that is noted for observers of commands, who receive it at the next
 * start.
 */
export interface Tool extends Omit<Command, "starts_data"> {
  readonly run: (input: ToolInput) => Promise<void>;
}
