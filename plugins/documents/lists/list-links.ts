/** The links of a folder: which match a filter, and where each is in an order. */
import type { FileType } from "../../../core/lib/file-types";
import { countRows, sql, type nearerEnd } from "../../../core/sdk";
import type { DocumentStatus } from "../contract";
import { opposite, type ListDirection, type SortColumn } from "./list-order";
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
export const isAgainstIndex = ({ column, direction }: LinkOrder): boolean =>
  column !== null && direction === "asc";

/** The columns that a filter compares, except the name. */
export interface Compared extends Pick<LinkRow, "folder_id" | "is_deleted"> {
  readonly status?: DocumentStatus;
  readonly file_type?: FileType;
}
/** What this filter compares. */
export const comparedBy = ({ folder_id, deleted, status, type }: LinkFilter): Compared => ({
  folder_id,
  is_deleted: deleted ? 1 : 0,
  ...(status !== undefined && { status }),
  ...(type !== undefined && { file_type: type }),
});
/** The links with these values. */
export function linksWith(db: DocumentsDb, { folder_id, is_deleted, status, file_type }: Compared) {
  let links = db
    .selectFrom("documents_links as l")
    .where("l.folder_id", "=", folder_id)
    .where("l.is_deleted", "=", is_deleted);
  if (status !== undefined) links = links.where("l.status", "=", status);
  if (file_type !== undefined) links = links.where("l.file_type", "=", file_type);
  return links;
}
/** Links of a folder, not yet read. */
export type Links = ReturnType<typeof linksWith>;

/** The links that match, without an order. */
export function linksOf(db: DocumentsDb, filter: LinkFilter): Links {
  const links = linksWith(db, comparedBy(filter));
  const { name } = filter;
  return name
    ? links.where(sql<boolean>`l.name_order like ${namePattern(name)} escape '!'`)
    : links;
}

/** A position in an order. */
export interface LinkPosition {
  readonly key: string | number;
  readonly document_created_at: number;
  readonly document_id: string;
}
/** What an order sorts by first; the same for all when it sorts by time alone. */
export const keyColumn = (column: SortColumn | null) =>
  column === null ? sql.lit<string | number>(0) : sql.ref<string | number>(`l.${column}`);

/** The positions of these links, in this order. */
export function sorted(links: Links, { column, direction }: LinkOrder) {
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

/** The order in which a page is read: backwards when it is nearer to the end of the list. */
export const readOrder = ({ column, direction }: LinkOrder, is_backward: boolean): LinkOrder => ({
  column,
  direction: is_backward ? opposite(direction) : direction,
});
/** In the order of the list, however the page was read. */
export const idsOf = (
  rows: readonly Pick<LinkPosition, "document_id">[],
  is_backward: boolean,
): string[] => {
  const ids = rows.map(({ document_id }) => document_id);
  return is_backward ? ids.reverse() : ids;
};
/** Some of these links, in this order. */
export const readRows = (
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

const comparedColumns = ({ column }: LinkOrder) =>
  column === null
    ? sql`(l.document_created_at, l.document_id)`
    : sql`(${sql.ref(`l.${column}`)}, l.document_created_at, l.document_id)`;
const valuesOf = ({ column }: LinkOrder, { key, document_created_at, document_id }: LinkPosition) =>
  column === null
    ? sql`(${document_created_at}, ${document_id})`
    : sql`(${key}, ${document_created_at}, ${document_id})`;
/** After this position of the order. */
export const isBeyond = (order: LinkOrder, place: LinkPosition) =>
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
/** At this position of the order, or before it. */
export const isUpTo = (order: LinkOrder, place: LinkPosition) =>
  order.direction === "asc"
    ? sql<boolean>`${comparedColumns(order)} <= ${valuesOf(order, place)}`
    : sql<boolean>`${comparedColumns(order)} >= ${valuesOf(order, place)}`;

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
