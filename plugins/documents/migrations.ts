/** The tables of documents, their stored versions and their links to folders. */
import { fileType } from "../../core/lib/file-types";
import { sql, type Db, type Migration } from "../../core/sdk";
import { nameOrder } from "./creation/names";

export const migrations: readonly Migration[] = [
  {
    id: "0001_documents",
    up: async (tx) => {
      await createDocuments(tx);
      await createVersions(tx);
      await createLinks(tx);
    },
  },
  {
    id: "0002_headings",
    up: async (tx) => {
      await tx.schema.alterTable("documents_versions").addColumn("headings", "text").execute();
    },
  },
  {
    id: "0003_intake",
    up: async (tx) => {
      await tx.schema.alterTable("documents_versions").addColumn("times", "text").execute();
      await tx.schema
        .alterTable("documents_versions")
        .addColumn("text_ready", "integer", (c) => c.notNull().defaultTo(0))
        .execute();
      // Later imports recognise their documents by this.
      await tx.schema
        .createIndex("documents_by_source")
        .on("documents")
        .columns(["source_uri"])
        .where(sql.ref("source_kind"), "=", "import")
        .execute();
    },
  },
  { id: "0004_purges", up: createPurges },
  { id: "0005_link_status", up: addLinkStatus },
  {
    id: "0006_stored_texts",
    up: async (tx) => {
      for (const column of ["text_id", "text_units", "text_points"])
        await tx.schema.alterTable("documents_versions").addColumn(column, "bigint").execute();
    },
  },
  {
    id: "0007_names",
    up: async (tx) => {
      // Parts of names are searched in the names of links.
      await tx.schema.alterTable("documents").dropColumn("name_folded").execute();
    },
  },
  {
    id: "0008_owners_in_index",
    up: async (tx) => {
      // A column of its own since this step.
      await sql`
        update index_documents set owner_id = coalesce(
          (select d.owner_id from documents d where d.id = index_documents.document_id), '')
        where owner_id = ''`.execute(tx);
    },
  },
  {
    id: "0009_by_owner",
    up: async (tx) => {
      // All documents of a user, in any folder.
      await tx.schema
        .createIndex("documents_by_owner")
        .on("documents")
        .columns(["owner_id", "created_at", "id"])
        .execute();
    },
  },
  {
    id: "0010_page_labels",
    up: async (tx) => {
      await tx.schema.alterTable("documents_versions").addColumn("page_labels", "text").execute();
    },
  },
  { id: "0011_sorted_lists", up: sortLists },
  { id: "0012_file_users", up: createFileUsers },
];

