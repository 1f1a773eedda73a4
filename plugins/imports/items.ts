/**
 * The job that imports items: one host of a run after the other item, some documents being finished
 * while the next is fetched.
 */
import {
  HttpError,
  type Context,
  type Db,
  type Files,
  type JobEffect,
  type JobRun,
} from "../../core/sdk";
import { SourceFailure, type ImportSource } from "./contract";
import type { Ending, Failure } from "./runs";
import { Busy, type Fetching } from "./fetcher";
import type { RobotsOfRun } from "./robots";
import { queueHost } from "./lister";
import * as itemStore from "./item-store";
import * as store from "./store";
import type { ImportsDb, ItemRow, RunState } from "./store";
import type { Brought, Taking } from "./ingest";
import type { ToolsOfRun } from "./source-tools";

export interface WorkingParts {
  readonly db: ImportsDb;
  readonly inTransaction: <R>(work: (tx: Db<any>) => Promise<R>) => Promise<R>;
  readonly enqueue: Context["enqueue"];
  readonly now_ms: () => number;
  readonly files: Files;
  readonly fetching: Fetching;
  readonly upload_bytes_max: number;
  readonly ending: Ending;
  readonly taking: Taking;
  readonly sourceOf: (type: string) => ImportSource | undefined;
  readonly toolsOf: (run_id: string, robots: RobotsOfRun, signal: AbortSignal) => ToolsOfRun;
  readonly robotsOf: (run_id: string) => RobotsOfRun;
  readonly isActive: (owner_id: string) => Promise<boolean>;
}

/** What a source is read with. */
interface Reading {
  readonly source: ImportSource;
  readonly given: object;
  readonly tools: ToolsOfRun;
}

/** A job gives its place to the next one after so long. */
const turn_ms = 20_000;
const read_at_once = 50;
/** Documents that are being finished while the next is fetched. */
const finishing_max = 4;
/** So often an item is tried whose host says: later, or that fails in a way that nobody foresaw. */
const tries_max = 3;
const later_ms = { unsaid: 10_000, max: 5 * 60_000 };

