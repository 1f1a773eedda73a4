/**
 * The ordered links of a folder, read from their indexes: one page, or those that match a filter,
 * in stretches between which the event loop serves others.
 */
import type { FileType } from "../../../core/lib/file-types";
import { nextTurn, PartSize } from "../../../core/lib/chunked-work";
import { countRows, nearerEnd, prepared, sql } from "../../../core/sdk";
import type { DocumentStatus } from "../contract";
import { opposite, type ListDirection, type Sortable, type SortColumn } from "./list-order";
import { namePattern } from "../creation/names";
import type { DocumentsDb, LinkRow } from "../store";

/** `limit` rows after `offset`. */
export type Window = Parameters<typeof nearerEnd>[0];
/** Selects links of a folder. */
export interface LinkFilter {
  readonly folder_id: string;
  /** Restorable links instead of live ones. */
  readonly deleted: boolean;
  readonly status?: DocumentStatus | undefined;
  readonly type?: FileType | undefined;
  /** A part of the name, ignoring case. */
  readonly name?: string | undefined;
}
/** By one column, then by time: each order has an index. */
export interface LinkOrder {
  readonly column: SortColumn | null;
  readonly direction: ListDirection;
}
/**
 * Whether it is read against its index: equal values are always listed newest first, also in
 * ascending order.
 */
const isAgainstIndex = ({ column, direction }: LinkOrder): boolean =>
  column !== null && direction === "asc";

/** The columns that a filter compares, except the name. */
interface Compared extends Pick<LinkRow, "folder_id" | "is_deleted"> {
  readonly status?: DocumentStatus;
  readonly file_type?: FileType;
}
const comparedBy = ({ folder_id, deleted, status, type }: LinkFilter): Compared => ({
  folder_id,
  is_deleted: deleted ? 1 : 0,
  ...(status !== undefined && { status }),
  ...(type !== undefined && { file_type: type }),
});
function linksWith(db: DocumentsDb, { folder_id, is_deleted, status, file_type }: Compared) {
  let links = db
    .selectFrom("documents_links as l")
    .where("l.folder_id", "=", folder_id)
    .where("l.is_deleted", "=", is_deleted);
  if (status !== undefined) links = links.where("l.status", "=", status);
  if (file_type !== undefined) links = links.where("l.file_type", "=", file_type);
  return links;
}
type Links = ReturnType<typeof linksWith>;

/** The links that match, without an order. */
export function linksOf(db: DocumentsDb, filter: LinkFilter): Links {
  const links = linksWith(db, comparedBy(filter));
  const { name } = filter;
  return name
    ? links.where(sql<boolean>`l.name_order like ${namePattern(name)} escape '!'`)
    : links;
}

/** A position in an order. */
interface LinkPosition {
  readonly key: string | number;
  readonly document_created_at: number;
  readonly document_id: string;
}
const keyColumn = (column: SortColumn | null) =>
  column === null ? sql.lit<string | number>(0) : sql.ref<string | number>(`l.${column}`);

function sorted(links: Links, { column, direction }: LinkOrder) {
  const rows = links.select([
    keyColumn(column).as("key"),
    "l.document_created_at",
    "l.document_id",
  ]);
  return (column === null ? rows : rows.orderBy(`l.${column}`, direction))
    .orderBy("l.document_created_at", direction)
    .orderBy("l.document_id", direction)
    .$castTo<LinkPosition>();
}

/**
 * One page of ids. The index of the order, or of the filter, contains everything needed. `filter`
 * must not contain a name.
 */
export async function readPage(
  db: DocumentsDb,
  filter: LinkFilter,
  order: LinkOrder,
  window: Window,
  total: number,
): Promise<string[]> {
  const { skip, size, is_backward } = nearerEnd(window, total);
  if (size === 0) return [];
  const read_order = readOrder(order, is_backward);
  const part = { limit: size, offset: skip };
  const rows = isAgainstIndex(order)
    ? await readAgainstIndex(linksOf(db, filter), read_order, part)
    : await preparedPage(read_order)(db, { ...comparedBy(filter), ...part });
  return idsOf(rows, is_backward);
}
const readOrder = ({ column, direction }: LinkOrder, is_backward: boolean): LinkOrder => ({
  column,
  direction: is_backward ? opposite(direction) : direction,
});
const idsOf = (
  rows: readonly Pick<LinkPosition, "document_id">[],
  is_backward: boolean,
): string[] => {
  const ids = rows.map(({ document_id }) => document_id);
  return is_backward ? ids.reverse() : ids;
};
const readRows = (
  links: Links,
  order: LinkOrder,
  { limit, offset }: Window,
): Promise<LinkPosition[]> => sorted(links, order).limit(limit).offset(offset).execute();

