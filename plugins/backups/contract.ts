/** Backups for other plugins: how to have a copy asked what the original would answer. */
import { shaped, slot } from "../../core/sdk";

/** Questions to a database. Their answers are kept in a backup, and must come again from a copy. */
export interface BackupProbe {
  readonly name: string;
  /**
   * Asks the database at this path, which nobody writes to, in a child process. The questions come
   * from the database itself; the answer is JSON, and the same each time.
   */
  readonly ask: (database: string) => Promise<unknown>;
}
export const BackupProbes = slot<BackupProbe>("backups.probes", {
  check: shaped<BackupProbe>({ name: "text", ask: "function" }),
  key: ({ name }) => `the probe ${name}`,
});
