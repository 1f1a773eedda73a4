/** The databases for tests: the embedded one, or a PostgreSQL that is started for them. */
import { findPostgres, startPostgres } from "./postgres";

/** A database for a run of tests. */
export interface Engine {
  /** A suffix for the test's name: ` on PostgreSQL`; empty for the embedded database. */
  readonly suffix: string;
  /** The environment for tests (test/helpers/databases.ts). */
  readonly env: Readonly<Record<string, string>>;
}
/** The database in the data directory. */
export const embedded: Engine = { suffix: "", env: {} };

/** Why nothing runs on PostgreSQL; empty when it does. */
export const whyNoPostgres = (): string =>
  findPostgres() === null
    ? "PostgreSQL 15 or later was not found: the tests ran on the embedded database only."
    : "";

/** One PostgreSQL, with each of these numbers of processes on it; null where there is none. */
export async function withPostgres<T>(
  use: (engine: (processes: number) => Engine) => Promise<T>,
): Promise<T | null> {
  const server = await startPostgres();
  if (server === null) return null;
  const stop = () => void server.stop();
  process.once("SIGTERM", stop).once("SIGINT", stop);
  try {
    return await use((processes) => ({
      suffix: ` on PostgreSQL${processes > 1 ? ` (${processes} processes)` : ""}`,
      env: { TEST_POSTGRES: server.url, TEST_PROCESSES: String(processes) },
    }));
  } finally {
    await server.stop();
  }
}
