/** The rules about import runs. Knows nothing of HTTP requests and writes no SQL. */
import {
  badRequest,
  compileChecker,
  conflict,
  forbidden,
  HttpError,
  notFound,
  t,
  unavailable,
  type Checker,
  type Context,
  type Db,
  type PageRequest,
} from "../../core/sdk";
import type { Folders } from "../folders/contract";
import { SourceFailure, type ImportSource, type SourceItem } from "./contract";
import type { Ending } from "./runs";
import type { RobotsOfRun } from "./robots";
import { ListItems } from "./jobs";
import { source_length_max } from "./limits";
import { fitting, queueHost, withRefusal } from "./lister";
import * as itemStore from "./item-store";
import * as store from "./store";
import type { ImportsDb, ItemRow, ItemStatus, RunRow, RunState } from "./store";
import type { ToolsOfRun } from "./source-tools";

export interface GivenSource {
  readonly type: string;
}
export interface NewImport {
  readonly folder_id: string;
  readonly source: GivenSource;
  readonly overwrite?: boolean;
}
export interface Preview {
  readonly items: readonly SourceItem[];
  readonly more: boolean;
}

export interface ImportsParts {
  readonly db: ImportsDb;
  readonly inTransaction: <R>(work: (tx: Db<any>) => Promise<R>) => Promise<R>;
  readonly enqueue: Context["enqueue"];
  readonly now_ms: () => number;
  readonly newId: (prefix: string) => string;
  readonly folders: Folders;
  readonly ending: Ending;
  readonly sources: () => readonly ImportSource[];
  readonly created: (run: RunState) => void;
  readonly toolsOf: (run_id: string | null, robots: RobotsOfRun, signal: AbortSignal) => ToolsOfRun;
}

/** Runs of one owner that have not ended. */
export const unfinished_max = 100;
/** Shown by a dry run, which ends after so long, and of which so many run at a time. */
const preview_items_max = 1_000;
const preview_ms_max = 30_000;
const previews_max = { in_all: 8, of_owner: 2 };

/** A run before anything has happened. */
export const newRun = (
  values: Pick<
    RunRow,
    "id" | "owner_id" | "folder_id" | "kind" | "source" | "overwrite" | "schedule_id" | "created_at"
  >,
): RunRow => ({
  ...values,
  status: "pending",
  error_code: null,
  error: null,
  listed: 0,
  total: 0,
  succeeded: 0,
  failed: 0,
  skipped: 0,
  kept_url: null,
  kept_sha256: null,
  started_at: null,
  finished_at: null,
});

