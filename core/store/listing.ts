/** Pages of long lists, as cheap at the end of a list as at its beginning. */
import type { SelectQueryBuilder } from "kysely";
import { toNumber } from "./columns";

/** Which rows: so many after the first so many. */
export interface Window {
  readonly limit: number;
  readonly offset: number;
}
export interface Listed<Row> {
  readonly rows: Row[];
  /** Of the whole list. */
  readonly total: number;
}
/** The columns that put a list in order: no two rows have the same values. */
export interface ListOrder {
  readonly columns: readonly string[];
  readonly direction: "asc" | "desc";
}
export const newest_first: ListOrder = { columns: ["created_at", "id"], direction: "desc" };

export interface ListingOptions extends Window {
  /** How many there are, where that is counted already; else the rows are. */
  readonly total?: number | undefined;
  /** Newest first when absent. */
  readonly order?: ListOrder;
}

/**
 * One page of what `query` finds. An index must have the columns of the order after those that
 * `query` compares: then the rows before the page are passed over in the index alone, and never
 * more of them than half of the list, because the page is read from the end that is nearer to it.
 */
export async function listPage<Row>(
  query: SelectQueryBuilder<any, any, Row>,
  { total: known, order: { columns, direction } = newest_first, ...window }: ListingOptions,
): Promise<Listed<Row>> {
  const total = known ?? (await countRows(query));
  const { skip, size, is_backward } = nearerEnd(window, total);
  if (size === 0) return { rows: [], total };
  let ordered = query;
  for (const column of columns)
    ordered = ordered.orderBy(column, is_backward === (direction === "asc") ? "desc" : "asc");
  const rows = await ordered.limit(size).offset(skip).execute();
  return { rows: is_backward ? rows.reverse() : rows, total };
}

/** The same rows, counted from the end of the list that is nearer to them. */
export function nearerEnd({ limit, offset }: Window, total: number) {
  const size = Math.max(0, Math.min(limit, total - offset)),
    after = total - offset - size,
    is_backward = size > 0 && after < offset;
  return { size, skip: is_backward ? after : offset, is_backward };
}

/** How many rows a query finds. */
export const countRows = async (query: SelectQueryBuilder<any, any, any>): Promise<number> =>
  toNumber(
    (
      await query
        .clearSelect()
        .select((e) => e.fn.countAll().as("total"))
        .executeTakeFirst()
    )?.total,
  );
