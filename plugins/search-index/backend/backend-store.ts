/**
 * Every SQL statement about what a search backend contains and has to be sent. Without a backend,
 * nothing waits. The database is the first parameter, so that the caller decides the transaction.
 */
import { newUuid, prepared, preparedFirst, sql, toNumber } from "../../../core/sdk";
import { inIdBatches, type BackendRow, type BackendWaitingRow, type IndexDb } from "../store";

const only_id = 1;

/** The backend that was filled last; undefined if there was none. */
export const findBackend = async (db: IndexDb): Promise<BackendRow | undefined> => {
  const row = await db.selectFrom("index_backend").selectAll().executeTakeFirst();
  return (
    row && {
      ...row,
      set_id: toNumber(row.set_id),
      filled_to: row.filled_to === null ? null : toNumber(row.filled_to),
    }
  );
};
/** Whether a search backend is kept up to date. */
export const hasBackend = async (db: IndexDb): Promise<boolean> =>
  (await findOne(db, { only_id })) !== undefined;
const findOne = preparedFirst((db: IndexDb, values: { readonly only_id: number }) =>
  db.selectFrom("index_backend").select("id").where("id", "=", values.only_id),
);
/** Forgets the backend, and everything that waits for it. */
export async function deleteBackend(tx: IndexDb): Promise<void> {
  await tx.deleteFrom("index_backend_waiting").execute();
  await tx.deleteFrom("index_backend").execute();
}
/** Records another backend. */
export async function replaceBackend(tx: IndexDb, row: Omit<BackendRow, "id">): Promise<void> {
  await deleteBackend(tx);
  await tx
    .insertInto("index_backend")
    .values({ id: only_id, ...row })
    .execute();
}
/** False when other contents were begun meanwhile. */
export async function updateBackend(
  tx: IndexDb,
  contents: string,
  values: Partial<Pick<BackendRow, "begun" | "filled_to">>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("index_backend")
    .set(values)
    .where("contents", "=", contents)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Published segments with their documents, which are found by their ids. */
const publishedSegments = (db: IndexDb) =>
  db
    .selectFrom("index_segments as s")
    .innerJoin("index_documents as d", (join) =>
      join.onRef("d.document_id", "=", "s.document_id").onRef("d.edition", "=", "s.edition"),
    );

const insertWaiting = (tx: IndexDb) =>
  tx.insertInto("index_backend_waiting").columns(["segment_id", "owner_id", "revision"]);
/** Adds what is published of these documents to the waiting segments. */
export const documentsChanged = (tx: IndexDb, document_ids: readonly string[]): Promise<void> =>
  inIdBatches(document_ids, (batch) =>
    insertOfDocuments(tx, { document_ids: batch, revision: newUuid() }),
  );
const insertOfDocuments = prepared(
  (tx: IndexDb, values: { readonly document_ids: readonly string[]; readonly revision: string }) =>
    insertWaiting(tx)
      .expression((build) =>
        build
          .selectFrom("index_documents as d")
          .innerJoin("index_segments as s", "s.edition", "d.edition")
          .select(["s.id", "d.owner_id", sql<string>`${values.revision}`.as("revision")])
          .where("d.document_id", "in", values.document_ids)
          .where((e) => e.exists(e.selectFrom("index_backend").select("id"))),
      )
      .onConflict((conflict) =>
        conflict.column("segment_id").doUpdateSet((e) => ({
          owner_id: e.ref("excluded.owner_id"),
          revision: e.ref("excluded.revision"),
        })),
      ),
);
/** A published segment with other vectors waits. */
export const segmentChanged = (tx: IndexDb, segment_id: number) =>
  insertOfSegment(tx, { segment_id, revision: newUuid() });
const insertOfSegment = prepared(
  (tx: IndexDb, values: { readonly segment_id: number; readonly revision: string }) =>
    insertWaiting(tx)
      .expression(
        publishedSegments(tx)
          .select(["s.id", "d.owner_id", sql<string>`${values.revision}`.as("revision")])
          .where("s.id", "=", values.segment_id)
          .where((e) => e.exists(e.selectFrom("index_backend").select("index_backend.id"))),
      )
      .onConflict((conflict) =>
        conflict
          .column("segment_id")
          .doUpdateSet((e) => ({ revision: e.ref("excluded.revision") })),
      ),
);
/** Before these segments are deleted or become invisible: their deletion waits to be sent. */
export const segmentsGone = (
  tx: IndexDb,
  segments:
    | readonly number[]
    | ReturnType<ReturnType<typeof tx.selectFrom<"index_segments">>["select"]>,
): Promise<unknown> =>
  insertWaiting(tx)
    .expression((build) =>
      build
        .selectFrom("index_segments")
        .select(["id", sql<string>`''`.as("owner_id"), sql<string>`${newUuid()}`.as("revision")])
        .where("id", "in", segments as readonly number[])
        .where((e) => e.exists(e.selectFrom("index_backend").select("index_backend.id"))),
    )
    .onConflict((conflict) =>
      conflict.column("segment_id").doUpdateSet((e) => ({
        owner_id: e.ref("excluded.owner_id"),
        revision: e.ref("excluded.revision"),
      })),
    )
    .execute();

/**
 * Adds the next `limit` published segments after `after`, unless they wait already. Returns the
 * last one; null when there are no more.
 */
export async function addNextWaiting(
  tx: IndexDb,
  after: number,
  limit: number,
): Promise<number | null> {
  const published = publishedSegments(tx).where("s.id", ">", after);
  const ids = await published.select("s.id").orderBy("s.id").limit(limit).execute();
  const last = ids.at(-1);
  if (last === undefined) return null;
  await insertWaiting(tx)
    .expression(
      published
        .select(["s.id", "d.owner_id", sql<string>`${newUuid()}`.as("revision")])
        .where("s.id", "<=", last.id),
    )
    .onConflict((conflict) => conflict.column("segment_id").doNothing())
    .execute();
  return toNumber(last.id);
}

/** Deletions come first. */
export const waitingSegments = (db: IndexDb, limit: number): Promise<BackendWaitingRow[]> =>
  db
    .selectFrom("index_backend_waiting")
    .selectAll()
    .orderBy("owner_id")
    .orderBy("segment_id")
    .limit(limit)
    .execute();
/** Whether something has to be sent. */
export const isAnyWaiting = async (db: IndexDb): Promise<boolean> =>
  (await db.selectFrom("index_backend_waiting").select("segment_id").limit(1).execute()).length > 0;
/** These segments wait no longer, unless they have changed meanwhile. */
export async function deleteWaiting(
  tx: IndexDb,
  rows: readonly BackendWaitingRow[],
): Promise<void> {
  for (const { segment_id, revision } of rows) await deleteOne(tx, { segment_id, revision });
}
const deleteOne = prepared((tx: IndexDb, row: Omit<BackendWaitingRow, "owner_id">) =>
  tx
    .deleteFrom("index_backend_waiting")
    .where("segment_id", "=", row.segment_id)
    .where("revision", "=", row.revision),
);

/** A segment, and whose it is. */
export interface PublishedSegment {
  readonly id: number;
  readonly data: Uint8Array;
  readonly owner_id: string;
}
/** The published ones among these segments. */
export const publishedAmong = (db: IndexDb, ids: readonly number[]): Promise<PublishedSegment[]> =>
  publishedSegments(db).select(["s.id", "s.data", "d.owner_id"]).where("s.id", "in", ids).execute();
/** The folders of each of these segments. */
export async function foldersOfSegments(
  db: IndexDb,
  ids: readonly number[],
): Promise<Map<number, string[]>> {
  const rows = await db
    .selectFrom("index_scope")
    .select(["segment_id", "folder_id"])
    .where("segment_id", "in", ids)
    .execute();
  const folders = new Map<number, string[]>();
  for (const { segment_id, folder_id } of rows) {
    const id = toNumber(segment_id);
    const folder_ids = folders.get(id);
    if (folder_ids) folder_ids.push(folder_id);
    else folders.set(id, [folder_id]);
  }
  return folders;
}
/** Counts everything that is published. */
export async function countPassages(db: IndexDb): Promise<number> {
  const row = await db
    .selectFrom("index_documents")
    .select((e) => e.fn.sum("chunks").as("passages"))
    .executeTakeFirst();
  return toNumber(row?.passages);
}
