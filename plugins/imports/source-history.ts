/**
 * Compares what a source has listed before with what it lists now: unchanged items are not read,
 * and documents of missing items stay or are removed, depending on the import.
 */
import type { Db } from "../../core/sdk";
import type { ImportContext } from "./context";
import * as itemStore from "./item-store";
import * as listedStore from "./source-history-store";
import { newItem } from "./runs";
import * as store from "./store";
import type { ItemRow, ListedRow, RunState } from "./store";

/** Missing items per transaction: each may be removed from its folder. */
export const gone_at_once = 20;

/**
 * The items, with unchanged ones already ended: their entity tag is that of the current document in
 * the folder they belong to.
 */
export async function endUnchanged(
  { documents }: Pick<ImportContext, "documents">,
  tx: Db,
  { source_key, overwrite }: RunState,
  items: readonly ItemRow[],
): Promise<readonly ItemRow[]> {
  const tagged = items.filter(({ etag, status }) => etag !== null && status === "pending");
  if (source_key === null || overwrite === 1 || tagged.length === 0) return items;
  const uris = tagged.map(({ uri }) => uri);
  const before = new Map(
    (await listedStore.findListed(tx, source_key, uris)).map((row) => [row.uri, row]),
  );
  const answering = await documents.findSyncedPlaces(tx, [...before.values()]);
  return items.map((item) => {
    const listed = before.get(item.uri);
    return listed && isSame(item, listed) && answering(listed)
      ? { ...item, status: "skipped", document_id: listed.document_id, folder_id: listed.folder_id }
      : item;
  });
}

const isSame = ({ etag, subfolder }: ItemRow, listed: ListedRow): boolean =>
  etag !== null &&
  listed.etag === etag &&
  listed.subfolder === subfolder &&
  listed.gone_at === null;

/**
 * Ends items that the source no longer has: one item each, and their documents according to the
 * run. Items that it never imported are left out. False when the run has ended meanwhile.
 */
export function endGone(
  ctx: ImportContext,
  { id: run_id }: RunState,
  uris: readonly string[],
  nextOrdinal: () => number,
): Promise<boolean> {
  return ctx.inTransaction(async (tx) => {
    const run = await store.findUnfinished(tx, run_id);
    if (!run) return false;
    if (run.source_key === null) return true;
    const before = (await listedStore.findListed(tx, run.source_key, uris)).filter(
      ({ gone_at }) => gone_at === null || run.gone === "remove",
    );
    const rows = before.map(({ uri, document_id, folder_id }) =>
      newItem({
        id: ctx.newId("itm"),
        run_id,
        ordinal: nextOrdinal(),
        uri,
        status: "succeeded",
        document_id,
        folder_id,
        gone: 1,
      }),
    );
    const added = new Set((await itemStore.insertItems(tx, rows)).map(({ uri }) => uri));
    for (const row of before)
      if (added.has(row.uri)) await (run.gone === "keep" ? keep : remove)(ctx, tx, run, row);
    await store.addCounts(tx, run_id, {
      total: added.size,
      succeeded: added.size,
      gone_items: added.size,
    });
    return true;
  });
}

const keep = (ctx: ImportContext, tx: Db, _run: RunState, row: ListedRow) =>
  listedStore.setGone(tx, row, ctx.now_ms());

/** Removes it from its folder, restorably, unless something else still lists it there. */
async function remove(
  { documents }: ImportContext,
  tx: Db,
  { owner_id }: RunState,
  row: ListedRow,
): Promise<void> {
  if (!(await listedStore.isListedElsewhere(tx, row)))
    await documents.takeOut(tx, owner_id, row.document_id, row.folder_id);
  await listedStore.forget(tx, row);
}

/** Ends what this source listed before, but not in this run. See `endGone`. */
export async function endMissing(
  ctx: ImportContext,
  run: RunState,
  nextOrdinal: () => number,
  signal: AbortSignal,
): Promise<boolean> {
  for (let after = ""; ;) {
    signal.throwIfAborted();
    const uris = await listedStore.findMissing(ctx.db, run, after, gone_at_once);
    if (uris.length === 0) return true;
    if (!(await endGone(ctx, run, uris, nextOrdinal))) return false;
    after = uris.at(-1)!;
  }
}
