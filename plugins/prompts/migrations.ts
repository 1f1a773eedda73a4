/** The table of saved prompts. */
import type { Migration } from "../../core/sdk";

export const migrations: readonly Migration[] = [
  {
    id: "0001_prompts",
    up: async (tx) => {
      await tx.schema
        .createTable("prompts")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("owner_id", "text", (c) => c.notNull())
        .addColumn("name", "text", (c) => c.notNull())
        .addColumn("text", "text", (c) => c.notNull())
        .addColumn("description", "text")
        .addColumn("created_at", "bigint", (c) => c.notNull())
        .addColumn("updated_at", "bigint", (c) => c.notNull())
        .execute();
      await tx.schema
        .createIndex("prompts_by_owner")
        .on("prompts")
        .columns(["owner_id", "created_at", "id"])
        .execute();
    },
  },
];
