/**
 * Every SQL statement about the items of import runs. The database is the first parameter, so that
 * the caller decides the transaction.
 */
import {
  listPage,
  pageWindow,
  prepared,
  sql,
  toNumber,
  type Listed,
  type PageRequest,
} from "../../core/sdk";
import { isGone } from "../folders/contract";
import type { ImportsDb, ItemRow, ItemStatus } from "./store";

/** Inserts those whose address is new to the run, and returns them. */
export async function insertItems(
  db: ImportsDb,
  rows: readonly ItemRow[],
): Promise<Pick<ItemRow, "host" | "status" | "uri">[]> {
  return rows.length === 0
    ? []
    : db
        .insertInto("imports_items")
        .values([...rows])
        .onConflict((c) => c.columns(["run_id", "uri"]).doNothing())
        .returning(["host", "status", "uri"])
        .execute();
}

/** Items that no worker has started: the next ones of this host after the ordinal `after`. */
export const waitingItems = (
  db: ImportsDb,
  run_id: string,
  host: string,
  after: number,
  limit: number,
): Promise<ItemRow[]> =>
  db
    .selectFrom("imports_items")
    .selectAll()
    .where("run_id", "=", run_id)
    .where("host", "=", host)
    .where("ordinal", ">", after)
    .where(sql.ref("status"), "=", sql.lit("pending"))
    .where("document_id", "is", null)
    .orderBy("ordinal")
    .limit(limit)
    .execute();
/** Changes a pending item; undefined when it has ended. */
export const updatePending = (
  db: ImportsDb,
  id: string,
  values: Partial<ItemRow>,
): Promise<ItemRow | undefined> =>
  db
    .updateTable("imports_items")
    .set(values)
    .where("id", "=", id)
    .where("status", "=", "pending")
    .returningAll()
    .executeTakeFirst();
/** The item of the run that creates the document of this address. */
export const findBySource = (
  db: ImportsDb,
  run_id: string,
  source_uri: string,
): Promise<ItemRow | undefined> =>
  db
    .selectFrom("imports_items")
    .selectAll()
    .where("run_id", "=", run_id)
    .where("source_uri", "=", source_uri)
    .executeTakeFirst();
/** Items that wait for one of these documents to be indexed. */
export const indexingItems = async (
  db: ImportsDb,
  document_ids: readonly string[],
): Promise<ItemRow[]> => (document_ids.length === 0 ? [] : waitingFor(db, { document_ids }));
const waitingFor = prepared(
  (db: ImportsDb, { document_ids }: { readonly document_ids: readonly string[] }) =>
    db
      .selectFrom("imports_items")
      .selectAll()
      .where("document_id", "in", document_ids)
      .where(sql.ref("status"), "=", sql.lit("pending")),
);

/** Documents after this one that items wait for, in order. */
export const documentsAfter = async (
  db: ImportsDb,
  after: string,
  limit: number,
): Promise<string[]> =>
  (
    await db
      .selectFrom("imports_items")
      .select("document_id")
      .distinct()
      .where(sql.ref("status"), "=", sql.lit("pending"))
      .where("document_id", "is not", null)
      .where("document_id", ">", after)
      .orderBy("document_id")
      .limit(limit)
      .execute()
  ).map(({ document_id }) => document_id!);

type EndedValues = Pick<ItemRow, "status" | "error_code" | "error">;

/** Ends at most `limit` items of one host that no worker has started; returns how many. */
export const endSomeOfHost = (
  db: ImportsDb,
  { run_id, host }: Pick<ItemRow, "run_id" | "host">,
  values: EndedValues,
  limit: number,
): Promise<number> =>
  change(
    db,
    ofRun(db, run_id, "pending")
      .where("host", "=", host)
      .where("document_id", "is", null)
      .limit(limit),
    values,
  );