async function createDocuments(tx: Db): Promise<void> {
  await tx.schema
    .createTable("documents")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("owner_id", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("name_folded", "text", (c) => c.notNull())
    .addColumn("source_kind", "text", (c) => c.notNull())
    .addColumn("source_uri", "text")
    .addColumn("source_run_id", "text")
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("size_bytes", "bigint", (c) => c.notNull())
    .addColumn("sha256", "text", (c) => c.notNull())
    .addColumn("media_type", "text", (c) => c.notNull())
    .addColumn("current_version", "integer", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("stage", "text", (c) => c.notNull())
    .addColumn("progress", "double precision", (c) => c.notNull())
    .addColumn("attempts", "integer", (c) => c.notNull())
    .addColumn("error_code", "text")
    .addColumn("error_message", "text")
    .addColumn("warnings", "text", (c) => c.notNull())
    .addColumn("page_count", "integer")
    .addColumn("language", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .addColumn("synced_at", "bigint")
    .execute();
}

async function createVersions(tx: Db): Promise<void> {
  // The text is the last column: a row can be read without it.
  await tx.schema
    .createTable("documents_versions")
    .addColumn("document_id", "text", (c) => c.notNull())
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("sha256", "text", (c) => c.notNull())
    .addColumn("size_bytes", "bigint", (c) => c.notNull())
    .addColumn("media_type", "text", (c) => c.notNull())
    .addColumn("in_files", "integer", (c) => c.notNull())
    .addColumn("pages", "text", (c) => c.notNull())
    .addColumn("content", "text")
    .addPrimaryKeyConstraint("documents_versions_pk", ["document_id", "version"])
    .addForeignKeyConstraint("documents_versions_document_fk", ["document_id"], "documents", ["id"])
    .execute();
  await tx.schema
    .createIndex("documents_versions_by_file")
    .on("documents_versions")
    .columns(["sha256"])
    .where(sql.ref("in_files"), "=", 1)
    .execute();
}

async function createLinks(tx: Db): Promise<void> {
  await tx.schema
    .createTable("documents_links")
    .addColumn("document_id", "text", (c) => c.notNull())
    .addColumn("folder_id", "text", (c) => c.notNull())
    .addColumn("name_key", "text", (c) => c.notNull())
    .addColumn("reserves_name", "integer", (c) => c.notNull())
    .addColumn("document_created_at", "bigint", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("deleted_at", "bigint")
    .addPrimaryKeyConstraint("documents_links_pk", ["document_id", "folder_id"])
    .addForeignKeyConstraint("documents_links_document_fk", ["document_id"], "documents", ["id"])
    .addForeignKeyConstraint("documents_links_folder_fk", ["folder_id"], "folders", ["id"])
    .execute();
  // The list of a folder, its count, and its restorable documents.
  await tx.schema
    .createIndex("documents_links_by_folder")
    .on("documents_links")
    .columns(["folder_id", "deleted_at", "document_created_at", "document_id"])
    .execute();
  // The newest document with a name.
  await tx.schema
    .createIndex("documents_links_by_name")
    .on("documents_links")
    .columns(["folder_id", "name_key", "document_created_at", "document_id"])
    .where(sql.ref("deleted_at"), "is", null)
    .execute();
  // The same-name rule of uploads, exact under concurrent uploads.
  await tx.schema
    .createIndex("documents_links_reserved_name")
    .unique()
    .on("documents_links")
    .columns(["folder_id", "name_key"])
    .where(sql.ref("deleted_at"), "is", null)
    .where(sql.ref("reserves_name"), "=", 1)
    .execute();
  await tx.schema
    .createIndex("documents_links_deleted")
    .on("documents_links")
    .columns(["deleted_at"])
    .where(sql.ref("deleted_at"), "is not", null)
    .execute();
}

/** Deletion in parts: which documents go with which folder, and which wait to be purged. */
async function createPurges(tx: Db): Promise<void> {
  await tx.schema.alterTable("documents").addColumn("held_by", "text").execute();
  await sql`
    update documents set held_by = (
      select case
        when count(*) = 1 then min(l.folder_id)
        when count(distinct coalesce(f.parent_id, f.id)) = 1 then min(coalesce(f.parent_id, f.id))
      end
      from documents_links l join folders f on f.id = l.folder_id
      where l.document_id = documents.id
    )`.execute(tx);
  await fillCounters(tx);
  // Documents of several trees: only these may remain when the trees are deleted one after the
  // other.
  await tx.schema
    .createIndex("documents_shared")
    .on("documents")
    .columns(["owner_id"])
    .where(sql.ref("held_by"), "is", null)
    .execute();
  // Documents in no folder any more, whose links were not restored in time.
  await tx.schema
    .createTable("documents_purges")
    .addColumn("document_id", "text", (c) => c.primaryKey())
    .execute();
}

/** What every folder counts besides its live links: separate columns since this step. */
async function fillCounters(tx: Db): Promise<void> {
  const held_counts = await sql<{ folder_id: string; documents: number; bytes: number }>`
    select held_by as folder_id, count(*) as documents, sum(size_bytes) as bytes
    from documents where held_by is not null group by held_by`.execute(tx);
  for (const { folder_id, documents, bytes } of held_counts.rows)
    await sql`
      update folders set held_documents = ${documents}, held_bytes = ${bytes}
      where id = ${folder_id}`.execute(tx);
  const restorable = await sql<{ folder_id: string; links: number }>`
    select folder_id, count(*) as links
    from documents_links where deleted_at is not null group by folder_id`.execute(tx);
  for (const { folder_id, links } of restorable.rows)
    await sql`update folders set restorable_count = ${links} where id = ${folder_id}`.execute(tx);
}

/** The list of a folder, also by status, and its restorable documents, from indexes alone. */
async function addLinkStatus(tx: Db): Promise<void> {
  await tx.schema
    .alterTable("documents_links")
    .addColumn("status", "text", (c) => c.notNull().defaultTo("synced"))
    .execute();
  await sql`
    update documents_links
    set status = (select d.status from documents d where d.id = documents_links.document_id)
    where document_id in (select id from documents where status <> 'synced')`.execute(tx);
  await tx.schema.dropIndex("documents_links_by_folder").execute();
  await tx.schema
    .createIndex("documents_links_by_folder")
    .on("documents_links")
    .columns(["folder_id", "deleted_at", "document_created_at", "document_id", "status"])
    .execute();
  await tx.schema
    .createIndex("documents_links_restorable")
    .on("documents_links")
    .columns(["folder_id", "document_created_at", "document_id", "status", "name_key"])
    .where(sql.ref("deleted_at"), "is not", null)
    .execute();
}

/** The lists of a folder in every order: links have the compared columns, and indexes on them. */
async function sortLists(tx: Db): Promise<void> {
  const table = () => tx.schema.alterTable("documents_links");
  await table()
    .addColumn("is_deleted", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  for (const column of ["size_bytes", "updated_at"])
    await table()
      .addColumn(column, "bigint", (c) => c.notNull().defaultTo(0))
      .execute();
  for (const column of ["name_order", "file_type"])
    await table()
      .addColumn(column, "text", (c) => c.notNull().defaultTo(""))
      .execute();
  for (const index of ["by_folder", "by_name", "restorable"])
    await tx.schema.dropIndex(`documents_links_${index}`).execute();
  await fillLinks(tx);
  const indexes = {
    by_created: [],
    by_name: ["name_order"],
    by_size: ["size_bytes"],
    by_type: ["file_type"],
    by_updated: ["updated_at"],
    by_status: ["status"],
  } as const;
  for (const [name, compared] of Object.entries(indexes))
    await tx.schema
      .createIndex(`documents_links_${name}`)
      .on("documents_links")
      .columns(["folder_id", "is_deleted", ...compared, "document_created_at", "document_id"])
      // Counts by type don't need the rows.
      .$call((index) =>
        name === "by_created" || name === "by_type" ? index : index.column("file_type"),
      )
      .execute();
}

/** Links per statement. */
const links_at_once = 1_000;

async function fillLinks(tx: Db): Promise<void> {
  const filled = sql`
    update documents_links set
      is_deleted = case when deleted_at is null then 0 else 1 end,
      size_bytes = (select d.size_bytes from documents d where d.id = documents_links.document_id),
      updated_at = (select d.updated_at from documents d where d.id = documents_links.document_id)`;
  await filled.execute(tx);
  const { rows: types } = await sql<{ media_type: string }>`
    select distinct media_type from documents`.execute(tx);
  for (const [type, rows] of Map.groupBy(types, ({ media_type }) => fileType(media_type)))
    await sql`
      update documents_links set file_type = ${type}
      where document_id in (select id from documents where media_type in
        (${sql.join(rows.map(({ media_type }) => media_type))}))`.execute(tx);
  for (let after = ""; ;) {
    const { rows } = await sql<{ document_id: string; name_key: string }>`
      select document_id, min(name_key) as name_key from documents_links
      where document_id > ${after} group by document_id order by document_id
      limit ${links_at_once}`.execute(tx);
    const last = rows.at(-1);
    if (!last) return;
    const names = sql.join(
      rows.map(({ document_id, name_key }) => sql`(${document_id}, ${nameOrder(name_key)})`),
    );
    // Copies the document's name to its links.
    await sql`
      with names (id, name_order) as (values ${names})
      update documents_links set
        name_order = (select n.name_order from names n where n.id = documents_links.document_id)
      where document_id in (select id from names)`.execute(tx);
    after = last.document_id;
  }
}

/** Plugins that keep originals without a document, with those that did so until this step. */
async function createFileUsers(tx: Db): Promise<void> {
  await tx.schema
    .createTable("documents_file_users")
    .addColumn("plugin", "text", (c) => c.primaryKey())
    .execute();
  const plugins = ["folder-archives", "imports", "transcriptions"];
  await tx
    .insertInto("documents_file_users")
    .values(plugins.map((plugin) => ({ plugin })))
    .execute();
}
