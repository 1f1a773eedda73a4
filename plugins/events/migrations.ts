/** The tables of logged events and of the users who listen. */
import type { Migration } from "../../core/sdk";

export const migrations: readonly Migration[] = [
  {
    id: "0001_log",
    up: async (tx) => {
      await tx.schema
        .createTable("events_readers")
        .addColumn("owner_id", "text", (c) => c.primaryKey())
        .addColumn("last_seq", "bigint", (c) => c.notNull())
        .addColumn("dropped_seq", "bigint", (c) => c.notNull())
        .addColumn("runs", "text", (c) => c.notNull())
        .addColumn("listens_until", "bigint", (c) => c.notNull())
        .execute();
      await tx.schema
        .createTable("events_log")
        .addColumn("owner_id", "text", (c) => c.notNull())
        .addColumn("seq", "bigint", (c) => c.notNull())
        .addColumn("type", "text", (c) => c.notNull())
        .addColumn("body", "text", (c) => c.notNull())
        .addColumn("folder_ids", "text", (c) => c.notNull())
        .addColumn("replaces", "text")
        .addColumn("created_at", "bigint", (c) => c.notNull())
        .addPrimaryKeyConstraint("events_log_key", ["owner_id", "seq"])
        .execute();
      await tx.schema
        .createIndex("events_log_by_age")
        .on("events_log")
        .column("created_at")
        .execute();
      await tx.schema
        .createIndex("events_log_by_replaced")
        .on("events_log")
        .columns(["owner_id", "replaces"])
        .where("replaces", "is not", null)
        .execute();
    },
  },
  // From now on events name the root folders of their folders. Streams of earlier ones are reset.
  {
    id: "0002_roots",
    up: async (tx) => {
      await tx.deleteFrom("events_log").execute();
      await tx
        .updateTable("events_readers")
        .set((e) => ({ dropped_seq: e.ref("last_seq") }))
        .execute();
    },
  },
];