/** The ids of the first `limit` links, by the time of their documents. */
export const readFirst = async (
  links: Links,
  direction: ListDirection,
  limit: number,
): Promise<string[]> =>
  idsOf(await readRows(links, { column: null, direction }, { limit, offset: 0 }), false);

const makePage = (order: LinkOrder) =>
  prepared((db: DocumentsDb, { limit, offset, ...compared }: Compared & Window) =>
    sorted(linksWith(db, compared), order).limit(limit).offset(offset),
  );
/** By order. Compiled once, because lists are requested very often. */
const prepared_pages = new Map<string, ReturnType<typeof makePage>>();
function preparedPage(order: LinkOrder): ReturnType<typeof makePage> {
  const key = `${order.column} ${order.direction}`;
  const page = prepared_pages.get(key) ?? makePage(order);
  prepared_pages.set(key, page);
  return page;
}

/**
 * Rows for which equal values have to be listed in the opposite order of the index. Usually no
 * values are equal, and one read shows it.
 */
async function readAgainstIndex(links: Links, order: LinkOrder, { limit, offset }: Window) {
  const reversed = { column: null, direction: opposite(order.direction) };
  const linksWithKey = (key: LinkPosition["key"]) => links.where(keyColumn(order.column), "=", key);
  // One more on either side, to see whether equal values continue beyond the page.
  const before = Math.min(1, offset);
  const window = { limit: before + limit + 1, offset: offset - before };
  const rows_found = await readRows(links, order, window);
  const first = rows_found[before];
  if (!first || rows_found.every(({ key }, at) => key !== rows_found[at - 1]?.key))
    return rows_found.slice(before, before + limit);
  const earlier =
    rows_found[0] !== first && rows_found[0]!.key === first.key
      ? await countRows(linksWithKey(first.key).where(isBeyond(reversed, first)))
      : 0;
  const rows = await readRows(linksWithKey(first.key), reversed, { limit, offset: earlier });
  if (rows.length === limit) return rows;
  const next = links.where(
    keyColumn(order.column),
    order.direction === "asc" ? ">" : "<",
    first.key,
  );
  const others = await readRows(next, order, { limit: limit - rows.length, offset: 0 });
  for (const [key, places] of Map.groupBy(others, (place) => place.key)) {
    // There may be more values equal to the last one.
    const is_whole = places.at(-1) !== others.at(-1);
    const remaining = { limit: limit - rows.length, offset: 0 };
    rows.push(
      ...(is_whole ? places.reverse() : await readRows(linksWithKey(key), reversed, remaining)),
    );
  }
  return rows;
}

const comparedColumns = ({ column }: LinkOrder) =>
  column === null
    ? sql`(l.document_created_at, l.document_id)`
    : sql`(${sql.ref(`l.${column}`)}, l.document_created_at, l.document_id)`;
const valuesOf = ({ column }: LinkOrder, { key, document_created_at, document_id }: LinkPosition) =>
  column === null
    ? sql`(${document_created_at}, ${document_id})`
    : sql`(${key}, ${document_created_at}, ${document_id})`;
/** After this position of the order. */
const isBeyond = (order: LinkOrder, place: LinkPosition) =>
  order.direction === "asc"
    ? sql<boolean>`${comparedColumns(order)} > ${valuesOf(order, place)}`
    : sql<boolean>`${comparedColumns(order)} < ${valuesOf(order, place)}`;
/** Links after this document, by the time of their documents. */
export const linksAfter = (
  links: Links,
  { created_at, id }: { readonly created_at: number; readonly id: string },
  direction: ListDirection = "desc",
): Links =>
  links.where(
    isBeyond(
      { column: null, direction },
      { key: 0, document_created_at: created_at, document_id: id },
    ),
  );
const isUpTo = (order: LinkOrder, place: LinkPosition) =>
  order.direction === "asc"
    ? sql<boolean>`${comparedColumns(order)} <= ${valuesOf(order, place)}`
    : sql<boolean>`${comparedColumns(order)} >= ${valuesOf(order, place)}`;

/** How long links are examined before yielding to the event loop. */
const stretch_ms = 8;
/** Never fewer than the first value: a remote database takes longer to respond at all. */
const stretch_links = { first: 500, max: 8_000 };

/**
 * Divides the links of an index in this order into stretches, and yields the bounds of each.
 * `links_min`: the minimum number of links in one.
 */
