/** The tables of folder archives: the imports, and their mapping of old ids to new ones. */
import type { Migration } from "../../core/sdk";

export const migrations: readonly Migration[] = [
  {
    id: "0001_imports",
    up: async (tx) => {
      await tx.schema
        .createTable("folder_archives_imports")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("owner_id", "text", (c) => c.notNull())
        .addColumn("archive_sha256", "text", (c) => c.notNull())
        .addColumn("status", "text", (c) => c.notNull())
        .addColumn("name", "text")
        .addColumn("folder_id", "text")
        .addColumn("checked", "text")
        .addColumn("total", "integer", (c) => c.notNull())
        .addColumn("done", "integer", (c) => c.notNull())
        .addColumn("error_code", "text")
        .addColumn("error_message", "text")
        .addColumn("created_at", "bigint", (c) => c.notNull())
        .addColumn("started_at", "bigint")
        .addColumn("finished_at", "bigint")
        .execute();
      await tx.schema
        .createIndex("folder_archives_imports_by_owner")
        .on("folder_archives_imports")
        .columns(["owner_id", "created_at", "id"])
        .execute();
      await tx.schema
        .createTable("folder_archives_ids")
        .addColumn("import_id", "text", (c) =>
          c.notNull().references("folder_archives_imports.id").onDelete("cascade"),
        )
        .addColumn("id", "text", (c) => c.notNull())
        .addColumn("kind", "text", (c) => c.notNull())
        .addColumn("source_id", "text", (c) => c.notNull())
        .addPrimaryKeyConstraint("folder_archives_ids_pk", ["import_id", "id"])
        .execute();
    },
  },
];
