/** The table of folders, each with its counters of live document links. */
import { sql, type Migration } from "../../core/sdk";

export const migrations: readonly Migration[] = [
  {
    id: "0001_folders",
    up: async (tx) => {
      await tx.schema
        .createTable("folders")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("owner_id", "text", (c) => c.notNull())
        .addColumn("parent_id", "text")
        .addColumn("name", "text", (c) => c.notNull())
        .addColumn("description", "text")
        .addColumn("syncing_count", "integer", (c) => c.notNull())
        .addColumn("synced_count", "integer", (c) => c.notNull())
        .addColumn("failed_count", "integer", (c) => c.notNull())
        .addColumn("created_at", "bigint", (c) => c.notNull())
        .addColumn("updated_at", "bigint", (c) => c.notNull())
        .addForeignKeyConstraint("folders_parent_fk", ["parent_id"], "folders", ["id"])
        .execute();
      // Serves the list in its order and its count.
      await tx.schema
        .createIndex("folders_by_owner")
        .on("folders")
        .columns(["owner_id", "created_at", "id"])
        .execute();
      await tx.schema
        .createIndex("folders_by_parent")
        .on("folders")
        .columns(["parent_id"])
        .execute();
    },
  },
  {
    id: "0002_deleted",
    up: async (tx) => {
      await tx.schema.alterTable("folders").addColumn("deleted_at", "bigint").execute();
      for (const column of ["held_documents", "held_bytes", "restorable_count"])
        await tx.schema
          .alterTable("folders")
          .addColumn(column, "bigint", (c) => c.notNull().defaultTo(0))
          .execute();
      // Folders that are still to be purged.
      await tx.schema
        .createIndex("folders_deleted")
        .on("folders")
        .columns(["id"])
        .where(sql.ref("deleted_at"), "is not", null)
        .execute();
    },
  },
  {
    id: "0003_list",
    up: async (tx) => {
      // The list skips the rows before a page without reading them.
      await tx.schema.dropIndex("folders_by_owner").execute();
      await tx.schema
        .createIndex("folders_by_owner")
        .on("folders")
        .columns(["owner_id", "created_at", "id"])
        .where(sql.ref("deleted_at"), "is", null)
        .execute();
    },
  },
  {
    id: "0004_staged",
    up: async (tx) => {
      // Staged: being filled, and as invisible as if it were deleted.
      await tx.schema
        .alterTable("folders")
        .addColumn("staged", "integer", (c) => c.notNull().defaultTo(0))
        .execute();
    },
  },
  {
    id: "0005_at_work",
    up: async (tx) => {
      await tx.schema
        .createIndex("folders_syncing")
        .on("folders")
        .columns(["syncing_count"])
        .where(sql.ref("syncing_count"), ">", 0)
        .execute();
    },
  },
  {
    id: "0006_vectors_pending",
    up: async (tx) => {
      // The index counts them at its next start.
      await tx.schema
        .alterTable("folders")
        .addColumn("vectors_pending", "integer", (c) => c.notNull().defaultTo(0))
        .execute();
      await tx.schema
        .createIndex("folders_vectors_pending")
        .on("folders")
        .columns(["id"])
        .where(sql.ref("vectors_pending"), ">", 0)
        .execute();
    },
  },
  {
    id: "0007_to_purge",
    up: async (tx) => {
      // Every request of the health counts the documents that are still to be purged.
      await tx.schema
        .createIndex("folders_to_purge")
        .on("folders")
        .columns(["held_documents"])
        .where(sql.ref("deleted_at"), "is not", null)
        .where(sql.ref("staged"), "=", 0)
        .where(sql.ref("held_documents"), ">", 0)
        .execute();
    },
  },
  {
    id: "0008_many_subfolders",
    up: async (tx) => {
      // Thousands of subfolders are read page by page, or their ids from the index alone.
      await tx.schema.dropIndex("folders_by_parent").execute();
      await tx.schema
        .createIndex("folders_by_parent")
        .on("folders")
        .columns(["parent_id", "deleted_at", "created_at", "id"])
        .execute();
      // Every imported item looks for its folder.
      await tx.schema
        .createIndex("folders_by_name")
        .on("folders")
        .columns(["owner_id", "parent_id", "name"])
        .where(sql.ref("deleted_at"), "is", null)
        .execute();
    },
  },
];
