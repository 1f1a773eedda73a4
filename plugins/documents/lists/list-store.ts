/** The lists of a folder's documents: which index of its links is read for which request. */
import { FairLimiter } from "../../../core/lib/limiter";
import type { FileType } from "../../../core/lib/file-types";
import {
  badRequest,
  countRows,
  pageWindow,
  prepared,
  requireOwned,
  sql,
  toNumber,
  type Listed,
  type PageRequest,
} from "../../../core/sdk";
import { isGone, type Folder } from "../../folders/contract";
import type { DocumentStatus, OwnedDocument } from "../contract";
import {
  countOfType,
  linksAfter,
  linksOf,
  readFirst,
  type LinkFilter,
  type Window,
} from "./list-links";
import {
  comparer,
  sortColumns,
  statuses,
  defaultDirection,
  type ListDirection,
  type ListSort,
} from "./list-order";
import { readPage } from "./list-pages";
import { findAtMost, findIds, findPage } from "./list-search";
import { hasControl } from "../creation/names";
import type { DocumentRow, DocumentsDb } from "../store";

/** Which documents of a folder are listed. */
export interface ListFilter {
  readonly status?: DocumentStatus | undefined;
  /** A part of the name, ignoring case. */
  readonly name?: string | undefined;
  readonly type?: FileType | undefined;
  /** Restorable documents instead of those that are there. */
  readonly deleted?: boolean | undefined;
}
/** The filter and the order. Default: newest first. */
export interface ListQuery extends ListFilter {
  readonly sort?: ListSort | undefined;
  readonly order?: ListDirection | undefined;
}

type ListPlace = Pick<DocumentRow, "created_at" | "id">;
interface ListPage {
  readonly limit: number;
  readonly ascending: boolean;
}

