/**
 * What part of a folder's documents is shown. It stands in the address, so that it can be gone back
 * to and passed on.
 */
import { useLocation, useSearch } from "wouter-preact";

export interface Filter {
  readonly page: number;
  readonly query: string;
  readonly status: string;
  readonly removed: boolean;
}

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
    removed: fields.get("removed") === "1",
  };
  const change = (changes: Partial<Filter>) => {
    const next = { ...filter, page: 1, ...changes };
    const search = new URLSearchParams(
      [
        ["q", next.query],
        ["status", next.status],
        ["removed", next.removed ? "1" : ""],
        ["page", next.page > 1 ? String(next.page) : ""],
      ].filter(([, value]) => value !== "") as [string, string][],
    ).toString();
    navigate(search ? `${path}?${search}` : path, { replace: changes.query !== undefined });
  };
  return [filter, change];
}
