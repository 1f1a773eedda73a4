/**
 * Filter and sort order of a folder's documents. Part of the address, so that it can be shared and
 * reached by going back.
 */
import { useLocation, useSearch } from "wouter-preact";

/** What the list shows; empty fields filter nothing. */
export interface Filter {
  readonly page: number;
  readonly query: string;
  readonly status: string;
  readonly type: string;
  readonly removed: boolean;
  /** The sort field; newest first if empty. */
  readonly sort: string;
  /** The direction, if it is not the default one of `sort`. */
  readonly order: string;
}

/** Fields sorted in descending order by default. */
const descending_fields: readonly string[] = ["", "created", "updated", "size"];
/** The direction in force: the one that was chosen, or the default of the field. */
export const directionOf = ({ sort, order }: Pick<Filter, "sort" | "order">): "asc" | "desc" =>
  order === "asc" || order === "desc" ? order : descending_fields.includes(sort) ? "desc" : "asc";

/** Sorts by this field; reverses the direction if it already does. */
export const sortedBy = (filter: Filter, by: string): Pick<Filter, "sort" | "order"> => ({
  sort: by,
  order:
    filter.sort === by
      ? directionOf(filter) === "asc"
        ? "desc"
        : "asc"
      : directionOf({ sort: by, order: "" }),
});

/**
 * The filter of this address, and a function to change it, which goes to the first page unless a
 * page is given.
 */
export function useFilter(): readonly [Filter, (change: Partial<Filter>) => void] {
  const [path, navigate] = useLocation();
  const fields = new URLSearchParams(useSearch());
  const page = Number(fields.get("page") ?? 1);
  const filter: Filter = {
    page: Number.isInteger(page) && page > 0 ? page : 1,
    query: fields.get("q") ?? "",
    status: fields.get("status") ?? "",
    type: fields.get("type") ?? "",
    sort: fields.get("sort") ?? "",
    order: fields.get("order") ?? "",
    removed: fields.get("removed") === "1",
  };
  const change = (changes: Partial<Filter>) => {
    const next = { ...filter, page: 1, ...changes };
    const search = new URLSearchParams(
      [
        ["q", next.query],
        ["status", next.status],
        ["type", next.type],
        ["sort", next.sort],
        ["order", next.order],
        ["removed", next.removed ? "1" : ""],
        ["page", next.page > 1 ? String(next.page) : ""],
      ].filter(([, value]) => value !== "") as [string, string][],
    ).toString();
    navigate(search ? `${path}?${search}` : path, { replace: changes.query !== undefined });
  };
  return [filter, change];
}