async function* stretchesOf(
  links: Links,
  order: LinkOrder,
  signal: AbortSignal,
  links_min = stretch_links.first,
): AsyncGenerator<(links: Links) => Links, void> {
  const part = new PartSize({ ...stretch_links, first: links_min }, stretch_ms);
  let from: LinkPosition | undefined;
  for (;;) {
    signal.throwIfAborted();
    const begun_ms = performance.now();
    const after = from && isBeyond(order, from);
    const [end] = await readRows(after ? links.where(after) : links, order, {
      limit: 1,
      offset: Math.max(part.size, links_min) - 1,
    });
    const until = end && isUpTo(order, end);
    yield (all) => {
      const remaining = after ? all.where(after) : all;
      return until ? remaining.where(until) : remaining;
    };
    part.took(performance.now() - begun_ms);
    if (!end) return;
    from = end;
    await nextTurn();
  }
}

/** `inner`: links that an index has in this order, some of which match the filter. */
interface Search {
  readonly links: Links;
  readonly inner: Links;
  readonly order: LinkOrder;
  readonly signal: AbortSignal;
}

/** One page of ids, read from the nearer end until it is full. */
export async function findPage(
  { links, inner, order, signal }: Search,
  window: Window,
  total: number,
): Promise<string[]> {
  const { skip, size, is_backward } = nearerEnd(window, total);
  const read_order = readOrder(order, is_backward);
  if (size === 0) return [];
  const page: LinkPosition[] = [];
  let position = 0;
  let equal_rows: LinkPosition[] = [];
  const take = (rows: readonly LinkPosition[]): void => {
    for (const row of rows) if (position++ >= skip && page.length < size) page.push(row);
  };
  // When most links match the filter, slightly more than the page are enough.
  const links_min = Math.min(stretch_links.first, 2 * (skip + size));
  for await (const within of stretchesOf(inner, read_order, signal, links_min)) {
    const rows: LinkPosition[] = await sorted(within(links), read_order).execute();
    if (isAgainstIndex(order))
      for (const row of rows) {
        if (equal_rows.length > 0 && equal_rows[0]!.key !== row.key) {
          take(equal_rows.reverse());
          equal_rows = [];
        }
        equal_rows.push(row);
      }
    else take(rows);
    if (page.length === size) break;
  }
  take(equal_rows.reverse());
  return idsOf(page, is_backward);
}

/** The number of links, and the links themselves unless there are more than `max`. */
export async function findAtMost(
  max: number,
  { links, inner, order, signal }: Search,
): Promise<{ readonly total: number; readonly sortable: Sortable[] | null }> {
  let sortable: Sortable[] | null = [];
  let total = 0;
  for await (const within of stretchesOf(inner, order, signal)) {
    if (sortable === null) total += await countRows(within(links));
    else {
      sortable.push(...(await within(links).select(sortable_columns).execute()));
      total = sortable.length;
      if (total > max) sortable = null;
    }
  }
  return { total, sortable };
}
const sortable_columns = [
  "l.name_order",
  "l.file_type",
  "l.size_bytes",
  "l.updated_at",
  "l.status",
  "l.document_created_at",
  "l.document_id",
] as const;

/** More than these are not counted when another count is known. */
const others_max = 2_000;

/**
 * The number of links of a type, out of `total` in the folder. Usually few are of another type, and
 * those are counted.
 */
export async function countOfType(
  db: DocumentsDb,
  filter: LinkFilter & { readonly type: FileType },
  total: number,
): Promise<number> {
  const all = linksOf(db, { ...filter, type: undefined });
  let others = 0;
  for (const side of ["<", ">"] as const) {
    const of_type = all.where("l.file_type", side, filter.type).select("l.document_id");
    others += await countRows(db.selectFrom(of_type.limit(others_max).as("some")));
    if (others >= others_max) return countRows(linksOf(db, filter));
  }
  return Math.max(0, total - others);
}

/** The first `max` ids in this order, and the number of links. */
export async function findIds(
  max: number,
  { links, inner, order, signal }: Search,
): Promise<{ readonly ids: string[]; readonly total: number }> {
  const ids: string[] = [];
  let total = 0;
  for await (const within of stretchesOf(inner, order, signal)) {
    if (ids.length >= max) {
      total += await countRows(within(links));
      continue;
    }
    const rows = await sorted(within(links), order).execute();
    total += rows.length;
    for (const { document_id } of rows.slice(0, max - ids.length)) ids.push(document_id);
  }
  return { ids, total };
}
