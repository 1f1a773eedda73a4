/** The list of a folder's documents, read from the indexes of its links. */
import { nextTurn } from "../../core/lib/parts";
import {
  countRows,
  listPage,
  pageWindow,
  sql,
  toNumber,
  type Listed,
  type PageRequest,
} from "../../core/sdk";
import { isGone, type Folder } from "../folders/contract";
import type { DocumentStatus, OwnedDocument } from "./contract";
import { nameFolded } from "./names";
import {
  comparer,
  merged,
  needsDocument,
  placed,
  type ListDirection,
  type ListSort,
  type Placed,
  type Sortable,
} from "./list-order";
import type { DocumentRow, DocumentsDb, LinkRow } from "./store";
import { fileType, type FileType } from "../../core/lib/file-types";

export interface ListFilter {
  readonly status?: DocumentStatus | undefined;
  /** A part of the name, in any case. */
  readonly name?: string | undefined;
  readonly type?: FileType | undefined;
  /** What can be restored, instead of what is there. */
  readonly deleted?: boolean | undefined;
}
export interface ListQuery extends ListFilter {
  readonly sort?: ListSort | undefined;
  readonly order?: ListDirection | undefined;
}
type Place = Pick<LinkRow, "document_created_at" | "document_id">;

/** What folders of the owner hold, after a place: the first `limit`. */
export async function listOwned(
  db: DocumentsDb,
  owner_id: string,
  after: Pick<DocumentRow, "created_at" | "id"> | null,
  { limit, ascending }: { readonly limit: number; readonly ascending: boolean },
): Promise<OwnedDocument[]> {
  const order = ascending ? "asc" : "desc";
  const place = after && sql`(${after.created_at}, ${after.id})`;
  const rows = await db
    .selectFrom("documents as d")
    .select(["d.id", "d.name", "d.size_bytes", "d.status", "d.error_message", "d.created_at"])
    .where("d.owner_id", "=", owner_id)
    .$if(place !== null, (query) =>
      query.where(
        ascending
          ? sql<boolean>`(d.created_at, d.id) > ${place}`
          : sql<boolean>`(d.created_at, d.id) < ${place}`,
      ),
    )
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("documents_links as l")
          .select("l.document_id")
          .whereRef("l.document_id", "=", "d.id")
          .where("l.deleted_at", "is", null)
          .where((of) => of.not(isGone("l.folder_id"))),
      ),
    )
    .orderBy("d.created_at", order)
    .orderBy("d.id", order)
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...row,
    size_bytes: toNumber(row.size_bytes),
    created_at: toNumber(row.created_at),
  }));
}

/** One page of a folder's documents, newest first unless sorted, and how many there are in all. */
export async function listDocuments(
  db: DocumentsDb,
  folder: Folder,
  query: ListQuery,
  page: PageRequest,
): Promise<Listed<DocumentRow>> {
  const { rows, total } = isPlain(query)
    ? await listLinks(db, folder, query, page)
    : await listSought(db, folder.id, query, page);
  const ids = rows.map(({ document_id }) => document_id);
  return { rows: await findAll(db, ids), total };
}

/** An index has this list as it is. */
const isPlain = ({ name, type, sort = "created", order = "desc" }: ListQuery): boolean =>
  !name && type === undefined && sort === "created" && order === "desc";

/** The ids of all documents of the list, in its order. */
export const listIds = async (
  db: DocumentsDb,
  folder_id: string,
  query: ListQuery,
): Promise<string[]> =>
  (await allSought(db, folder_id, query)).map(({ document_id }) => document_id);

async function listLinks(
  db: DocumentsDb,
  folder: Folder,
  { status, deleted = false }: ListFilter,
  page: PageRequest,
): Promise<Listed<Pick<Place, "document_id">>> {
  let links = linksIn(db, folder.id, deleted);
  if (status !== undefined) links = links.where("l.status", "=", status);
  const counted = deleted ? restorableCount(folder, status) : liveCount(folder, status);
  return listPage(links.select("l.document_id"), {
    ...pageWindow(page),
    total: counted ?? (await countRows(links)),
    order: { columns: ["l.document_created_at", "l.document_id"], direction: "desc" },
  });
}

