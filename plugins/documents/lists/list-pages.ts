/** One page of a folder's links, read from the index of its order. */
import { countRows, nearerEnd, prepared } from "../../../core/sdk";
import type { DocumentsDb } from "../store";
import { opposite } from "./list-order";
import {
  comparedBy,
  idsOf,
  isAgainstIndex,
  isBeyond,
  keyColumn,
  linksOf,
  linksWith,
  readOrder,
  readRows,
  sorted,
  type Compared,
  type LinkFilter,
  type LinkOrder,
  type LinkPosition,
  type Links,
  type Window,
} from "./list-links";

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