export function createWorking(parts: WorkingParts) {
  const {
    db,
    inTransaction,
    enqueue,
    now_ms,
    ending,
    taking,
    sourceOf,
    toolsOf,
    robotsOf,
    isActive,
  } = parts;

  /** What a source reads itself. */
  async function readItem(item: ItemRow, { source, given, tools }: Reading): Promise<Brought> {
    const { uri, name, locator } = item;
    const content = await source.read!(
      { uri, ...(name === null ? {} : { name }), ...(locator === null ? {} : { locator }) },
      given,
      tools,
    );
    try {
      const received = await parts.files.receive(content.bytes, {
        bytes_max: parts.upload_bytes_max,
      });
      return {
        received,
        url: null,
        name: content.name,
        media_type: content.media_type,
        charset: null,
      };
    } finally {
      await content.release?.();
    }
  }

  async function fetchItem(
    { id }: RunState,
    { uri }: ItemRow,
    signal: AbortSignal,
  ): Promise<Brought> {
    const { received, url, media_type, charset, file_name } = await parts.fetching.get(uri, {
      bytes_max: parts.upload_bytes_max,
      robots: robotsOf(id),
      signal,
    });
    return { received, url, media_type, charset, name: file_name };
  }

  const fail = (item: ItemRow, error: Failure) =>
    inTransaction((tx) => ending.endItem(tx, item, { how: "failed", error }));

  /**
   * True when that was its last try: one item that nobody foresaw must not hold up the others of
   * its host for ever. A full disk is not its fault.
   */
  async function isLastTry(item: ItemRow, error: unknown): Promise<boolean> {
    if (error instanceof HttpError) return false;
    const last = item.attempts + 1 >= tries_max;
    if (last)
      await fail(item, {
        code: "internal_error",
        message: `It could not be imported, although it was tried ${tries_max} times. The log of the server has the reason.`,
      });
    else
      await itemStore
        .updatePending(db, item.id, { attempts: item.attempts + 1 })
        .catch(() => undefined);
    return last;
  }

  /**
   * When the host may be asked again, epoch ms; undefined when the item is on its way, or has
   * failed.
   */
  async function begin(
    run: RunState,
    item: ItemRow,
    reading: Reading,
    finish: (brought: Brought) => Promise<void>,
  ): Promise<number | undefined> {
    const { source, tools } = reading;
    try {
      await finish(
        source.read ? await readItem(item, reading) : await fetchItem(run, item, tools.signal),
      );
    } catch (error) {
      tools.signal.throwIfAborted();
      if (error instanceof Busy && item.attempts + 1 < tries_max) {
        await itemStore.updatePending(db, item.id, { attempts: item.attempts + 1 });
        return now_ms() + Math.min(error.retry_after_ms ?? later_ms.unsaid, later_ms.max);
      }
      if (error instanceof SourceFailure) await fail(item, error);
      else if (error instanceof HttpError && error.status < 500)
        await fail(item, { code: error.code, message: error.detail });
      else if (!(await isLastTry(item, error))) throw error;
    }
    return undefined;
  }

  /**
   * Works until the host has nothing left, wants a pause, or the turn is over. Answers when to go
   * on.
   */
  async function work(run: RunState, host: string, reading: Reading): Promise<number | undefined> {
    const { tools } = reading;
    const until_ms = now_ms() + turn_ms;
    const finishing = new Set<Promise<void>>();
    let failure: { readonly error: unknown } | undefined;
    const finish = async (item: ItemRow, brought: Brought): Promise<void> => {
      const ended = taking(run, item, brought, tools.signal)
        .catch(async (error: unknown) => {
          if (tools.signal.aborted || !(await isLastTry(item, error))) failure ??= { error };
        })
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => finishing.delete(ended));
      finishing.add(ended);
      if (finishing.size >= finishing_max) await Promise.race(finishing);
    };
    let later: number | undefined;
    try {
      for (let after = -1; later === undefined && now_ms() < until_ms;) {
        const items = await itemStore.waitingItems(db, run.id, host, after, read_at_once);
        if (items.length === 0) break;
        for (const item of items) {
          tools.signal.throwIfAborted();
          if (failure || now_ms() >= until_ms) break;
          after = item.ordinal;
          later = await begin(run, item, reading, (brought) => finish(item, brought));
          if (later !== undefined) break;
        }
        if (failure) break;
      }
    } finally {
      await Promise.all(finishing);
    }
    if (failure) throw failure.error;
    return later;
  }

  return {
    async run(
      { run_id, host }: { readonly run_id: string; readonly host: string },
      job: JobRun,
    ): Promise<JobEffect | void> {
      const run = await store.findUnfinished(db, run_id);
      if (!run) return;
      if (!(await isActive(run.owner_id))) return (tx) => ending.cancelIfUnfinished(tx, run_id);
      const given = await store.sourceOf(db, run_id);
      const source = sourceOf(given.type);
      if (!source)
        return (tx) =>
          ending.failHost(tx, run_id, host, {
            code: "unreadable",
            message: `There is no kind of source ${given.type} any more.`,
          });
      const tools = toolsOf(run_id, robotsOf(run_id), job.signal);
      const later = await work(run, host, { source, given, tools }).finally(() => tools.close());
      return async (tx) => {
        if ((await itemStore.waitingItems(tx, run_id, host, -1, 1)).length > 0)
          await queueHost(enqueue, tx, run, host, later);
      };
    },
    onExhausted: (
      tx: Db<any>,
      { run_id, host }: { readonly run_id: string; readonly host: string },
    ): Promise<void> =>
      ending.failHost(tx, run_id, host, {
        code: "internal_error",
        message:
          "It could not be imported, although it was tried several times. The log of the server " +
          "has the reason.",
      }),
  };
}
