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
import type { DocumentRow, DocumentsDb, LinkRow } from "./store";

export interface ListFilter {
  readonly status?: DocumentStatus | undefined;
  /** A part of the name, in any case. */
  readonly name?: string | undefined;
  /** What can be restored, instead of what is there. */
  readonly deleted?: boolean | undefined;
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

/** One page of a folder's documents, newest first, and how many there are in all. */
export async function listDocuments(
  db: DocumentsDb,
  folder: Folder,
  filter: ListFilter,
  page: PageRequest,
): Promise<Listed<DocumentRow>> {
  const { rows, total } = !filter.name
    ? await listLinks(db, folder, filter, page)
    : await listNamed(db, folder.id, filter, page);
  const ids = rows.map(({ document_id }) => document_id);
  return { rows: await findAll(db, ids), total };
}

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

/** So many names are looked at between two turns of the event loop: some milliseconds. */
const names_at_once = 5_000;
/** The orders of the two indexes that have the names. */
const order_of_names = {
  live: ["name_key", "document_created_at", "document_id"],
  restorable: ["document_created_at", "document_id"],
} as const;

/** No index finds a part of a name: all names of the folder are looked at, a part at a time. */
async function listNamed(
  db: DocumentsDb,
  folder_id: string,
  { status, name = "", deleted = false }: ListFilter,
  page: PageRequest,
): Promise<Listed<Place>> {
  const wanted = nameFolded(name);
  const order = order_of_names[deleted ? "restorable" : "live"];
  let links = linksIn(db, folder_id, deleted).select([
    "l.name_key",
    "l.document_created_at",
    "l.document_id",
  ]);
  if (status !== undefined) links = links.where("l.status", "=", status);
  for (const column of order) links = links.orderBy(`l.${column}`);
  const found: Place[] = [];
  let part = links;
  for (;;) {
    const rows = await part.limit(names_at_once).execute();
    for (const { name_key, ...place } of rows)
      if (nameFolded(name_key).includes(wanted)) found.push(place);
    const last = rows.at(-1);
    if (rows.length < names_at_once || !last) break;
    const columns = sql.join(order.map((column) => sql.ref(`l.${column}`))),
      values = sql.join(order.map((column) => last[column]));
    part = links.where(sql<boolean>`(${columns}) > (${values})`);
    await nextTurn();
  }
  const { offset, limit } = pageWindow(page);
  return {
    rows: found.sort(newestFirst).slice(offset, offset + limit),
    total: found.length,
  };
}
const newestFirst = (one: Place, other: Place): number =>
  other.document_created_at - one.document_created_at ||
  (one.document_id < other.document_id ? 1 : -1);

/** In the order of their ids, without those that were deleted meanwhile. */
async function findAll(db: DocumentsDb, ids: readonly string[]): Promise<DocumentRow[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom("documents").selectAll().where("id", "in", ids).execute();
  const by_id = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => by_id.get(id) ?? []);
}
