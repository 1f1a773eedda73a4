/**
 * The job that lists the items of a run: they are written as they are listed, and their import
 * starts at once.
 */
import { createHash } from "node:crypto";
import { nextTurn } from "../../core/lib/chunked-work";
import type { Db, JobEffect, JobRun } from "../../core/sdk";
import { isActive, type ImportContext } from "./context";
import { SourceFailure, type SourceItem } from "./contract";
import { fetchTarget } from "./fetcher";
import { errorColumns, type Failure } from "./failures";
import * as itemStore from "./item-store";
import { items_max, name_length_max, uri_length_max } from "./limits";
import { endGone, endMissing, endUnchanged, gone_at_once } from "./source-history";
import { cancelIfUnfinished, endRunIfDone, newItem } from "./runs";
import type { SecretHider } from "./secrets";
import { openSource, type SourceAccess } from "./source-tools";
import * as store from "./store";
import type { ItemRow, ItemStatus, RunState } from "./store";

type Payload = { readonly run_id: string };

/** Items per transaction. */
const batch_items = 50;
const etag_length_max = 256;

/** Lists the items of a run. */
export async function listItems(
  ctx: ImportContext,
  { run_id }: Payload,
  job: JobRun,
): Promise<JobEffect | void> {
  const run = await store.findUnfinished(ctx.db, run_id);
  if (!run || run.listed === 1) return;
  if (!(await isActive(ctx, run.owner_id))) return (tx) => cancelIfUnfinished(ctx, tx, run_id);
  const access = await openSource(ctx, run_id, job.signal);
  if (access instanceof SourceFailure) return (tx) => endListing(ctx, tx, run_id, access);
  const { tools, hider } = access;
  try {
    if (run.status === "pending" && !(await store.startRun(ctx.db, run_id, ctx.now_ms()))) return;
    if (!(await writeItems(ctx, run, access, job.signal))) return;
    return (tx) => endListing(ctx, tx, run_id, null);
  } catch (caught) {
    job.signal.throwIfAborted();
    const error = hider.error(caught);
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
      "The source could not be read after several attempts. The server's log has the reason.",
  });

/** All items are known; `error` explains why some are not. */
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

/**
 * False when the run has ended meanwhile. @throws SourceFailure, after writing what was listed
 * before.
 */
async function writeItems(
  ctx: ImportContext,
  run: RunState,
  { source, fields, tools, hider }: SourceAccess,
  signal: AbortSignal,
): Promise<boolean> {
  const first_ordinal = await itemStore.nextOrdinal(ctx.db, run.id);
  const writer = new ItemWriter(ctx, run, source.read !== undefined, first_ordinal);
  let listed = 0;
  try {
    for await (const item of source.items(await fields(), tools)) {
      signal.throwIfAborted();
      if (++listed > items_max)
        throw new SourceFailure(
          `The source has more items than the limit of ${items_max} per import.`,
        );
      if (!(await writer.add(withinLimits(item, hider)))) return false;
    }
    if (!(await writer.flush())) return false;
    return !tools.is_complete || (await endMissing(ctx, run, writer.nextOrdinal, signal));
  } catch (error) {
    if (error instanceof SourceFailure) await writer.flush();
    throw error;
  }
}

/** Writes items in batches, and enqueues the import of their hosts. */
class ItemWriter {
  private batch: SourceItem[] = [];
  private gone_uris: string[] = [];

  /** `reads_itself`: the source reads its items, so none belongs to a host. */
  constructor(
    private readonly ctx: ImportContext,
    private readonly run: RunState,
    private readonly reads_itself: boolean,
    private ordinal: number,
  ) {}

  readonly nextOrdinal = (): number => this.ordinal++;

  /** False when the run has ended meanwhile. */
  async add(item: SourceItem): Promise<boolean> {
    if (item.gone) this.gone_uris.push(item.uri);
    else this.batch.push(item);
    const is_full = this.batch.length >= batch_items || this.gone_uris.length >= gone_at_once;
    return !is_full || this.flush();
  }

  /** As `add`. */
  async flush(): Promise<boolean> {
    const rows = this.batch.map((item) => this.toRow(item));
    const uris = this.gone_uris;
    this.batch = [];
    this.gone_uris = [];
    if (rows.length > 0 && !(await this.insert(rows))) return false;
    // A source may have all its items ready.
    await nextTurn();
    return uris.length === 0 || endGone(this.ctx, this.run, uris, this.nextOrdinal);
  }

  private insert(rows: readonly ItemRow[]): Promise<boolean> {
    const { enqueueItems, inTransaction } = this.ctx;
    return inTransaction(async (tx) => {
      if (!(await store.findUnfinished(tx, this.run.id))) return false;
      const items = await endUnchanged(this.ctx, tx, this.run, rows);
      const added = await itemStore.insertItems(tx, items);
      const count = (counted: ItemStatus): number =>
        added.filter(({ status }) => status === counted).length;
      const pending = added.filter(({ status }) => status === "pending");
      await store.addCounts(tx, this.run.id, {
        total: added.length,
        failed: count("failed"),
        succeeded: count("skipped"),
        skipped: count("skipped"),
      });
      for (const host of new Set(pending.map((item) => item.host)))
        await enqueueItems(tx, this.run, host);
      return true;
    });
  }

  private toRow({ uri, name, folder, locator, etag, error }: SourceItem): ItemRow {
    return newItem({
      id: this.ctx.newId("itm"),
      run_id: this.run.id,
      ordinal: this.nextOrdinal(),
      uri,
      name: name ?? null,
      subfolder: folder ?? null,
      locator: locator ?? null,
      etag: etag === undefined ? null : shortTag(etag),
      host: this.reads_itself || error !== undefined ? "" : hostOf(uri),
      status: error === undefined ? "pending" : "failed",
      ...errorColumns(error === undefined ? null : { code: itemStore.unlisted, message: error }),
    });
  }
}

/** The host of an address; the worker of the host "" rejects invalid addresses. */
const hostOf = (uri: string): string => (URL.canParse(uri) ? new URL(uri).host : "");

/** An item with a forbidden address fails when it is fetched; a dry run reports it before. */
export function withRefusal(item: SourceItem): SourceItem {
  try {
    if (item.error === undefined) fetchTarget(item.uri);
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    return { ...item, error: error.message };
  }
  return item;
}

/** A long entity tag is stored as its digest. */
const shortTag = (etag: string): string =>
  etag.length <= etag_length_max ? etag : createHash("sha256").update(etag).digest("base64url");

const cut = (name: string): string => name.slice(0, name_length_max).toWellFormed();

/**
 * Long names are cut. An item whose address is too long is cut too, and fails; so does one whose
 * address contains a secret of the source, because addresses are shown.
 */
export function withinLimits(item: SourceItem, hider: SecretHider): SourceItem {
  const { uri, name, folder, error } = item;
  if (uri.length > uri_length_max)
    return {
      uri: hider.text(uri).slice(0, uri_length_max).toWellFormed(),
      error: `Its address is longer than the limit of ${uri_length_max} characters.`,
    };
  if (hider.has(uri))
    return {
      uri: hider.text(uri),
      error: "Its address contains a secret of the source, and addresses are shown in the import.",
    };
  return {
    ...item,
    ...(name === undefined ? {} : { name: cut(hider.text(name)) }),
    ...(folder === undefined ? {} : { folder: cut(hider.text(folder)) }),
    ...(error === undefined ? {} : { error: hider.text(error) }),
  };
}
