/** The table of the audit log: rows are added, never changed, and deleted only by age. */
import type { Migration } from "../../core/sdk";

/** Each filter has an index with the order of the list after it. */
const filters = ["actor_id", "action", "record"] as const;

export const migrations: readonly Migration[] = [
  {
    id: "0001_audit",
    up: async (tx) => {
      await tx.schema
        .createTable("audit_entries")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("created_at", "bigint", (c) => c.notNull())
        .addColumn("actor_id", "text")
        .addColumn("actor", "text")
        .addColumn("via", "text", (c) => c.notNull())
        .addColumn("key_id", "text")
        .addColumn("address", "text")
        .addColumn("action", "text", (c) => c.notNull())
        .addColumn("record", "text")
        .addColumn("outcome", "text", (c) => c.notNull())
        .addColumn("status", "integer")
        .addColumn("request_id", "text")
        .execute();
      await tx.schema
        .createIndex("audit_entries_by_age")
        .on("audit_entries")
        .columns(["created_at", "id"])
        .execute();
      for (const filter of filters)
        await tx.schema
          .createIndex(`audit_entries_by_${filter}`)
          .on("audit_entries")
          .columns([filter, "created_at", "id"])
          .execute();
    },
  },
];