/** Ends at most `limit` pending items of a run; returns how many. */
export const endSomePending = (
  db: ImportsDb,
  run_id: string,
  values: EndedValues,
  limit: number,
): Promise<number> => change(db, ofRun(db, run_id, "pending").limit(limit), values);

const change = async (
  db: ImportsDb,
  ids: ReturnType<typeof ofRun>,
  values: EndedValues,
): Promise<number> =>
  toNumber(
    (await db.updateTable("imports_items").set(values).where("id", "in", ids).executeTakeFirst())
      .numUpdatedRows,
  );
/** The error code of an item that failed when it was listed: there is nothing to fetch or read. */
export const unlisted = "unlisted";
/** Deletes at most `limit` such items, which a new listing finds again; returns how many. */
export async function forgetUnlisted(
  db: ImportsDb,
  run_id: string,
  limit: number,
): Promise<number> {
  const some = ofRun(db, run_id, "failed").where("error_code", "=", unlisted).limit(limit);
  const result = await db.deleteFrom("imports_items").where("id", "in", some).executeTakeFirst();
  return toNumber(result.numDeletedRows);
}
/** Whether some items failed when they were listed. */
export const hasUnlisted = async (db: ImportsDb, run_id: string): Promise<boolean> =>
  (await ofRun(db, run_id, "failed")
    .where("error_code", "=", unlisted)
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** Makes failed items after this ordinal pending again, the first `limit` of them. */
export const reopenFailed = (
  db: ImportsDb,
  run_id: string,
  after: number,
  limit: number,
): Promise<Pick<ItemRow, "host" | "ordinal">[]> =>
  db
    .updateTable("imports_items")
    .set({
      status: "pending",
      error_code: null,
      error: null,
      document_id: null,
      version: null,
      source_uri: null,
      folder_id: null,
      joined: 0,
      attempts: 0,
    })
    .where(
      "id",
      "in",
      ofRun(db, run_id, "failed").where("ordinal", ">", after).orderBy("ordinal").limit(limit),
    )
    .returning(["host", "ordinal"])
    .execute();

/** The ids of a run's items with this status. */
const ofRun = (db: ImportsDb, run_id: string, status: ItemStatus) =>
  db
    .selectFrom("imports_items")
    .select("id")
    .where("run_id", "=", run_id)
    .where("status", "=", status);

/** The folder of the run exists: otherwise the items are deleted with it, in the background. */
const isRemembered = (run_id: string) => sql<boolean>`exists (
  select 1 from imports_runs run where run.id = ${run_id} and not ${isGone("run.folder_id")})`;

/** A page of a run's items, and how many there are. */
export async function listItems(
  db: ImportsDb,
  run_id: string,
  status: ItemStatus | undefined,
  page: PageRequest,
): Promise<Listed<ItemRow>> {
  let items = db
    .selectFrom("imports_items")
    .where("run_id", "=", run_id)
    .where(isRemembered(run_id));
  if (status !== undefined) items = items.where("status", "=", status);
  return listPage(items.selectAll(), {
    ...pageWindow(page),
    order: { columns: ["ordinal"], direction: "asc" },
  });
}
const deleted_at_once = 200;
/** Deletes some items of a run; false when there are no more. */
export const deleteSome = async (db: ImportsDb, run_id: string): Promise<boolean> =>
  (
    await db
      .deleteFrom("imports_items")
      .where("id", "in", (e) =>
        e
          .selectFrom("imports_items")
          .select("id")
          .where("run_id", "=", run_id)
          .limit(deleted_at_once),
      )
      .returning("id")
      .execute()
  ).length === deleted_at_once;
/** The first ordinal of the run's next listing. */
export const nextOrdinal = async (db: ImportsDb, run_id: string): Promise<number> =>
  toNumber(
    (
      await db
        .selectFrom("imports_items")
        .select((e) => e.fn.max("ordinal").as("last"))
        .where("run_id", "=", run_id)
        .executeTakeFirst()
    )?.last ?? -1,
  ) + 1;
