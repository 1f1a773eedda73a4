/** The tables of import runs, their items, and the schedules that start them. */
import { sql, type Db, type Migration } from "../../core/sdk";

export const migrations: readonly Migration[] = [
  {
    id: "0001_imports",
    up: async (tx) => {
      await createRuns(tx);
      await createItems(tx);
      await createSchedules(tx);
    },
  },
  {
    id: "0002_runs_of_folders",
    up: async (tx) => {
      await tx.schema
        .createIndex("imports_runs_by_folder")
        .on("imports_runs")
        .columns(["folder_id"])
        .execute();
    },
  },
  // Runs are counted by status.
  {
    id: "0003_run_status",
    up: async (tx) => {
      await tx.schema
        .createIndex("imports_runs_by_status")
        .on("imports_runs")
        .column("status")
        .execute();
    },
  },
  {
    id: "0004_listed",
    up: async (tx) => {
      await widenRuns(tx);
      await widenItems(tx);
      await widenSchedules(tx);
      await createListed(tx);
    },
  },
  {
    id: "0005_run_node",
    up: async (tx) => {
      await tx.schema
        .alterTable("imports_runs")
        .addColumn("node", "text", (c) => c.notNull().defaultTo(""))
        .execute();
    },
  },
];

async function createRuns(tx: Db): Promise<void> {
  // The source is the last column: it may be long, and SQLite reads a row only as far as necessary.
  await tx.schema
    .createTable("imports_runs")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("owner_id", "text", (c) => c.notNull())
    .addColumn("folder_id", "text", (c) => c.notNull())
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("overwrite", "integer", (c) => c.notNull())
    .addColumn("schedule_id", "text")
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("error_code", "text")
    .addColumn("error", "text")
    .addColumn("listed", "integer", (c) => c.notNull())
    .addColumn("total", "integer", (c) => c.notNull())
    .addColumn("succeeded", "integer", (c) => c.notNull())
    .addColumn("failed", "integer", (c) => c.notNull())
    .addColumn("skipped", "integer", (c) => c.notNull())
    .addColumn("kept_url", "text")
    .addColumn("kept_sha256", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("started_at", "bigint")
    .addColumn("finished_at", "bigint")
    .addColumn("source", "text", (c) => c.notNull())
    .execute();
  await tx.schema
    .createIndex("imports_runs_by_owner")
    .on("imports_runs")
    .columns(["owner_id", "created_at", "id"])
    .execute();
  await tx.schema
    .createIndex("imports_runs_unfinished")
    .on("imports_runs")
    .columns(["folder_id"])
    .where(sql.ref("finished_at"), "is", null)
    .execute();
  await tx.schema
    .createIndex("imports_runs_finished")
    .on("imports_runs")
    .columns(["finished_at"])
    .where(sql.ref("finished_at"), "is not", null)
    .execute();
  await tx.schema
    .createIndex("imports_runs_kept")
    .on("imports_runs")
    .columns(["kept_sha256"])
    .where(sql.ref("kept_sha256"), "is not", null)
    .execute();
}

async function createItems(tx: Db): Promise<void> {
  await tx.schema
    .createTable("imports_items")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("run_id", "text", (c) => c.notNull())
    .addColumn("ordinal", "integer", (c) => c.notNull())
    .addColumn("uri", "text", (c) => c.notNull())
    .addColumn("name", "text")
    .addColumn("subfolder", "text")
    .addColumn("locator", "text")
    .addColumn("host", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("attempts", "integer", (c) => c.notNull())
    .addColumn("document_id", "text")
    .addColumn("version", "integer")
    .addColumn("joined", "integer", (c) => c.notNull())
    .addColumn("source_uri", "text")
    .addColumn("error_code", "text")
    .addColumn("error", "text")
    .addForeignKeyConstraint("imports_items_run_fk", ["run_id"], "imports_runs", ["id"])
    .execute();
  await tx.schema
    .createIndex("imports_items_uri")
    .unique()
    .on("imports_items")
    .columns(["run_id", "uri"])
    .execute();
  await tx.schema
    .createIndex("imports_items_by_run")
    .on("imports_items")
    .columns(["run_id", "ordinal"])
    .execute();
  await tx.schema
    .createIndex("imports_items_by_status")
    .on("imports_items")
    .columns(["run_id", "status", "ordinal"])
    .execute();
  // Serves `waitingItems`.
  await tx.schema
    .createIndex("imports_items_waiting")
    .on("imports_items")
    .columns(["run_id", "host", "ordinal"])
    .where(sql.ref("status"), "=", "pending")
    .where(sql.ref("document_id"), "is", null)
    .execute();
  // Serves `indexingItems`.
  await tx.schema
    .createIndex("imports_items_indexing")
    .on("imports_items")
    .columns(["document_id"])
    .where(sql.ref("status"), "=", "pending")
    .where(sql.ref("document_id"), "is not", null)
    .execute();
  // Two items of a run never write the same document.
  await tx.schema
    .createIndex("imports_items_source")
    .unique()
    .on("imports_items")
    .columns(["run_id", "source_uri"])
    .where(sql.ref("source_uri"), "is not", null)
    .execute();
}

async function createSchedules(tx: Db): Promise<void> {
  await tx.schema
    .createTable("imports_schedules")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("owner_id", "text", (c) => c.notNull())
    .addColumn("folder_id", "text", (c) => c.notNull())
    .addColumn("source", "text", (c) => c.notNull())
    .addColumn("every", "text", (c) => c.notNull())
    .addColumn("next_run_at", "bigint")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .execute();
  await tx.schema
    .createIndex("imports_schedules_by_owner")
    .on("imports_schedules")
    .columns(["owner_id", "created_at", "id"])
    .execute();
  await tx.schema
    .createIndex("imports_schedules_by_folder")
    .on("imports_schedules")
    .columns(["folder_id"])
    .execute();
}

/** `source` is the last column, as before. */
async function widenRuns(tx: Db): Promise<void> {
  for (const column of ["source_key", "secrets"])
    await tx.schema.alterTable("imports_runs").addColumn(column, "text").execute();
  await tx.schema
    .alterTable("imports_runs")
    .addColumn("gone", "text", (c) => c.notNull().defaultTo("keep"))
    .execute();
  await tx.schema
    .alterTable("imports_runs")
    .addColumn("gone_items", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await tx.schema
    .alterTable("imports_runs")
    .addColumn("given", "text", (c) => c.notNull().defaultTo(""))
    .execute();
  await sql`update imports_runs set given = source`.execute(tx);
  await tx.schema.alterTable("imports_runs").dropColumn("source").execute();
  await tx.schema.alterTable("imports_runs").renameColumn("given", "source").execute();
}

async function widenItems(tx: Db): Promise<void> {
  for (const column of ["folder_id", "etag"])
    await tx.schema.alterTable("imports_items").addColumn(column, "text").execute();
  await tx.schema
    .alterTable("imports_items")
    .addColumn("gone", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
}

async function widenSchedules(tx: Db): Promise<void> {
  await tx.schema.alterTable("imports_schedules").addColumn("secrets", "text").execute();
  await tx.schema
    .alterTable("imports_schedules")
    .addColumn("gone", "text", (c) => c.notNull().defaultTo("keep"))
    .execute();
}

async function createListed(tx: Db): Promise<void> {
  await tx.schema
    .createTable("imports_listed")
    .addColumn("source_key", "text", (c) => c.notNull())
    .addColumn("uri", "text", (c) => c.notNull())
    .addColumn("run_folder_id", "text", (c) => c.notNull())
    .addColumn("folder_id", "text", (c) => c.notNull())
    .addColumn("document_id", "text", (c) => c.notNull())
    .addColumn("subfolder", "text")
    .addColumn("etag", "text")
    .addColumn("gone_at", "bigint")
    .addPrimaryKeyConstraint("imports_listed_pk", ["source_key", "uri"])
    .execute();
  await tx.schema
    .createIndex("imports_listed_by_document")
    .on("imports_listed")
    .columns(["document_id"])
    .execute();
  await tx.schema
    .createIndex("imports_listed_by_folder")
    .on("imports_listed")
    .columns(["run_folder_id"])
    .execute();
}
