/**
 * The job that finds out what a run has to import: items are written down as they are listed, and
 * workers begin at once.
 */
import type { Context, Db, JobEffect, JobRun } from "../../core/sdk";
import { SourceFailure, type ImportSource, type SourceItem } from "./contract";
import { storedError, type Ending, type Failure } from "./runs";
import { targetOf } from "./fetcher";
import type { RobotsOfRun } from "./robots";
import { ImportItems } from "./jobs";
import { items_max, name_length_max, uri_length_max } from "./limits";
import * as itemStore from "./item-store";
import * as store from "./store";
import type { ImportsDb, ItemRow, RunState } from "./store";
import type { ToolsOfRun } from "./source-tools";

export interface ListingParts {
  readonly db: ImportsDb;
  readonly inTransaction: <R>(work: (tx: Db<any>) => Promise<R>) => Promise<R>;
  readonly enqueue: Context["enqueue"];
  readonly newId: (prefix: string) => string;
  readonly now_ms: () => number;
  readonly ending: Ending;
  readonly sourceOf: (type: string) => ImportSource | undefined;
  readonly toolsOf: (run_id: string, robots: RobotsOfRun, signal: AbortSignal) => ToolsOfRun;
  readonly robotsOf: (run_id: string) => RobotsOfRun;
  /** What an owner who may not sign in any more has begun ends at the next turn. */
  readonly isActive: (owner_id: string) => Promise<boolean>;
}

/** Written in one transaction. */
const batch_items = 200;
/** Hosts that a run is fetched from at the same time. */
const hosts_at_once = 4;

/** The jobs of a run share this lane and subject. */
export const queueHost = (
  enqueue: Context["enqueue"],
  tx: Db<any>,
  { id, owner_id }: Pick<RunState, "id" | "owner_id">,
  host: string,
  run_at_ms?: number,
): Promise<void> =>
  enqueue(
    tx,
    ImportItems,
    { run_id: id, host },
    {
      key: `${id} ${host}`,
      queue: `imports ${id}`,
      queue_concurrency: hosts_at_once,
      owner: owner_id,
      subject: id,
      ...(run_at_ms === undefined ? {} : { run_at_ms }),
    },
  );

export function createListing({
  db,
  inTransaction,
  enqueue,
  newId,
  now_ms,
  ending,
  sourceOf,
  toolsOf,
  robotsOf,
  isActive,
}: ListingParts) {
  /** False when the run has ended meanwhile. */
  async function write(
    run: RunState,
    items: readonly SourceItem[],
    first: number,
    local: boolean,
  ): Promise<boolean> {
    const rows = items.map((item, index): ItemRow => ({
      id: newId("itm"),
      run_id: run.id,
      ordinal: first + index,
      uri: item.uri,
      name: item.name ?? null,
      subfolder: item.folder ?? null,
      locator: item.locator ?? null,
      host: local || item.error !== undefined ? "" : hostOf(item.uri),
      status: item.error === undefined ? "pending" : "failed",
      attempts: 0,
      document_id: null,
      version: null,
      joined: 0,
      source_uri: null,
      ...storedError(
        item.error === undefined ? null : { code: itemStore.unlisted, message: item.error },
      ),
    }));
    return inTransaction(async (tx) => {
      if (!(await store.findUnfinished(tx, run.id))) return false;
      const added = await itemStore.insertItems(tx, rows);
      await store.count(tx, run.id, {
        total: added.length,
        failed: added.filter(({ status }) => status === "failed").length,
      });
      for (const host of new Set(
        added.filter(({ status }) => status === "pending").map((item) => item.host),
      ))
        await queueHost(enqueue, tx, run, host);
      return true;
    });
  }

  async function list(
    run: RunState,
    source: ImportSource,
    given: object,
    job: JobRun,
  ): Promise<boolean> {
    const tools = toolsOf(run.id, robotsOf(run.id), job.signal);
    let [listed, ordinal] = [0, await itemStore.nextOrdinal(db, run.id)];
    let batch: SourceItem[] = [];
    const flush = async (): Promise<boolean> => {
      const items = batch;
      batch = [];
      ordinal += items.length;
      return (
        items.length === 0 || write(run, items, ordinal - items.length, source.read !== undefined)
      );
    };
    try {
      for await (const item of source.items(given, tools)) {
        job.signal.throwIfAborted();
        if (++listed > items_max) {
          await flush();
          throw new SourceFailure(
            `The source has more than ${items_max} items, the most that one import takes.`,
          );
        }
        batch.push(fitting(item));
        if (batch.length >= batch_items && !(await flush())) return false;
      }
      return await flush();
    } catch (error) {
      if (error instanceof SourceFailure) await flush();
      throw error;
    } finally {
      await tools.close();
    }
  }

  /** All items are known; what was not found out is the run's error. */
  async function finish(tx: Db<any>, run_id: string, error: Failure | null): Promise<void> {
    const run = await store.findUnfinished(tx, run_id);
    if (run)
      await ending.finishIfDone(
        tx,
        (await store.updateRun(tx, run_id, { listed: 1, ...storedError(error) }))!,
      );
  }

  return {
    async run({ run_id }: { readonly run_id: string }, job: JobRun): Promise<JobEffect | void> {
      const run = await store.findUnfinished(db, run_id);
      if (!run || run.listed === 1) return;
      if (!(await isActive(run.owner_id))) return (tx) => ending.cancelIfUnfinished(tx, run_id);
      const given = await store.sourceOf(db, run_id);
      const source = sourceOf(given.type);
      if (!source)
        return (tx) =>
          finish(tx, run_id, {
            code: "unreadable",
            message: `There is no kind of source ${given.type} any more.`,
          });
      if (run.status === "pending" && !(await store.startRun(db, run_id, now_ms()))) return;
      try {
        if (!(await list(run, source, given, job))) return;
        return (tx) => finish(tx, run_id, null);
      } catch (error) {
        job.signal.throwIfAborted();
        if (!(error instanceof SourceFailure)) throw error;
        return (tx) => finish(tx, run_id, error);
      }
    },
    onExhausted: (tx: Db<any>, { run_id }: { readonly run_id: string }): Promise<void> =>
      finish(tx, run_id, {
        code: "internal_error",
        message:
          "The source could not be read, although it was tried several times. The log of the " +
          "server has the reason.",
      }),
  };
}

/**
 * The host of an address; what is no address is turned down by the worker of the host without a
 * name.
 */
const hostOf = (uri: string): string => (URL.canParse(uri) ? new URL(uri).host : "");

/**
 * Whose address is none that a user may ask for fails when it is fetched; a dry run tells before.
 */
export function withRefusal(item: SourceItem): SourceItem {
  try {
    if (item.error === undefined) targetOf(item.uri);
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    return { ...item, error: error.message };
  }
  return item;
}

const cut = (name: string): string => name.slice(0, name_length_max).toWellFormed();

/** Names are cut to what may become of them. An address that can't be kept is cut, and fails. */
export const fitting = (item: SourceItem): SourceItem =>
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