const linksIn = (db: DocumentsDb, folder_id: string, deleted: boolean) =>
  db
    .selectFrom("documents_links as l")
    .where("l.folder_id", "=", folder_id)
    .where("l.deleted_at", deleted ? "is not" : "is", null);

/** What the folder counts. */
function liveCount(
  { syncing_count, synced_count, failed_count }: Folder,
  status: DocumentStatus | undefined,
): number {
  const counts = { syncing: syncing_count, synced: synced_count, sync_failed: failed_count };
  return status === undefined ? syncing_count + synced_count + failed_count : counts[status];
}
/** The folder does not count these by their status. */
const restorableCount = (
  { restorable_count }: Folder,
  status: DocumentStatus | undefined,
): number | undefined =>
  status === undefined || restorable_count === 0 ? restorable_count : undefined;

/** So many are looked at between two turns of the event loop: some milliseconds. */
const looked_at_once = 5_000;
/** The orders of the two indexes that have the names. */
const order_of_names = {
  live: ["name_key", "document_created_at", "document_id"],
  restorable: ["document_created_at", "document_id"],
} as const;

async function listSought(
  db: DocumentsDb,
  folder_id: string,
  query: ListQuery,
  page: PageRequest,
): Promise<Listed<Pick<Place, "document_id">>> {
  const all = await allSought(db, folder_id, query);
  const { offset, limit } = pageWindow(page);
  return { rows: all.slice(offset, offset + limit), total: all.length };
}

/**
 * No index finds a part of a name, or has every order: all of the folder are looked at, a part at a
 * time, and sorted likewise.
 */
async function allSought(
  db: DocumentsDb,
  folder_id: string,
  { status, name = "", type, deleted = false, sort = "created", order: direction }: ListQuery,
): Promise<Placed[]> {
  const wanted = nameFolded(name),
    compare = comparer(sort, direction);
  const order = order_of_names[deleted ? "restorable" : "live"];
  let links = soughtIn(db, folder_id, deleted, type !== undefined || needsDocument(sort));
  if (status !== undefined) links = links.where("l.status", "=", status);
  for (const column of order) links = links.orderBy(`l.${column}`);
  let found: Placed[] = [],
    part = links;
  for (;;) {
    const rows = await part.limit(looked_at_once).execute();
    const some = rows
      .filter((row) => nameFolded(row.name_key).includes(wanted))
      .filter((row) => type === undefined || fileType(row.media_type) === type)
      .map((row) => placed(row, sort))
      .sort(compare);
    found = merged(found, some, compare);
    const last = rows.at(-1);
    if (rows.length < looked_at_once || !last) return found;
    const columns = sql.join(order.map((column) => sql.ref(`l.${column}`))),
      values = sql.join(order.map((column) => last[column]));
    part = links.where(sql<boolean>`(${columns}) > (${values})`);
    await nextTurn();
  }
}

/** With what only the documents know, or without: then the index alone is read. */
const soughtIn = (db: DocumentsDb, folder_id: string, deleted: boolean, with_document: boolean) =>
  linksIn(db, folder_id, deleted)
    .select(["l.name_key", "l.document_created_at", "l.document_id", "l.status"])
    .$if(!with_document, (query) =>
      query.select([
        sql.lit(0).as("size_bytes"),
        sql.lit("").as("media_type"),
        sql.lit(0).as("updated_at"),
      ]),
    )
    .$if(with_document, (query) =>
      query
        .innerJoin("documents as d", "d.id", "l.document_id")
        .select(["d.size_bytes", "d.media_type", "d.updated_at"]),
    )
    .$castTo<Sortable>();

/** In the order of their ids, without those that were deleted meanwhile. */
async function findAll(db: DocumentsDb, ids: readonly string[]): Promise<DocumentRow[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom("documents").selectAll().where("id", "in", ids).execute();
  const by_id = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => by_id.get(id) ?? []);
}
