/**
 * The job that imports items: those of one host of a run one after another, while documents of the
 * previous ones are still being created.
 */
import { HttpError, type Db, type JobEffect, type JobRun } from "../../core/sdk";
import { isActive, type ImportContext } from "./context";
import { SourceFailure } from "./contract";
import { HostBusy } from "./fetcher";
import { ingest, type ItemFile } from "./ingestion";
import type { Failure } from "./failures";
import * as itemStore from "./item-store";
import { failHost } from "./host-failure";
import { cancelIfUnfinished, endItem } from "./runs";
import { openSource, type SourceAccess } from "./source-tools";
import * as store from "./store";
import type { ItemRow, RunState } from "./store";

type Payload = { readonly run_id: string; readonly host: string };

/** After this time a job gives up its place to the next one. */
const turn_ms = 20_000;
/** Items per read of the database. */
const batch_items = 50;
/** Documents being created while the next item is fetched. */
const ingests_max = 4;
/** Attempts at an item whose host is busy, or that fails unexpectedly. */
const tries_max = 3;
const busy_wait_ms = { default: 10_000, max: 5 * 60_000 };

/** Imports some items of one host, and enqueues itself again when there are more. */
export async function importItems(
  ctx: ImportContext,
  { run_id, host }: Payload,
  job: JobRun,
): Promise<JobEffect | void> {
  const run = await store.findUnfinished(ctx.db, run_id);
  if (!run) return;
  if (!(await isActive(ctx, run.owner_id))) return (tx) => cancelIfUnfinished(ctx, tx, run_id);
  const access = await openSource(ctx, run_id, job.signal);
  if (access instanceof SourceFailure) {
    const { code, message } = access;
    return (tx) => failHost(ctx, tx, { run_id, host, code, message });
  }
  const worker = new ItemWorker(ctx, run, host, access);
  const next_at_ms = await worker.work().finally(() => access.tools.close());
  return async (tx) => {
    if ((await itemStore.waitingItems(tx, run_id, host, -1, 1)).length > 0)
      await ctx.enqueueItems(tx, run, host, next_at_ms);
  };
}

/** The last attempt has failed, or crashed. */
export const itemsExhausted = (
  ctx: ImportContext,
  tx: Db,
  { run_id, host }: Payload,
): Promise<void> =>
  failHost(ctx, tx, {
    run_id,
    host,
    code: "internal_error",
    message: "It could not be imported after several attempts. The server's log has the reason.",
  });

/** One turn at the items of one host of a run. */
class ItemWorker {
  private readonly ingests = new Set<Promise<void>>();
  private failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly ctx: ImportContext,
    private readonly run: RunState,
    private readonly host: string,
    private readonly access: SourceAccess,
  ) {}

  /**
   * Works until the host has nothing left, needs a pause, or the turn is over. Returns when to
   * continue, epoch ms; undefined: at once.
   */
  async work(): Promise<number | undefined> {
    const { db, now_ms } = this.ctx;
    const until_ms = now_ms() + turn_ms;
    let next_at_ms: number | undefined;
    try {
      for (let after = -1; next_at_ms === undefined && now_ms() < until_ms;) {
        const items = await itemStore.waitingItems(db, this.run.id, this.host, after, batch_items);
        if (items.length === 0) break;
        for (const item of items) {
          this.access.tools.signal.throwIfAborted();
          if (this.failure || now_ms() >= until_ms) break;
          after = item.ordinal;
          next_at_ms = await this.begin(item);
          if (next_at_ms !== undefined) break;
        }
        if (this.failure) break;
      }
    } finally {
      await Promise.all(this.ingests);
    }
    if (this.failure) throw this.failure.error;
    return next_at_ms;
  }

  /**
   * When the host may be contacted again, epoch ms; undefined when the item is in progress, or has
   * failed.
   */
  private async begin(item: ItemRow): Promise<number | undefined> {
    const { source, tools, hider } = this.access;
    try {
      const file = source.read ? await this.readItem(item) : await this.fetchItem(item);
      await this.startIngest(item, file);
    } catch (caught) {
      tools.signal.throwIfAborted();
      const error = hider.error(caught);
      if (error instanceof HostBusy && item.attempts + 1 < tries_max) {
        await itemStore.updatePending(this.ctx.db, item.id, { attempts: item.attempts + 1 });
        const wait_ms = error.retry_after_ms ?? busy_wait_ms.default;
        return this.ctx.now_ms() + Math.min(wait_ms, busy_wait_ms.max);
      }
      if (error instanceof SourceFailure) await this.fail(item, error);
      else if (error instanceof HttpError && error.status < 500)
        await this.fail(item, { code: error.code, message: error.detail });
      else if (!(await this.wasLastTry(item, error))) throw error;
    }
    return undefined;
  }

  /** An item that its source reads itself. */
  private async readItem({ uri, name, locator }: ItemRow): Promise<ItemFile> {
    const { source, fields, tools } = this.access;
    const content = await source.read!(
      { uri, ...(name === null ? {} : { name }), ...(locator === null ? {} : { locator }) },
      await fields(),
      tools,
    );
    try {
      const bytes_max = tools.upload_bytes_max;
      const received = await this.ctx.files.receive(content.bytes, { bytes_max });
      const { media_type } = content;
      return { received, url: null, name: content.name, media_type, charset: null };
    } finally {
      await content.release?.();
    }
  }

  private async fetchItem({ uri }: ItemRow): Promise<ItemFile> {
    const { tools } = this.access;
    const { file_name, ...fetched } = await this.ctx.fetcher.fetch(uri, {
      bytes_max: tools.upload_bytes_max,
      robots: this.ctx.robots.ofRun(this.run.id),
      signal: tools.signal,
    });
    return { ...fetched, name: file_name };
  }

  /** Creates the document in the background; waits while too many are being created. */
  private async startIngest(item: ItemRow, file: ItemFile): Promise<void> {
    const { signal } = this.access.tools;
    const ended = ingest(this.ctx, this.run, item, file, signal)
      .catch(async (error: unknown) => {
        if (signal.aborted || !(await this.wasLastTry(item, error))) this.failure ??= { error };
      })
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => this.ingests.delete(ended));
    this.ingests.add(ended);
    if (this.ingests.size >= ingests_max) await Promise.race(this.ingests);
  }

  private fail(item: ItemRow, error: Failure): Promise<void> {
    return this.ctx.inTransaction((tx) => endItem(this.ctx, tx, item, { how: "failed", error }));
  }

  /**
   * Fails an item at its last try, so that one with an unexpected error doesn't block the others of
   * its host for ever. A full disk is not the item's fault.
   */
  private async wasLastTry(item: ItemRow, error: unknown): Promise<boolean> {
    if (error instanceof HttpError) return false;
    const attempts = item.attempts + 1;
    if (attempts >= tries_max) {
      await this.fail(item, {
        code: "internal_error",
        message:
          `It could not be imported after ${tries_max} attempts. The server's log has the ` +
          "reason.",
      });
      return true;
    }
    await itemStore.updatePending(this.ctx.db, item.id, { attempts }).catch(() => undefined);
    return false;
  }
}
