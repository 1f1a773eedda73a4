/** Puts the parts of a server together: store, files, host. */
import { join } from "node:path";
import { systemClock } from "../base/clock";
import { LocalNotifier } from "../base/notifier";
import type { IsolatedRun } from "../isolate/pool";
import type { Plugin } from "../plugin/define";
import { createHost, type Host } from "../plugin/host";
import { FileStore } from "../store/file-store";
import { SqliteStore } from "../store/sqlite-store";
import type { Store } from "../store/store";
import type { Bootstrap } from "./bootstrap";
import { openDataDirectory } from "./data-directory";

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
    database: join(data, "dossier.db"),
    temporary: join(data, "tmp"),
    backups: join(data, "backups"),
  };
  openDataDirectory(data);
  const store = new SqliteStore(paths.database, { log: boot.log });
  try {
    const files = new FileStore(join(data, "files"));
    const host = await createHost({
      built_in,
      dropped_in: boot.dropped_in,
      failures: boot.failures,
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
