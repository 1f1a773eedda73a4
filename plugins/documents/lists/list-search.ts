/**
 * Finds those links of a folder that match a filter for which there is no index, in stretches
 * between which the event loop serves others.
 */
import { nextTurn, PartSize } from "../../../core/lib/chunked-work";
import { countRows, nearerEnd } from "../../../core/sdk";
import type { Sortable } from "./list-order";
import {
  idsOf,
  isAgainstIndex,
  isBeyond,
  isUpTo,
  readOrder,
  readRows,
  sorted,
  type LinkOrder,
  type LinkPosition,
  type Links,
  type Window,
} from "./list-links";

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
