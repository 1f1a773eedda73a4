/**
 * Every SQL statement for imports of folder archives. The database is the first parameter, so that
 * the caller decides the transaction.
 */
import {
  countRows,
  listPage,
  pageWindow,
  type Db,
  type Listed,
  type PageRequest,
} from "../../core/sdk";

/** The state of an import; the last two are final. */
export type ImportStatus = "pending" | "running" | "completed" | "failed";

/** Times are epoch ms. */
export interface ImportRow {
  readonly id: string;
  readonly owner_id: string;
  /** The archive, kept until the import has ended. */
  readonly archive_sha256: string;
  readonly status: ImportStatus;
  /** The new name of the folder; null: unchanged. */
  readonly name: string | null;
  /** The folder, once it exists. */
  readonly folder_id: string | null;
  /** JSON result of the check; null before it. */
  readonly checked: string | null;
  /** Documents. */
  readonly total: number;
  readonly done: number;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
}
/** The kinds of records that get new ids. */
export type RecordKind = "folder" | "document" | "prompt" | "chat";
/** Maps an old id to a new one. */
export interface IdRow {
  readonly import_id: string;
  readonly id: string;
  readonly kind: RecordKind;
  readonly source_id: string;
}
export interface ArchivesTables {
  folder_archives_imports: ImportRow;
  folder_archives_ids: IdRow;
}
export type ArchivesDb = Db<ArchivesTables>;

export const insertImport = (db: ArchivesDb, row: ImportRow) =>
  db.insertInto("folder_archives_imports").values(row).execute();

export const findImport = (db: ArchivesDb, id: string): Promise<ImportRow | undefined> =>
  db.selectFrom("folder_archives_imports").selectAll().where("id", "=", id).executeTakeFirst();

/** Updates an import that has not ended; false if it has. */
export const updateUnfinished = async (
  db: ArchivesDb,
  id: string,
  values: Partial<Omit<ImportRow, "id">>,
): Promise<boolean> =>
  (await db
    .updateTable("folder_archives_imports")
    .set(values)
    .where("id", "=", id)
    .where("status", "in", ["pending", "running"])
    .returning("id")
    .executeTakeFirst()) !== undefined;

/** One page, newest first, and the owner's total. */
export async function listImports(
  db: ArchivesDb,
  owner_id: string,
  page: PageRequest,
): Promise<Listed<ImportRow>> {
  const imports = db.selectFrom("folder_archives_imports").where("owner_id", "=", owner_id);
  return listPage(imports.selectAll(), pageWindow(page));
}

/** Whether an unfinished import uses this archive. */
export const isNeeded = async (db: ArchivesDb, archive_sha256: string): Promise<boolean> =>
  (await db
    .selectFrom("folder_archives_imports")
    .select("id")
    .where("archive_sha256", "=", archive_sha256)
    .where("status", "in", ["pending", "running"])
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** An import that ended before this time. */
export const findEnded = async (
  db: ArchivesDb,
  ended_before: number,
): Promise<string | undefined> =>
  (
    await db
      .selectFrom("folder_archives_imports")
      .select("id")
      .where("finished_at", "<", ended_before)
      .limit(1)
      .executeTakeFirst()
  )?.id;
/** An import of the owner, ended or not. */
export const anyImport = (
  db: ArchivesDb,
  owner_id: string,
): Promise<Pick<ImportRow, "archive_sha256" | "id"> | undefined> =>
  db
    .selectFrom("folder_archives_imports")
    .select(["id", "archive_sha256"])
    .where("owner_id", "=", owner_id)
    .limit(1)
    .executeTakeFirst();
export const deleteImport = (db: ArchivesDb, id: string) =>
  db.deleteFrom("folder_archives_imports").where("id", "=", id).execute();

/** Two equal prompts become one. */
export const insertRecord = (db: ArchivesDb, row: IdRow) =>
  db
    .insertInto("folder_archives_ids")
    .values(row)
    .onConflict((conflict) => conflict.columns(["import_id", "id"]).doNothing())
    .execute();
/** Deletes a batch of an import's rows; false when none are left. */
export const deleteSomeIds = async (
  db: ArchivesDb,
  import_id: string,
  limit: number,
): Promise<boolean> =>
  (
    await db
      .deleteFrom("folder_archives_ids")
      .where("import_id", "=", import_id)
      .where("id", "in", (e) =>
        e
          .selectFrom("folder_archives_ids")
          .select("id")
          .where("import_id", "=", import_id)
          .limit(limit),
      )
      .returning("id")
      .execute()
  ).length === limit;

/** The first `limit` new ids of documents after this one, in order. */
export const documentIdsAfter = async (
  db: ArchivesDb,
  import_id: string,
  after: string,
  limit: number,
): Promise<string[]> =>
  (
    await db
      .selectFrom("folder_archives_ids")
      .select("id")
      .where("import_id", "=", import_id)
      .where("kind", "=", "document")
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit)
      .execute()
  ).map(({ id }) => id);

/** One page in the order of the new ids, and the total. */
export async function listIds(
  db: ArchivesDb,
  import_id: string,
  page: PageRequest,
): Promise<Listed<IdRow>> {
  const all = db.selectFrom("folder_archives_ids").where("import_id", "=", import_id);
  return listPage(all.selectAll(), {
    ...pageWindow(page),
    total: await countRows(all),
    order: { columns: ["id"], direction: "asc" },
  });
}
