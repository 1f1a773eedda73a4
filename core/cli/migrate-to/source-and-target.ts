/** The source and the target of a move: opened, locked and inspected, with every obstacle found. */
import { existsSync, readdirSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { messageOf } from "../../lib/error-message";
import { systemClock } from "../../base/clock";
import type { Log } from "../../base/log";
import { UsageError } from "../../plugin/command";
import { freeSpaceOf } from "../../store/free-space";
import { database_file, lockDirectory } from "../../store/lock";
import { migrate } from "../../store/migrator";
import { PostgresSide } from "../../store/move/postgres-side";
import type { Side, TargetSide } from "../../store/move/side";
import { SqliteSide } from "../../store/move/sqlite-side";
import { MoveState } from "../../store/move/state";
import { isPostgresUrl } from "../../store/postgres/connections";
import { PostgresStore, withoutPassword } from "../../store/postgres/postgres-store";
import type { Schema } from "../../store/schema";
import { SqliteStore } from "../../store/sqlite-store";
import type { Store } from "../../store/store";
import type { Bootstrap } from "../bootstrap";

/** A database session may outlive its process for a moment. */
const lock_tries = 25;
const lock_every_ms = 200;
/** Names in a directory that counts as empty: locks, and files that the system keeps there. */
const is_ignored = /^(\..*|lost\+found|dossier\.lock.*)$/;
/** A database takes more space than its rows, because of its indexes. */
const space_factor = 2;

/** Releases what was opened and locked, in reverse order. */
export type Cleanup = (() => void | Promise<void>)[];

/** @throws UsageError when source and target can't be combined. */
export function requireTarget(target: string, { located }: Pick<Bootstrap, "located">): void {
  if (isPostgresUrl(target)) return;
  if (/^[a-z0-9+.-]+:\/\//i.test(target))
    throw new UsageError("a database address looks like postgres://user:password@host/name");
  if (located.database !== null)
    throw new UsageError(
      "source and target are both data directories. To copy one, use `dossier backup` and " +
        "`dossier restore`",
    );
}

/** Opens the source; null when that is impossible. Adds obstacles to the list. */
export async function openSource(
  { located, config }: Pick<Bootstrap, "located" | "config">,
  problems: string[],
  cleanup: Cleanup,
): Promise<Side | null> {
  const { data, database } = located;
  if (!existsSync(data) || (database !== null && !existsSync(database))) {
    problems.push(`there is no database in ${data}. Specify the data directory with --data`);
    return null;
  }
  try {
    cleanup.push(lockDirectory(data));
  } catch (error) {
    problems.push(reasonOf(error));
  }
  try {
    if (database !== null) {
      const side = new SqliteSide(database, { reads: true });
      cleanup.push(() => side.close());
      return side;
    }
    const url = config.values.database!.url as string;
    const side = new PostgresSide(url, withoutPassword(url));
    cleanup.push(() => side.close());
    await side.open();
    const servers = await side.servers();
    if (servers.length > 0)
      problems.push(
        `the source is in use by ${servers.join(" and ")}. Stop all servers. A killed ` +
          "server counts as stopped after 20 seconds",
      );
    await side.readOneMoment();
    return side;
  } catch (error) {
    problems.push(reasonOf(error));
    return null;
  }
}

/** Where the data is moved to. */
export interface Target {
  /** For people: its address without the password, or the path of the database file. */
  readonly display_name: string;
  readonly is_directory: boolean;
  /** The data directory that belongs to it after the move. */
  readonly data: string;
  /** For writing; a directory is created if it is missing. */
  open(): Promise<TargetSide>;
  /** The store, with which tables are created. */
  store(): Promise<Store>;
}

/** The target named on the command line: the address of a database, or a directory. */
export const targetOf = (name: string, { located, config, log }: Bootstrap): Target =>
  isPostgresUrl(name)
    ? databaseTarget(name, located.data, config.values.database!, log)
    : directoryTarget(resolve(name), log);

function databaseTarget(
  url: string,
  data: string,
  { connections, statement_limit }: Readonly<Record<string, unknown>>,
  log: Log,
): Target {
  const display_name = withoutPassword(url);
  const options = {
    connections: connections as number,
    // Migrating the tables of an earlier version may take long.
    statement_ms_max: Math.max(statement_limit as number, 600_000),
  };
  return {
    display_name,
    data,
    is_directory: false,
    async open() {
      const side = new PostgresSide(url, display_name);
      try {
        await side.open();
      } catch (error) {
        await side.close();
        throw error;
      }
      return side;
    },
    async store() {
      const store = new PostgresStore({ url, log, data, ...options });
      await store.open();
      return store;
    },
  };
}

function directoryTarget(data: string, log: Log): Target {
  const path = join(data, database_file);
  const store = async (): Promise<SqliteStore> => new SqliteStore(path, { log });
  return {
    display_name: path,
    data,
    is_directory: true,
    store,
    async open() {
      await mkdir(data, { recursive: true, mode: 0o700 });
      // The store creates the file with the right format.
      if (!existsSync(path)) await (await store()).close();
      return new SqliteSide(path, { reads: false });
    },
  };
}

/** Adds the reasons why a database can't be filled. The session stays open for what follows. */
export async function inspectDatabase(
  target: Target,
  problems: string[],
  notes: string[],
  cleanup: Cleanup,
): Promise<TargetSide | null> {
  let side: PostgresSide;
  try {
    side = (await target.open()) as PostgresSide;
  } catch (error) {
    problems.push(reasonOf(error));
    return null;
  }
  cleanup.push(() => side.close());
  let is_free = await side.lock();
  for (let tries = 0; !is_free && tries < lock_tries; tries++) {
    await Bun.sleep(lock_every_ms);
    is_free = await side.lock();
  }
  if (!is_free)
    problems.push(`another \`dossier migrate-to\` is writing to ${target.display_name}`);
  const other_connections = (await side.otherConnections()).filter(
    ({ program }) => program !== "dossier move",
  );
  if (other_connections.some(({ program }) => program.startsWith("dossier ")))
    problems.push(`a Dossier server is connected to ${target.display_name}. Stop it first`);
  for (const { program, from } of other_connections.filter(
    (other) => !other.program.startsWith("dossier "),
  ))
    notes.push(
      `${program} (${from}) is also connected to the target. It must not change anything ` +
        "there",
    );
  const unfinished_move = await new MoveState(side).origin();
  const tables = unfinished_move === undefined ? await side.relations() : [];
  if (tables.length > 0)
    problems.push(
      `${target.display_name} is not empty: it has ${tables.slice(0, 3).join(", ")}` +
        `${tables.length > 3 ? ` and ${tables.length - 3} more` : ""}. Choose an empty database`,
    );
  return side;
}

/** Adds the reasons why a directory can't be filled. */
export async function inspectDirectory(
  { data, display_name }: Target,
  problems: string[],
  cleanup: Cleanup,
): Promise<TargetSide | null> {
  let names: string[];
  try {
    names = existsSync(data) ? readdirSync(data) : [];
  } catch {
    problems.push(`${data} is not a directory`);
    return null;
  }
  const occupant = names.find((name) => !is_ignored.test(name));
  if (occupant === undefined) return null;
  if (existsSync(display_name)) {
    try {
      cleanup.push(lockDirectory(data));
      const side = new SqliteSide(display_name, { reads: false });
      cleanup.push(() => side.close());
      if (await isMoveTarget(side)) return side;
    } catch (error) {
      problems.push(reasonOf(error));
      return null;
    }
  }
  problems.push(
    `${data} is not empty: it contains ${occupant}. Existing files are never overwritten. ` +
      "Choose a new directory",
  );
  return null;
}

/** A move was begun in it, or was about to begin. */
const isMoveTarget = async (side: SqliteSide): Promise<boolean> =>
  (await new MoveState(side).origin()) !== undefined || (await side.tables()).length === 0;

/** Adds that the disk of a directory has too little free space. */
export function requireFreeSpace({ data }: Target, bytes: number, problems: string[]): void {
  let existing_directory = data;
  while (!existsSync(existing_directory)) existing_directory = dirname(existing_directory);
  const { free_bytes, reserve_bytes } = freeSpaceOf(existing_directory);
  const needed = space_factor * bytes + reserve_bytes;
  if (free_bytes < needed)
    problems.push(
      `the disk of ${data} has ${Math.floor(free_bytes / 2 ** 20)} MiB free, and about ` +
        `${Math.ceil(needed / 2 ** 20)} MiB are needed`,
    );
}

/** Creates the tables of these migrations in the target. */
export async function createTables(
  target: Target,
  schemas: readonly Schema[],
  log: Log,
): Promise<void> {
  const store = await target.store();
  try {
    await migrate(store, schemas, systemClock, { backups: null, log });
  } finally {
    await store.close();
  }
}

/** The message of an error, without a full stop. */
export const reasonOf = (error: unknown): string => messageOf(error).replace(/\.$/, "");
