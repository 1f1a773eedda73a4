/** A store without a server, on the database of the test run: see databases.ts. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { jsonLog, type Log } from "../../core/base/log";
import { PostgresStore } from "../../core/store/postgres/postgres-store";
import { SqliteStore, type SqliteStoreOptions } from "../../core/store/sqlite-store";
import type { Store } from "../../core/store/store";
import { createDatabase, dropDatabase, on_postgres } from "./databases";
import { temporaryDirectory } from "./data-directory";

/** An open store. */
export interface TestStore {
  readonly store: Store;
  readonly directory: string;
  /** Deleted completely at the end. */
  close(): Promise<void>;
}

/** How the store is opened. */
export interface TestStoreOptions extends Pick<Partial<SqliteStoreOptions>, "freeSpace"> {
  readonly log?: Log;
}

/** Without tables. */
export async function openTestStore({
  log = jsonLog("error"),
  ...options
}: TestStoreOptions = {}): Promise<TestStore> {
  const directory = temporaryDirectory();
  const store = on_postgres
    ? await openOnPostgres(directory, log)
    : new SqliteStore(join(directory, "dossier.db"), { log, ...options });
  return {
    store,
    directory,
    async close() {
      await store.close();
      if (on_postgres) await dropDatabase(directory);
      rmSync(directory, { recursive: true });
    },
  };
}

async function openOnPostgres(data: string, log: Log): Promise<PostgresStore> {
  const url = await createDatabase(data);
  const store = new PostgresStore({ url, data, log, connections: 3, statement_ms_max: 30_000 });
  await store.open();
  return store;
}
