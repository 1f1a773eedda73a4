/**
 * What part of a folder's documents is shown. It stands in the address, so that it can be gone back
 * to and passed on.
 */
import { useLocation, useSearch } from "wouter-preact";

export interface Filter {
  readonly page: number;
  readonly query: string;
  readonly status: string;
  readonly type: string;
  readonly removed: boolean;
  /** What it is sorted by; newest first when empty. */
  readonly sort: string;
  /** The direction, where it is not the usual one of `sort`. */
  readonly order: string;
}

/** Those whose largest or newest come first. */
const falling: readonly string[] = ["", "created", "updated", "size"];
export const directionOf = ({ sort, order }: Pick<Filter, "sort" | "order">): "asc" | "desc" =>
  order === "asc" || order === "desc" ? order : falling.includes(sort) ? "desc" : "asc";

/** Sorted by that; the other way round when it is already. */
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
 * The filter of this address, and how to change it: from the first page, unless a page is given.
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
