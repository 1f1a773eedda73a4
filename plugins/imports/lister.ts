/**
 * The job that finds out what a run has to import: items are written as they are listed, and their
 * import begins at once.
 */
import type { Db, JobEffect, JobRun } from "../../core/sdk";
import { findSource, isActive, type ImportContext } from "./context";
import { SourceFailure, type ImportSource, type SourceItem } from "./contract";
import { fetchTarget } from "./fetcher";
import * as itemStore from "./item-store";
import { items_max } from "./limits";
import { cancelIfUnfinished, endRunIfDone, errorColumns, newItem, type Failure } from "./runs";
import { RunTools } from "./source-tools";
import * as store from "./store";
import type { ItemRow, RunState } from "./store";

type Payload = { readonly run_id: string };

/** Items written in one transaction. */
const batch_items = 200;
/** Longest name of an item, UTF-16 units: more than a document or a folder may have. */
const name_length_max = 1_000;
/** Longest address of an item, UTF-16 units. */
const uri_length_max = 4_096;

/** Lists the items of a run. */
export async function listItems(
  ctx: ImportContext,
  { run_id }: Payload,
  job: JobRun,
): Promise<JobEffect | void> {
  const run = await store.findUnfinished(ctx.db, run_id);
  if (!run || run.listed === 1) return;
  if (!(await isActive(ctx, run.owner_id))) return (tx) => cancelIfUnfinished(ctx, tx, run_id);
  const given = await store.sourceOf(ctx.db, run_id);
  const source = findSource(ctx, given.type);
  if (!source)
    return (tx) =>
      endListing(ctx, tx, run_id, {
        code: "unreadable",
        message: `There is no kind of source ${given.type} any more.`,
      });
  if (run.status === "pending" && !(await store.startRun(ctx.db, run_id, ctx.now_ms()))) return;
  const tools = new RunTools(ctx, run_id, job.signal);
  try {
    if (!(await writeItems(ctx, run, source, source.items(given, tools), job.signal))) return;
    return (tx) => endListing(ctx, tx, run_id, null);
  } catch (error) {
    job.signal.throwIfAborted();
    if (!(error instanceof SourceFailure)) throw error;
    return (tx) => endListing(ctx, tx, run_id, error);
  } finally {
    await tools.close();
  }
}

/** The last attempt has failed, or crashed. */
export const listingExhausted = (ctx: ImportContext, tx: Db, { run_id }: Payload): Promise<void> =>
  endListing(ctx, tx, run_id, {
    code: "internal_error",
    message:
      "The source could not be read, although it was tried several times. The log of the " +
      "server has the reason.",
  });

/** All items are known; `error` tells why some are not. */
async function endListing(
  ctx: ImportContext,
  tx: Db,
  run_id: string,
  error: Failure | null,
): Promise<void> {
  if (!(await store.findUnfinished(tx, run_id))) return;
  const run = await store.updateRun(tx, run_id, { listed: 1, ...errorColumns(error) });
  await endRunIfDone(ctx, tx, run!);
}

/** False when the run has ended meanwhile. @throws SourceFailure, after what was listed before. */
async function writeItems(
  ctx: ImportContext,
  run: RunState,
  source: ImportSource,
  items: AsyncIterable<SourceItem>,
  signal: AbortSignal,
): Promise<boolean> {
  const first_ordinal = await itemStore.nextOrdinal(ctx.db, run.id);
  const writer = new ItemWriter(ctx, run, source.read !== undefined, first_ordinal);
  let listed = 0;
  try {
    for await (const item of items) {
      signal.throwIfAborted();
      if (++listed > items_max)
        throw new SourceFailure(
          `The source has more than ${items_max} items, the most that one import takes.`,
        );
      if (!(await writer.add(withinLimits(item)))) return false;
    }
    return await writer.flush();
  } catch (error) {
    if (error instanceof SourceFailure) await writer.flush();
    throw error;
  }
}

/** Writes items in batches, and queues the import of their hosts. */
class ItemWriter {
  private batch: SourceItem[] = [];

  /** `reads_itself`: the source reads its items, so none belongs to a host. */
  constructor(
    private readonly ctx: ImportContext,
    private readonly run: RunState,
    private readonly reads_itself: boolean,
    private ordinal: number,
  ) {}

  /** False when the run has ended meanwhile. */
  async add(item: SourceItem): Promise<boolean> {
    this.batch.push(item);
    return this.batch.length < batch_items || this.flush();
  }

  /** As `add`. */
  async flush(): Promise<boolean> {
    const rows = this.batch.map((item) => this.toRow(item));
    this.batch = [];
    if (rows.length === 0) return true;
    const { enqueueItems, inTransaction } = this.ctx;
    return inTransaction(async (tx) => {
      if (!(await store.findUnfinished(tx, this.run.id))) return false;
      const added = await itemStore.insertItems(tx, rows);
      const pending = added.filter(({ status }) => status === "pending");
      await store.addCounts(tx, this.run.id, {
        total: added.length,
        failed: added.filter(({ status }) => status === "failed").length,
      });
      for (const host of new Set(pending.map((item) => item.host)))
        await enqueueItems(tx, this.run, host);
      return true;
    });
  }

  private toRow({ uri, name, folder, locator, error }: SourceItem): ItemRow {
    return newItem({
      id: this.ctx.newId("itm"),
      run_id: this.run.id,
      ordinal: this.ordinal++,
      uri,
      name: name ?? null,
      subfolder: folder ?? null,
      locator: locator ?? null,
      host: this.reads_itself || error !== undefined ? "" : hostOf(uri),
      status: error === undefined ? "pending" : "failed",
      ...errorColumns(error === undefined ? null : { code: itemStore.unlisted, message: error }),
    });
  }
}

/** The host of an address; the worker of the host "" refuses what is no address. */
const hostOf = (uri: string): string => (URL.canParse(uri) ? new URL(uri).host : "");

/** An item whose address is refused fails when it is fetched; a dry run tells before. */
export function withRefusal(item: SourceItem): SourceItem {
  try {
    if (item.error === undefined) fetchTarget(item.uri);
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    return { ...item, error: error.message };
  }
  return item;
}

const cut = (name: string): string => name.slice(0, name_length_max).toWellFormed();

/** Long names are cut. An item whose address is too long is cut too, and fails. */
export const withinLimits = (item: SourceItem): SourceItem =>
  item.uri.length <= uri_length_max
    ? {
        ...item,
        ...(item.name === undefined ? {} : { name: cut(item.name) }),
        ...(item.folder === undefined ? {} : { folder: cut(item.folder) }),
      }
    : {
        uri: item.uri.slice(0, uri_length_max).toWellFormed(),
        error: `Its address has more than ${uri_length_max} characters, the most that is kept.`,
      };
