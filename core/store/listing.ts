/** Pages of long lists, as cheap at the end of a list as at its beginning. */
import { sql, type SelectQueryBuilder } from "kysely";
import { nextTurn, PartSize } from "../lib/chunked-work";
import { toNumber } from "./columns";

/** A range of rows: `limit` rows after `offset`. */
export interface Window {
  readonly limit: number;
  readonly offset: number;
}
/** A page of a list. */
export interface Listed<Row> {
  readonly rows: Row[];
  /** The size of the whole list. */
  readonly total: number;
}
/** The columns that order a list; no two rows have the same values in them. */
export interface ListOrder {
  readonly columns: readonly string[];
  readonly direction: "asc" | "desc";
}
const newest_first: ListOrder = { columns: ["created_at", "id"], direction: "desc" };

/** Which page of a list, and in which order. */
export interface ListingOptions extends Window {
  /** The size of the list if it is already known; otherwise the rows are counted. */
  readonly total?: number | undefined;
  /** Default: newest first. */
  readonly order?: ListOrder;
}

/**
 * One page of the rows found by `query`. An index must have the columns of the order after those
 * that `query` compares: then the rows before the page are skipped in the index alone, and never
 * more than half of the list, because the page is read from the nearer end.
 */
export async function listPage<Row>(
  query: SelectQueryBuilder<any, any, Row>,
  { total: known_total, order: { columns, direction } = newest_first, ...window }: ListingOptions,
): Promise<Listed<Row>> {
  const total = known_total ?? (await countRows(query));
  const { skip, size, is_backward } = nearerEnd(window, total);
  if (size === 0) return { rows: [], total };
  const read_direction = is_backward === (direction === "asc") ? "desc" : "asc";
  const rows = await inOrder(query, { columns, direction: read_direction })
    .limit(size)
    .offset(skip)
    .execute();
  return { rows: is_backward ? rows.reverse() : rows, total };
}

/** A page of a list whose rows may be long. */
export interface ListedInParts<Row> {
  /** The rows, read when they are asked for. One that was deleted meanwhile is missing. */
  readonly parts: AsyncGenerator<Row[], void>;
  /** The size of the whole list. */
  readonly total: number;
}

/** Like `listPage`, for rows that may be so long that a page of them should not be in memory. */
export async function listInParts<Row extends { readonly id: string }>(
  query: SelectQueryBuilder<any, any, Row>,
  options: ListingOptions,
): Promise<ListedInParts<Row>> {
  const { rows, total } = await listPage<Pick<Row, "id">>(
    query.clearSelect().select("id"),
    options,
  );
  const ids = rows.map(({ id }) => id);
  return { parts: partsOf(query, ids), total };
}

/** Rows in the first part, before it is known how long they are. */
const first_part_rows = 8;
/** How long a part should be, in characters, and how many times as many rows as the last it has. */
const part_chars = 128 * 1024;
const part_growth_max = 4;

async function* partsOf<Row extends { readonly id: string }>(
  query: SelectQueryBuilder<any, any, Row>,
  ids: readonly string[],
): AsyncGenerator<Row[], void> {
  let size = first_part_rows;
  for (let at = 0; at < ids.length;) {
    const part_ids = ids.slice(at, at + size);
    at += part_ids.length;
    const rows = await query.where("id", "in", part_ids).execute();
    const rows_by_id = new Map(rows.map((row) => [row.id, row]));
    yield part_ids.flatMap((id) => rows_by_id.get(id) ?? []);
    const chars = rows.reduce((sum, row) => sum + charsOf(row), 1);
    const fitting_rows = Math.floor((part_chars * part_ids.length) / chars);
    // Later rows may be much longer.
    size = Math.max(1, Math.min(fitting_rows, part_growth_max * size));
  }
}

const charsOf = (row: object): number =>
  Object.values(row).reduce(
    (sum: number, value) => sum + (typeof value === "string" ? value.length : 0),
    0,
  );

/** The same rows, counted from the nearer end of the list. */
export function nearerEnd({ limit, offset }: Window, total: number) {
  const size = Math.max(0, Math.min(limit, total - offset));
  const after = total - offset - size;
  const is_backward = size > 0 && after < offset;
  return { size, skip: is_backward ? after : offset, is_backward };
}

/** The number of rows that a query finds. */
export const countRows = async (query: SelectQueryBuilder<any, any, any>): Promise<number> =>
  toNumber(
    (
      await query
        .clearSelect()
        .select((e) => e.fn.countAll().as("total"))
        .executeTakeFirst()
    )?.total,
  );

type Rows<Row = any> = SelectQueryBuilder<any, any, Row>;
/** Bounds for some rows of a list, and how many of them `query` finds. */
interface Stretch {
  readonly within: <R>(rows: Rows<R>) => Rows<R>;
  readonly count: number;
}
/** How long rows are examined before yielding to the event loop. */
const stretch_ms = 8;
/** Never fewer than the first value: a remote database takes longer to respond at all. */
const stretch_rows = { first: 500, max: 8_000 };

/**
 * One page of the rows found by both `inner` and `query`: an index covers `inner`, but not
 * everything that `query` compares. All rows of `inner` are examined, in stretches between which
 * the event loop serves others.
 */
export async function listInStretches<Row>(
  query: Rows<Row>,
  inner: Rows,
  { limit, offset, order = newest_first }: Window & { readonly order?: ListOrder },
): Promise<Listed<Row>> {
  const rows: Row[] = [];
  let total = 0;
  for await (const { within, count } of stretchesOf(query, inner, order)) {
    const skip = Math.max(0, offset - total);
    const rows_left = limit - rows.length;
    if (rows_left > 0 && skip < count) {
      const part = inOrder(within(query), order).limit(rows_left).offset(skip);
      rows.push(...(await part.execute()));
    }
    total += count;
  }
  return { rows, total };
}

async function* stretchesOf(
  query: Rows,
  inner: Rows,
  order: ListOrder,
): AsyncGenerator<Stretch, void> {
  const [beyond, up_to] = order.direction === "asc" ? [">", "<="] : ["<", ">="];
  const position = sql`(${sql.join(order.columns.map((column) => sql.ref(column)))})`;
  const position_names = order.columns.map((_, at) => `place_${at}`);
  const limitBy = (operator: string, end: Record<string, unknown> | undefined) => {
    const values = end && sql`(${sql.join(position_names.map((name) => end[name]))})`;
    const condition = values && sql<boolean>`${position} ${sql.raw(operator)} ${values}`;
    return <R>(rows: Rows<R>): Rows<R> => (condition ? rows.where(condition) : rows);
  };
  const size = new PartSize(stretch_rows, stretch_ms);
  for (let after = limitBy(beyond!, undefined); ;) {
    const begun_ms = performance.now();
    const end: Record<string, unknown> | undefined = await inOrder(after(inner), order)
      .clearSelect()
      .select(order.columns.map((column, at) => sql.ref(column).as(position_names[at]!)))
      .limit(1)
      .offset(Math.max(size.size, stretch_rows.first) - 1)
      .executeTakeFirst();
    const from = after;
    const until = limitBy(up_to!, end);
    const within = <R>(rows: Rows<R>): Rows<R> => until(from(rows));
    yield { within, count: await countRows(within(query)) };
    size.took(performance.now() - begun_ms);
    if (!end) return;
    after = limitBy(beyond!, end);
    await nextTurn();
  }
}

function inOrder<Row>(rows: Rows<Row>, { columns, direction }: ListOrder): Rows<Row> {
  for (const column of columns) rows = rows.orderBy(column, direction);
  return rows;
}
