/** Backups for other plugins: how to verify that a copy answers like the original. */
import { shaped, slot } from "../../core/sdk";

/** Questions to a database. Their answers are stored in a backup, and a copy must give the same. */
export interface BackupProbe {
  readonly name: string;
  /**
   * Queries the database at this path, which nobody writes to, in a child process. The questions
   * are derived from the database itself; the answer is JSON, and the same each time.
   */
  readonly ask: (database: string) => Promise<unknown>;
}
export const BackupProbes = slot<BackupProbe>("backups.probes", {
  check: shaped<BackupProbe>({ name: "text", ask: "function" }),
  key: ({ name }) => `the probe ${name}`,
});
