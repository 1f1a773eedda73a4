/** The table of each user's activity per day. */
import type { Migration } from "../../core/sdk";

export const migrations: readonly Migration[] = [
  {
    id: "0001_usage",
    up: async (tx) => {
      await tx.schema
        .createTable("console_usage")
        .addColumn("owner_id", "text", (c) => c.notNull())
        .addColumn("day", "text", (c) => c.notNull())
        .addColumn("requests", "bigint", (c) => c.notNull())
        .addColumn("answers", "bigint", (c) => c.notNull())
        .addColumn("uploads", "bigint", (c) => c.notNull())
        .addColumn("storage_bytes", "bigint", (c) => c.notNull())
        .addPrimaryKeyConstraint("console_usage_pk", ["owner_id", "day"])
        .execute();
      await tx.schema
        .createIndex("console_usage_by_day")
        .on("console_usage")
        .column("day")
        .execute();
    },
  },
  {
    id: "0002_console_requests",
    up: async (tx) => {
      await tx.schema
        .alterTable("console_usage")
        .addColumn("console_requests", "bigint", (c) => c.notNull().defaultTo(0))
        .execute();
    },
  },
];