export function createImports({
  db,
  inTransaction,
  enqueue,
  now_ms,
  newId,
  folders,
  ending,
  sources,
  created,
  toolsOf,
}: ImportsParts) {
  const checkers = new Map<ImportSource, Checker>();
  /** Whose dry runs are under way. */
  const previewing: string[] = [];

  /**
   * What will be listed: only the fields that the source knows; `text` is what is kept of it.
   * @throws HttpError 400
   */
  async function checked(given: GivenSource): Promise<{
    readonly source: ImportSource;
    readonly fields: Record<string, unknown>;
    readonly text: string;
  }> {
    const source = sources().find(({ type }) => type === given.type);
    if (!source)
      throw badRequest(
        `The source type must be one of ${sources()
          .map(({ type }) => type)
          .join(", ")}.`,
        "/source/type",
      );
    const checker = checkers.get(source) ?? compileChecker(t.Object({ source: source.schema }));
    checkers.set(source, checker);
    checker.check({ source: given });
    const fields: Record<string, unknown> = { type: source.type };
    for (const name of Object.keys(source.schema.properties))
      if (name in given) fields[name] = given[name as never];
    const text = JSON.stringify(fields);
    if (text.length > source_length_max)
      throw badRequest(
        `The source may have at most ${source_length_max.toLocaleString("en-US")} characters. Import it in several parts.`,
        "/source",
      );
    await source.check?.(fields);
    return { source, fields, text };
  }

  const requireRoom = async (tx: Db<any>, owner_id: string): Promise<void> => {
    if ((await store.countUnfinished(tx, owner_id)) >= unfinished_max)
      throw forbidden(
        `At most ${unfinished_max} imports of one user may be under way. Wait for one to end, or cancel it.`,
        "quota_exceeded",
      );
  };

  const requireOwn = async (from: Db, owner_id: string, run_id: string): Promise<RunRow> => {
    const run = await store.findRun(from, run_id);
    if (!run) throw notFound("import");
    if (run.owner_id !== owner_id) throw forbidden("This import belongs to another user.");
    return run;
  };

  const queueListing = (
    tx: Db<any>,
    { id, owner_id }: Pick<RunRow, "id" | "owner_id">,
  ): Promise<void> =>
    enqueue(
      tx,
      ListItems,
      { run_id: id },
      {
        key: id,
        queue: `imports of ${owner_id}`,
        queue_concurrency: 2,
        owner: owner_id,
        subject: id,
      },
    );

  async function begin(
    tx: Db<any>,
    owner_id: string,
    values: {
      readonly folder_id: string;
      readonly source: string;
      readonly overwrite: boolean;
      readonly schedule_id: string | null;
    },
  ): Promise<RunRow> {
    const { folder_id, source, overwrite, schedule_id } = values;
    const run = newRun({
      id: newId("imp"),
      owner_id,
      folder_id,
      kind: "source",
      source,
      overwrite: overwrite ? 1 : 0,
      schedule_id,
      created_at: now_ms(),
    });
    await store.insertRun(tx, run);
    created(run);
    await queueListing(tx, run);
    return run;
  }

  return {
    checked,
    begin,

    /**
     * @throws HttpError 400 on a source that can't be, 403 and 404 on the folder, 403 when too many
     * runs are under way.
     */
    async create(
      owner_id: string,
      { folder_id, source: given, overwrite = false }: NewImport,
    ): Promise<RunRow> {
      const { text: source } = await checked(given);
      return inTransaction(async (tx) => {
        await folders.require(tx, owner_id, folder_id);
        await requireRoom(tx, owner_id);
        return begin(tx, owner_id, { folder_id, source, overwrite, schedule_id: null });
      });
    },

    /** What it would import. @throws HttpError 400 when the source can't be read, 403, 404, 503. */
    async preview(
      owner_id: string,
      { folder_id, source: given }: NewImport,
      signal: AbortSignal,
    ): Promise<Preview> {
      const { source, fields } = await checked(given);
      await folders.require(db, owner_id, folder_id);
      if (
        previewing.length >= previews_max.in_all ||
        previewing.filter((one) => one === owner_id).length >= previews_max.of_owner
      )
        throw unavailable("Too many sources are being looked at; try again.", 5);
      previewing.push(owner_id);
      const late = AbortSignal.timeout(preview_ms_max);
      const tools = toolsOf(null, new Map(), AbortSignal.any([signal, late]));
      try {
        const items = new Map<string, SourceItem>();
        for await (const item of source.items(fields, tools)) {
          if (items.size >= preview_items_max) return { items: [...items.values()], more: true };
          items.set(item.uri, source.read ? fitting(item) : withRefusal(fitting(item)));
        }
        return { items: [...items.values()], more: false };
      } catch (error) {
        if (late.aborted)
          throw unavailable(
            `The source could not be looked through within ${preview_ms_max / 1_000} s. Import it without dry_run, or try again.`,
            5,
          );
        throw error instanceof SourceFailure
          ? badRequest(error.message, "/source", "source_unreadable")
          : error;
      } finally {
        previewing.splice(previewing.indexOf(owner_id), 1);
        await tools.close();
      }
    },

    get: (owner_id: string, run_id: string): Promise<RunRow> => requireOwn(db, owner_id, run_id),
    list: (owner_id: string, page: PageRequest) => store.listRuns(db, owner_id, page),

    async items(
      owner_id: string,
      run_id: string,
      status: ItemStatus | undefined,
      page: PageRequest,
    ): Promise<{ readonly rows: ItemRow[]; readonly total: number }> {
      await requireOwn(db, owner_id, run_id);
      return itemStore.listItems(db, run_id, status, page);
    },

    /** What is finished stays. @throws HttpError 403, 404, 409 when it has ended. */
    cancel: (owner_id: string, run_id: string): Promise<RunRow> =>
      inTransaction(async (tx) => {
        const run = await requireOwn(tx, owner_id, run_id);
        if (run.finished_at !== null)
          throw conflict(`The import has ended already (${run.status}).`, "import_ended");
        await ending.cancel(tx, run);
        return requireOwn(tx, owner_id, run_id);
      }),

    /**
     * Imports the failed items again, and lists the source again when that had failed, in part or
     * as a whole. @throws HttpError 403, also when too many runs are under way, 404, 409 when there
     * is nothing to retry.
     */
    retry: (owner_id: string, run_id: string): Promise<RunRow> =>
      inTransaction(async (tx) => {
        const { source, ...before } = await requireOwn(tx, owner_id, run_id);
        refuseRetry(before);
        await folders.require(tx, owner_id, before.folder_id);
        await requireRoom(tx, owner_id);
        const unlisted = await itemStore.forgetUnlisted(tx, run_id);
        const again = await itemStore.reopenFailed(tx, run_id);
        const run = (await store.updateRun(tx, run_id, {
          status: "running",
          finished_at: null,
          error_code: null,
          error: null,
          total: before.total - unlisted,
          failed: before.failed - unlisted - again,
          listed: before.error === null && unlisted === 0 ? 1 : 0,
        }))!;
        if (run.listed === 0) await queueListing(tx, run);
        for (const host of await itemStore.waitingHosts(tx, run_id))
          await queueHost(enqueue, tx, run, host);
        return { ...run, source };
      }),
  };
}
export type ImportService = ReturnType<typeof createImports>;

/** @throws HttpError 409 */
function refuseRetry({ finished_at, status, kind, failed, error }: RunState): void {
  const refuse = (why: string): HttpError => conflict(why, "nothing_to_retry");
  if (finished_at === null) throw refuse("The import is still under way.");
  if (status === "cancelled") throw refuse("A cancelled import can't be retried; begin a new one.");
  if (kind === "device")
    throw refuse("Files of your device can't be fetched again; send them again.");
  if (failed === 0 && error === null) throw refuse("Nothing of this import has failed.");
}
