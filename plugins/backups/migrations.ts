/** The table with the outcomes of backups and rehearsals. */
import type { Migration } from "../../core/sdk";

export const migrations: readonly Migration[] = [
  {
    id: "0001_runs",
    up: async (tx) => {
      await tx.schema
        .createTable("backups_runs")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("kind", "text", (c) => c.notNull())
        .addColumn("path", "text")
        .addColumn("error", "text")
        .addColumn("started_at", "bigint", (c) => c.notNull())
        .addColumn("finished_at", "bigint", (c) => c.notNull())
        .execute();
      await tx.schema
        .createIndex("backups_runs_by_time")
        .on("backups_runs")
        .columns(["kind", "finished_at"])
        .execute();
    },
  },
];