/** Documents in any folder of the owner, after a position: the first `limit`. */
export async function listOwned(
  db: DocumentsDb,
  owner_id: string,
  after: ListPlace | null,
  { limit, ascending }: ListPage,
): Promise<OwnedDocument[]> {
  const order = ascending ? "asc" : "desc";
  const position = after && sql`(${after.created_at}, ${after.id})`;
  const rows = await db
    .selectFrom("documents as d")
    .select(["d.id", "d.name", "d.size_bytes", "d.status", "d.error_message", "d.created_at"])
    .where("d.owner_id", "=", owner_id)
    .$if(position !== null, (query) =>
      query.where(
        ascending
          ? sql<boolean>`(d.created_at, d.id) > ${position}`
          : sql<boolean>`(d.created_at, d.id) < ${position}`,
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
  return rows.map(ownedOf);
}

/** The same for one folder. */
export async function listOfFolder(
  db: DocumentsDb,
  folder_id: string,
  after: ListPlace | null,
  { limit, ascending }: ListPage,
): Promise<OwnedDocument[]> {
  const direction = ascending ? "asc" : "desc";
  const all = linksOf(db, { folder_id, deleted: false });
  const links = after ? linksAfter(all, after, direction) : all;
  return (await findAll(db, await readFirst(links, direction, limit))).map(ownedOf);
}

const ownedOf = ({
  id,
  name,
  size_bytes,
  status,
  error_message,
  created_at,
}: Pick<DocumentRow, keyof OwnedDocument>): OwnedDocument => ({
  id,
  name,
  size_bytes: toNumber(size_bytes),
  status,
  error_message,
  created_at: toNumber(created_at),
});

/** Up to this many are sorted in memory; more are read in order until the page is full. */
const sorted_max = 2_000;
const newest_first = { column: null, direction: "desc" } as const;
const by_name = { column: "name_order", direction: "asc" } as const;

/** An order that has an index. */
interface Order {
  readonly sort: Exclude<ListSort, "status">;
  readonly direction: ListDirection;
}
/** The request for one list. */
interface ListSearch {
  readonly folder: Folder;
  readonly filter: LinkFilter;
  readonly order: Order;
  readonly signal: AbortSignal;
}

/** Lists of documents, by the index that fits the request. */
export class DocumentLists {
  /** For lists without a complete index: one per owner at a time. */
  private readonly limiter = new FairLimiter({ concurrency: 2 });

  constructor(private readonly db: DocumentsDb) {}

  /** One page, newest first by default, and the total number. */
  async list(
    folder: Folder,
    query: ListQuery,
    page: PageRequest,
    signal: AbortSignal,
  ): Promise<Listed<DocumentRow>> {
    const { sort = "created", order: direction = defaultDirection(sort) } = query;
    const filter = filterOf(folder, query);
    const window = pageWindow(page);
    if (filter === null) return { rows: [], total: 0 };
    const search = { folder, filter, signal };
    const { rows: ids, total } =
      sort === "status"
        ? await this.byStatus({ ...search, order: { sort: "created", direction } }, window)
        : await this.readIds({ ...search, order: { sort, direction } }, window);
    return { rows: await findAll(this.db, ids), total };
  }

  /**
   * The ids of the newest `max` documents that match the filter, and how many match; with `after`,
   * those after this document. @throws HttpError 400, 403 or 404 about this document
   */
  async ids(
    folder: Folder,
    { after, ...query }: ListFilter & { readonly after?: string | undefined },
    max: number,
    signal: AbortSignal,
  ): Promise<{ readonly ids: string[]; readonly total: number }> {
    const filter = filterOf(folder, query);
    if (filter === null) return { ids: [], total: 0 };
    const position = after === undefined ? null : await findPlace(this.db, folder.owner_id, after);
    const afterPosition = (of: LinkFilter) =>
      position ? linksAfter(linksOf(this.db, of), position) : linksOf(this.db, of);
    const links = afterPosition(filter);
    const inner = afterPosition({ ...filter, name: undefined });
    const search = { links, inner, order: newest_first, signal };
    return this.limiter.run(folder.owner_id, signal, () => findIds(max, search));
  }

  /** One status after the other, each newest first. */
  private async byStatus(search: ListSearch, { limit, offset }: Window): Promise<Listed<string>> {
    const { direction } = search.order;
    const rows: string[] = [];
    let total = 0;
    for (const status of direction === "asc" ? statuses : statuses.toReversed()) {
      if (search.filter.status !== undefined && search.filter.status !== status) continue;
      const found = await this.readIds(
        {
          ...search,
          filter: { ...search.filter, status },
          order: { ...search.order, direction: "desc" },
        },
        { limit: limit - rows.length, offset: Math.max(0, offset - total) },
      );
      rows.push(...found.rows);
      total += found.total;
    }
    return { rows, total };
  }

  private async readIds(search: ListSearch, window: Window): Promise<Listed<string>> {
    const {
      folder,
      filter,
      order: { sort, direction },
      signal,
    } = search;
    // Documents of one type have equal values.
    const order =
      sort === "type" && filter.type !== undefined
        ? newest_first
        : { column: sortColumns[sort], direction };
    const has_index = !filter.name && (filter.status === undefined || order.column === null);
    const total = filter.name ? undefined : await this.total(folder, filter);
    if (has_index)
      return { rows: await readPage(this.db, filter, order, window, total!), total: total! };
    return this.limiter.run(folder.owner_id, signal, () => this.search(search, window, total));
  }

  private async total(folder: Folder, { type, ...filter }: LinkFilter): Promise<number> {
    const stored_count = storedCount(folder, filter);
    if (type === undefined) return stored_count ?? countRows(linksOf(this.db, filter));
    return stored_count === undefined || filter.status !== undefined
      ? countRows(linksOf(this.db, { ...filter, type }))
      : countOfType(this.db, { ...filter, type }, stored_count);
  }

  /** Few matches are sorted here, many are skipped in order; there is an index for either. */
  private async search(
    { filter, order, signal }: ListSearch,
    window: Window,
    known_total: number | undefined,
  ): Promise<Listed<string>> {
    const { folder_id, deleted } = filter;
    const links = linksOf(this.db, filter);
    const inner = linksOf(this.db, { folder_id, deleted });
    const { total, sortable } =
      known_total === undefined
        ? await findAtMost(sorted_max, { links, inner, order: by_name, signal })
        : known_total > sorted_max
          ? { total: known_total, sortable: null }
          : await findAtMost(sorted_max, { links, inner: links, order: newest_first, signal });
    if (sortable) {
      sortable.sort(comparer(order.sort, order.direction));
      const page = sortable.slice(window.offset, window.offset + window.limit);
      return { rows: page.map(({ document_id }) => document_id), total };
    }
    const search = {
      links,
      inner,
      signal,
      order: { column: sortColumns[order.sort], direction: order.direction },
    };
    return { rows: await findPage(search, window, total), total };
  }
}

/** Null when no document can match. */
const filterOf = (
  { id: folder_id }: Folder,
  { deleted = false, status, type, name }: ListFilter,
): LinkFilter | null =>
  name !== undefined && hasControl(name) ? null : { folder_id, deleted, status, type, name };

/** The count kept by the folder, for all types. */
function storedCount(
  { syncing_count, synced_count, failed_count, restorable_count }: Folder,
  { deleted, status }: Omit<LinkFilter, "type">,
): number | undefined {
  if (deleted) return status === undefined || restorable_count === 0 ? restorable_count : undefined;
  const counts = { syncing: syncing_count, synced: synced_count, sync_failed: failed_count };
  return status === undefined ? syncing_count + synced_count + failed_count : counts[status];
}

/** The position of a document in its lists, even if its links are deleted. */
async function findPlace(db: DocumentsDb, owner_id: string, id: string) {
  if (id === "")
    throw badRequest("The query field `after` must be the id of a document.", "?after");
  const found = await db
    .selectFrom("documents")
    .select(["id", "owner_id", "created_at"])
    .where("id", "=", id)
    .executeTakeFirst();
  const position = requireOwned(found, owner_id, "document");
  return { id: position.id, created_at: toNumber(position.created_at) };
}

/** In the order of the ids, without documents deleted meanwhile. */
async function findAll(db: DocumentsDb, ids: readonly string[]): Promise<DocumentRow[]> {
  if (ids.length === 0) return [];
  const rows = await rowsOfAll(db, { ids });
  const by_id = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => by_id.get(id) ?? []);
}
const rowsOfAll = prepared((db: DocumentsDb, { ids }: { readonly ids: readonly string[] }) =>
  db.selectFrom("documents").selectAll().where("id", "in", ids),
);
