/** What lists of documents can be sorted by. */
import { named, t, type Static } from "../../core/sdk";
import type { DocumentStatus } from "./contract";
import { nameFolded } from "./names";
import { fileType } from "../../core/lib/file-types";

export const ListSort = named(
  "DocumentSort",
  t.Union(
    (["created", "name", "type", "size", "status", "updated"] as const).map((one) =>
      t.Literal(one),
    ),
    { description: "Those that are alike come newest first. `name`: numbers in names count." },
  ),
);
export type ListSort = Static<typeof ListSort>;
export const ListDirection = t.Union([t.Literal("asc"), t.Literal("desc")], {
  description: "Default: `desc` for `created`, `updated` and `size`, else `asc`.",
});
export type ListDirection = Static<typeof ListDirection>;

/** What is read of each document of a folder that is sorted. */
export interface Sortable {
  readonly name_key: string;
  readonly status: DocumentStatus;
  readonly document_created_at: number;
  readonly document_id: string;
  readonly size_bytes: number;
  readonly media_type: string;
  readonly updated_at: number;
}
/** It needs what only the documents themselves know. */
export const needsDocument = (sort: ListSort): boolean =>
  sort === "size" || sort === "type" || sort === "updated";

const digits_max = 15;
/** In the order of people: `Report 2` before `report 10`. */
const nameOrder = (name_key: string): string =>
  nameFolded(name_key).replaceAll(/\d+/g, (digits) => digits.padStart(digits_max, "0"));

const of_status: Readonly<Record<DocumentStatus, number>> = {
  sync_failed: 0,
  syncing: 1,
  synced: 2,
};
const keyOf: Readonly<Record<ListSort, (row: Sortable) => string | number>> = {
  created: (row) => row.document_created_at,
  name: (row) => nameOrder(row.name_key),
  type: (row) => fileType(row.media_type),
  size: (row) => row.size_bytes,
  status: (row) => of_status[row.status],
  updated: (row) => row.updated_at,
};

/** A place in the list, with what it is sorted by. */
export interface Placed {
  readonly key: string | number;
  readonly created_at: number;
  readonly document_id: string;
}
export const placed = (row: Sortable, sort: ListSort): Placed => ({
  key: keyOf[sort](row),
  created_at: row.document_created_at,
  document_id: row.document_id,
});

const falling: ReadonlySet<ListSort> = new Set(["created", "updated", "size"]);
/** Compares places; equal ones come newest first, whatever the direction. */
export function comparer(
  sort: ListSort,
  direction: ListDirection = falling.has(sort) ? "desc" : "asc",
): (one: Placed, other: Placed) => number {
  const sign = direction === "asc" ? 1 : -1;
  const newest = sort === "created" ? sign : -1;
  return (one, other) => {
    if (one.key !== other.key) return one.key < other.key ? -sign : sign;
    return (
      newest * (one.created_at - other.created_at || (one.document_id < other.document_id ? -1 : 1))
    );
  };
}

/** Two sorted lists as one. */
export function merged(
  one: readonly Placed[],
  other: readonly Placed[],
  compare: (one: Placed, other: Placed) => number,
): Placed[] {
  const all: Placed[] = [];
  for (let i = 0, k = 0; i < one.length || k < other.length;) {
    const first = one[i],
      second = other[k];
    if (second === undefined || (first !== undefined && compare(first, second) <= 0)) {
      all.push(first!);
      i += 1;
    } else {
      all.push(second);
      k += 1;
    }
  }
  return all;
}
