/** The orders in which documents can be listed. */
import type { FileType } from "../../../core/lib/file-types";
import { OneOf, named, type Static } from "../../../core/sdk";
import type { DocumentStatus } from "../contract";

export const ListSort = named(
  "DocumentSort",
  OneOf(["created", "name", "type", "size", "status", "updated"], {
    description: "Those that are alike come newest first. `name`: numbers in names count.",
  }),
);
export type ListSort = Static<typeof ListSort>;
export const ListDirection = OneOf(["asc", "desc"], {
  description: "Default: `desc` for `created`, `updated` and `size`, else `asc`.",
});
export type ListDirection = Static<typeof ListDirection>;

const descending_by_default: ReadonlySet<ListSort> = new Set(["created", "updated", "size"]);
/** The direction if a request gives none. */
export const defaultDirection = (sort: ListSort): ListDirection =>
  descending_by_default.has(sort) ? "desc" : "asc";
export const opposite = (direction: ListDirection): ListDirection =>
  direction === "asc" ? "desc" : "asc";

/** The order of `status`, ascending. */
export const statuses: readonly DocumentStatus[] = ["sync_failed", "syncing", "synced"];

/**
 * The column that a link is sorted by, before time; null for time alone. `status` has no column:
 * its lists are concatenated.
 */
export const sortColumns = {
  created: null,
  name: "name_order",
  type: "file_type",
  size: "size_bytes",
  updated: "updated_at",
} as const;
/** A column of links that lists are sorted by. */
export type SortColumn = NonNullable<(typeof sortColumns)[keyof typeof sortColumns]>;

/** The columns of a link that is sorted in memory. */
export interface Sortable {
  readonly name_order: string;
  readonly file_type: FileType;
  readonly size_bytes: number;
  readonly updated_at: number;
  readonly status: DocumentStatus;
  readonly document_created_at: number;
  readonly document_id: string;
}

/** Compares links; equal ones are listed newest first in either direction. */
export function comparer(
  sort: ListSort,
  direction: ListDirection,
): (one: Sortable, other: Sortable) => number {
  const sign = direction === "asc" ? 1 : -1;
  const newest = sort === "created" ? sign : -1;
  const keyOf = (link: Sortable): string | number => {
    if (sort === "status") return statuses.indexOf(link.status);
    const column = sortColumns[sort];
    return column === null ? 0 : link[column];
  };
  return (a, b) => {
    const a_key = keyOf(a);
    const b_key = keyOf(b);
    if (a_key !== b_key) return a_key < b_key ? -sign : sign;
    const age_difference = a.document_created_at - b.document_created_at;
    return newest * (age_difference || (a.document_id < b.document_id ? -1 : 1));
  };
}
