/**
 * Imports of folder archives: what is refused before anything is written, and the job that imports
 * the rest. After a crash, what was staged is removed and the job starts again.
 */
import { inParts } from "../../core/lib/chunked-work";
import { Limiter } from "../../core/lib/limiter";
import {
  badRequest,
  checkedName,
  HttpError,
  requireOwned,
  TaskFailure,
  type Context,
  type Db,
  type Isolate,
  type JobEffect,
  type JobRun,
  type Listed,
  type PageRequest,
  type ReceivedFile,
} from "../../core/sdk";
import type { Checked } from "./child/check";
import type { ImporterContext } from "./import-run";
import { FolderImporter } from "./importer";
import * as store from "./store";
import type { IdRow, ImportRow } from "./store";
import type { ArchiveTasks } from "./tasks";

/** What the service needs besides `Context`. */
export interface ArchiveImportsContext
  extends ImporterContext, Pick<Context, "cancelJobs" | "certain_now_ms" | "log"> {
  /** Queues the job; see jobs.ts. */
  readonly enqueueImport: (tx: Db, row: Pick<ImportRow, "id" | "owner_id">) => Promise<void>;
  readonly isolate: Isolate<ArchiveTasks>;
  /** Of the file, and of its uncompressed content. */
  readonly bytes_max: () => number;
  readonly keep_imports_ms: () => number;
}

/** The longest text accepted; also the limit of extraction. */
const text_units_max = 64 * 2 ** 20;
const check_memory_bytes_max = 512 * 2 ** 20;
/** How long a request waits for the check of its archive; after that the job does it. */
const patience_ms = 40_000;
const check_ms_max = 600_000;
const ids_at_once = 1_000;
/** Documents per transaction, each with two events if anybody listens. */
const announced_at_once = 50;

/** Receives, checks, runs and lists imports. */
export class ImportService {
  /** Limits the child processes that check archives: uploads need some too. */
  private readonly turns = new Limiter({ concurrency: 2, per_key: 1 });

  constructor(private readonly ctx: ArchiveImportsContext) {}

  /** The largest archive that is accepted, in bytes. */
  get bytes_max(): number {
    return this.ctx.bytes_max();
  }

  /**
   * Starts the import of an archive, and releases the file. It is validated first, unless it is so
   * large that the job has to do it.
   * @throws HttpError 400 naming what is wrong with it, 403 when a quota is reached, 413, 507
   */
  async begin(owner_id: string, received: ReceivedFile, name: string | null): Promise<ImportRow> {
    const { db, files, inTransaction, newId, now_ms, documents } = this.ctx;
    try {
      files.requireFreeSpace();
      const patience = AbortSignal.timeout(patience_ms);
      const checked = await this.check(owner_id, received.path, patience);
      if (checked) await this.requireQuotas(db, owner_id, checked);
      const row: ImportRow = {
        id: newId("fim"),
        owner_id,
        archive_sha256: received.sha256,
        status: "pending",
        name: name === null ? null : checkedName(name, "?name"),
        folder_id: null,
        checked: checked && JSON.stringify(checked),
        total: checked?.counts.documents ?? 0,
        done: 0,
        error_code: null,
        error_message: null,
        created_at: now_ms(),
        started_at: null,
        finished_at: null,
      };
      await received.keep();
      await inTransaction(async (tx) => {
        await store.insertImport(tx, row);
        await this.ctx.enqueueImport(tx, row);
      });
      return row;
    } catch (error) {
      documents.removeFiles([received.sha256]);
      throw error;
    } finally {
      await received.release();
    }
  }

  list(owner_id: string, page: PageRequest): Promise<Listed<ImportRow>> {
    return store.listImports(this.ctx.db, owner_id, page);
  }
  /** @throws HttpError 404, 403 */
  async get(owner_id: string, import_id: string): Promise<ImportRow> {
    return requireOwned(await store.findImport(this.ctx.db, import_id), owner_id, "import");
  }
  /** @throws HttpError 404, 403 */
  async listIds(owner_id: string, import_id: string, page: PageRequest): Promise<Listed<IdRow>> {
    await this.get(owner_id, import_id);
    return store.listIds(this.ctx.db, import_id, page);
  }

  /** Whether an import still needs this file. */
  isNeeded(db: Db, sha256: string): Promise<boolean> {
    return store.isNeeded(db, sha256);
  }

  /** Runs `ImportFolder`. */
  async run(import_id: string, { signal }: JobRun): Promise<void> {
    const { db, documents, files } = this.ctx;
    const row = await store.findImport(db, import_id);
    if (row?.status !== "pending" && row?.status !== "running") return;
    const unread = await files.withLocalFile(row.archive_sha256, (path) =>
      this.takeOver(row, path, signal).catch((error: unknown) => this.refuse(row, error, signal)),
    );
    documents.removeFiles([row.archive_sha256]);
    for (const document_id of unread) await documents.reindex(document_id);
  }

  /** Runs `AnnounceDocuments` for a batch, and queues itself for the rest. */
  async announce(import_id: string, after: string): Promise<JobEffect | void> {
    const { db, documents, enqueueAnnouncing } = this.ctx;
    const row = await store.findImport(db, import_id);
    const ids = await store.documentIdsAfter(db, import_id, after, announced_at_once);
    const last = ids.at(-1);
    if (!row || last === undefined) return;
    return async (tx) => {
      await documents.announce(tx, ids);
      await enqueueAnnouncing(tx, row, last);
    };
  }

  /** Called when the last attempt has failed. */
  async exhausted(tx: Db, import_id: string): Promise<void> {
    await this.fail(tx, import_id, {
      code: "import_failed",
      message: "The archive could not be imported after several attempts.",
    });
  }

