/** Puts the parts of a server together: store, files, host. */
import { join } from "node:path";
import { systemClock } from "../base/clock";
import { errorFields } from "../base/log";
import { withoutOrigin } from "../base/origin";
import { LocalNotifier } from "../base/notifier";
import type { IsolatedRun } from "../isolate/pool";
import type { Plugin } from "../plugin/define";
import { createHost, type Host } from "../plugin/host";
import { FileStore } from "../store/file-store";
import { database_file } from "../store/lock";
import { SqliteStore } from "../store/sqlite-store";
import type { Store } from "../store/store";
import type { Bootstrap } from "./bootstrap";
import { openDataDirectory } from "./data-directory";
import { reserved } from "./reserved";

/** How long the reason for the end may take to be written. */
const last_words_ms_max = 500;

export interface Assembled {
  readonly host: Host;
  readonly store: Store;
  readonly files: FileStore;
  close(): Promise<void>;
}

/** Opens the data directory and sets every plugin up; nothing runs yet. */
export async function assemble(
  boot: Bootstrap,
  built_in: readonly Plugin[],
  isolate: IsolatedRun,
  public_url: () => string,
  beforeMigration?: () => Promise<void>,
): Promise<Assembled> {
  const { data } = boot.located;
  const paths = {
    data,
    database: join(data, database_file),
    temporary: join(data, "tmp"),
    backups: join(data, "backups"),
  };
  openDataDirectory(data);
  const store = new SqliteStore(paths.database, {
    log: boot.log,
    onLostSync: (error) => void endAfterLostSync(boot, error),
  });
  try {
    const files = new FileStore(join(data, "files"));
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
      clock: systemClock,
      notifier: new LocalNotifier(),
      log: boot.log,
      recent: boot.recent,
      isolate,
      paths,
      public_url,
      beforeMigration,
    });
    return { host, store, files, close: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * The operating system could not write what the database had written, and has forgotten it: what is
 * in memory can't be trusted. Whoever supervises the server starts it again from what is on disk.
 */
async function endAfterLostSync({ log, flushLog }: Bootstrap, error: Error): Promise<never> {
  log.error(
    "the disk lost a write (fsync failed): the server ends, to start again from what is there",
    errorFields(error),
  );
  await flushLog(last_words_ms_max);
  // Whoever's work it was that could not be written has not asked for this.
  return withoutOrigin(() => process.exit(1));
}
