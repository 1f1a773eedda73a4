/** Puts the parts of a server together: store, files, host. */
import { join } from "node:path";
import { systemClock, type Clock } from "../base/clock";
import { ConfigError } from "../base/config";
import { errorFields } from "../base/log";
import { withoutOrigin } from "../base/origin";
import type { IsolatedRun } from "../isolate/pool";
import type { Plugin } from "../plugin/contract";
import { createHost, type Host } from "../plugin/host";
import { sharedOf } from "../shared/shared";
import type { Files } from "../store/files";
import { database_file } from "../store/lock";
import type { MigrateOptions } from "../store/migrator";
import { requireMoved } from "../store/move/state";
import { OnlyNode, type Role } from "../store/nodes";
import { isPostgresUrl } from "../store/postgres/connections";
import { PostgresStore } from "../store/postgres/postgres-store";
import { SharedNotifier } from "../store/shared-notifier";
import { SqliteStore } from "../store/sqlite-store";
import type { Store } from "../store/store";
import type { Bootstrap } from "./bootstrap";
import { openDataDirectory } from "./data-directory";
import { openFiles, type OpenedFiles } from "./original-files";
import { reserved } from "./reserved-claims";

/** How long to wait until the log line that explains the exit is written. */
const last_words_ms_max = 500;

/** The parts of a server, ready to start. */
export interface Assembled {
  readonly host: Host;
  readonly store: Store;
  readonly files: Files;
  /** Closes the store and the files. Stop the host first. */
  close(): Promise<void>;
}

/** How the parts are opened. */
export interface AssembleOptions {
  /** Called before tables are changed; throws to prevent it. */
  readonly beforeMigration?: MigrateOptions["before"];
  /** Whether this process is a server: only then it listens to messages from other processes. */
  readonly serves?: boolean;
}

/**
 * Opens the data directory and sets up every plugin; nothing runs yet. @throws Error when one of
 * them fails: then everything is closed again
 */
export async function assemble(
  boot: Bootstrap,
  built_in: readonly Plugin[],
  isolate: IsolatedRun,
  public_url: () => string,
  { beforeMigration, serves = false }: AssembleOptions = {},
): Promise<Assembled> {
  const { data } = boot.located;
  const paths = {
    data,
    database: boot.located.database,
    temporary: join(data, "tmp"),
    backups: join(data, "backups"),
  };
  openDataDirectory(data);
  const store = openStore(boot, paths.database);
  let opened: OpenedFiles | undefined;
  const close = async (): Promise<void> => {
    await store.close();
    await opened?.close();
  };
  try {
    if (store instanceof PostgresStore) await store.open();
    await requireMoved(store);
    const notifier = new SharedNotifier(store);
    if (serves) await notifier.listen();
    const clock = store instanceof PostgresStore ? store.clock : systemClock;
    const role = boot.config.values.server!.role as Role;
    const nodes = store instanceof PostgresStore ? store.nodes(role) : onlyNode(role, clock);
    opened = await openFiles(boot, { store, clock, serves });
    const { files } = opened;
    const host = await createHost({
      built_in,
      dropped_in: boot.dropped_in,
      failures: boot.failures,
      plugin_files: boot.plugin_files,
      disabled: boot.disabled,
      skipped: boot.skipped,
      reserved,
      config: boot.config,
      store,
      files,
      clock,
      nodes,
      notifier,
      shared: sharedOf({ store, nodes, notifier }),
      log: boot.log,
      recent: boot.recent,
      isolate,
      paths,
      public_url,
      beforeMigration,
    });
    return { host, store, files, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The database file, or the database server that the settings name. @throws ConfigError */
function openStore(boot: Bootstrap, path: string | null): Store {
  const { log, located, config } = boot;
  if (path !== null)
    return new SqliteStore(path, {
      log,
      onLostSync: (error) => void endAfter(boot, error, lost_sync),
    });
  const url = config.values.database!.url as string;
  if (!isPostgresUrl(url))
    throw new ConfigError(["database.url must start with postgres:// or postgresql://."]);
  return new PostgresStore({
    log,
    data: located.data,
    url,
    connections: config.values.database!.connections as number,
    statement_ms_max: config.values.database!.statement_limit as number,
  });
}

/** @throws ConfigError when it is configured as one of several processes. */
function onlyNode(role: Role, clock: Clock): OnlyNode {
  if (role !== "all")
    throw new ConfigError([
      `server.role: ${role} needs a database shared by several processes. Set database.url.`,
    ]);
  return new OnlyNode(clock.now_ms);
}

/** The operating system has lost data that the database had written. */
const lost_sync = "the disk lost a write (fsync failed): the server exits and must be restarted";

/**
 * The state in memory can't be trusted any more. A supervisor restarts the server from what is on
 * disk.
 */
async function endAfter(
  { log, flushLog }: Bootstrap,
  error: Error,
  message: string,
): Promise<never> {
  log.error(message, errorFields(error));
  await flushLog(last_words_ms_max);
  // The exit was not requested by the work that noticed it.
  return withoutOrigin(() => process.exit(1));
}

/** The same bootstrap on a scratch directory, whatever locations the settings name. */
export const onScratchData = (boot: Bootstrap, data: string): Bootstrap => {
  const { url: _, ...database } = boot.config.values.database!;
  const { url: _elsewhere, ...files } = boot.config.values.files!;
  return {
    ...boot,
    located: { ...boot.located, data, database: join(data, database_file) },
    config: { ...boot.config, values: { ...boot.config.values, database, files } },
  };
};