  /** Runs `ForgetImports`. */
  async forget(signal: AbortSignal): Promise<void> {
    const { certain_now_ms, db, keep_imports_ms } = this.ctx;
    const ended_before = certain_now_ms() - keep_imports_ms();
    for (
      let id = await store.findEnded(db, ended_before);
      id !== undefined;
      id = await store.findEnded(db, ended_before)
    )
      await this.delete(id, signal);
  }

  /** Deletes every import of a deleted user. */
  async purgeOf(owner_id: string, signal: AbortSignal): Promise<void> {
    const { cancelJobs, db, documents, inDeletion } = this.ctx;
    for (
      let row = await store.anyImport(db, owner_id);
      row !== undefined;
      row = await store.anyImport(db, owner_id)
    ) {
      const { archive_sha256, id } = row;
      await inDeletion((tx) => cancelJobs(tx, [id]));
      await this.delete(id, signal);
      documents.removeFiles([archive_sha256]);
    }
  }

  private async delete(import_id: string, signal: AbortSignal): Promise<void> {
    const { inDeletion } = this.ctx;
    await inParts(
      () => inDeletion((tx) => store.deleteSomeIds(tx, import_id, ids_at_once)),
      signal,
    );
    await inDeletion((tx) => store.deleteImport(tx, import_id));
  }

  /** Returns the documents that have to be read. */
  private async takeOver(
    row: ImportRow,
    path: string,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { db, inDeletion, now_ms } = this.ctx;
    const checked: Checked | null =
      row.checked === null
        ? await this.check(row.owner_id, path, signal, check_ms_max)
        : JSON.parse(row.checked);
    signal.throwIfAborted();
    if (checked === null) throw new HttpError(413, "archive_too_large", takes_too_long);
    await this.requireQuotas(db, row.owner_id, checked);
    const begun = {
      ...row,
      status: "running",
      checked: JSON.stringify(checked),
      total: checked.counts.documents,
      done: 0,
      started_at: row.started_at ?? now_ms(),
    } as const;
    const { id: _id, ...values } = begun;
    await store.updateUnfinished(db, row.id, values);
    // Left by an interrupted attempt.
    await inParts(() => inDeletion((tx) => store.deleteSomeIds(tx, row.id, ids_at_once)), signal);
    const left_out = new Set(checked.left_out_parts);
    const importer = await FolderImporter.open(this.ctx, begun, path, left_out, signal);
    try {
      await importer.stage();
      signal.throwIfAborted();
      await importer.reveal();
      return importer.unread;
    } catch (error) {
      await importer.abandon();
      throw error;
    }
  }

  /** Faults of the archive and exceeded limits are reported; other errors are rethrown. */
  private async refuse(
    row: ImportRow,
    error: unknown,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    if (signal.aborted || !(error instanceof HttpError) || error.status >= 500) throw error;
    const { code, detail: message } = error;
    await this.ctx.inTransaction((tx) => this.fail(tx, row.id, { code, message }));
    return [];
  }

  private async fail(
    tx: Db,
    import_id: string,
    { code, message }: { readonly code: string; readonly message: string },
  ): Promise<void> {
    const { documents, notify, now_ms } = this.ctx;
    const row = await store.findImport(tx, import_id);
    const values = {
      status: "failed",
      error_code: code,
      error_message: message,
      name: null,
      finished_at: now_ms(),
    } as const;
    if (!row || !(await store.updateUnfinished(tx, import_id, values))) return;
    documents.removeFiles([row.archive_sha256]);
    notify({ owner_id: row.owner_id, kind: "folder_import", id: import_id, action: "changed" });
  }

  /** Early check of what would be refused at the end. @throws HttpError 403 */
  private async requireQuotas(
    db: Db,
    owner_id: string,
    { counts, storage_bytes }: Checked,
  ): Promise<void> {
    const { quotas } = this.ctx;
    await quotas.require(db, owner_id, "folders", counts.folders);
    await quotas.require(db, owner_id, "documents", counts.documents);
    await quotas.require(db, owner_id, "chats", counts.chats);
    await quotas.require(db, owner_id, "storage", storage_bytes);
  }

  /** Null when the signal fired first. @throws HttpError 400, 413 */
  private async check(
    owner_id: string,
    path: string,
    signal: AbortSignal,
    timeout_ms = patience_ms,
  ): Promise<Checked | null> {
    const { bytes_max, documents, isolate, log } = this.ctx;
    const input = {
      path,
      bytes_max: bytes_max(),
      original_bytes_max: documents.upload_bytes_max(),
      text_units_max,
    };
    const limits = { timeout_ms, memory_max_bytes: check_memory_bytes_max, signal };
    try {
      return await this.turns.run(() => isolate("check", input, limits), {
        key: owner_id,
        signal,
      });
    } catch (error) {
      if (!(error instanceof TaskFailure)) {
        if (signal.aborted) return null;
        throw error;
      }
      const { code, message, reason } = error;
      if (code === "archive_too_large") throw new HttpError(413, code, message);
      if (code === "bad_archive") throw badRequest(message, "/file", code);
      if (reason === "aborted" || reason === "timeout") return null;
      log.warn("an archive could not be checked", { reason, error: message });
      throw badRequest(unreadable, "/file", "bad_archive");
    }
  }
}

const check_minutes_max = check_ms_max / 60_000;
const takes_too_long = `The archive is refused: checking took over ${check_minutes_max} minutes.`;
const unreadable = "The archive is refused: checking it needs more memory than is allowed.";
