/** The table of each user's usage. */
import type { Migration } from "../../core/sdk";

export const migrations: readonly Migration[] = [
  {
    id: "0001_quotas_used",
    up: async (tx) => {
      await tx.schema
        .createTable("quotas_used")
        .addColumn("owner_id", "text", (c) => c.notNull())
        .addColumn("what", "text", (c) => c.notNull())
        .addColumn("used", "bigint", (c) => c.notNull())
        .addPrimaryKeyConstraint("quotas_used_pk", ["owner_id", "what"])
        .execute();
    },
  },
];
