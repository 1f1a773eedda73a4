/** The operations on transcription runs for the routes. Has no HTTP and no SQL. */
import {
  conflict,
  HttpError,
  notFound,
  requireUrl,
  type Context,
  type Db,
  type FilePart,
  type PageRequest,
  type ReceivedFile,
} from "../../core/sdk";
import type { Documents } from "../documents/contract";
import type { Folders } from "../folders/contract";
import type { Quotas } from "../quotas/contract";
import { TranscriptionFailure, type Transcriber } from "./contract";
import { kindOfFile } from "./media-types";
import { requireRun, type TranscriptionRuns } from "./runs";
import { sentTranscript, type StoredTranscript } from "./stored-transcript";
import * as store from "./store";
import type { RunRow } from "./store";

/** A recording to download. */
export interface NewUrl {
  readonly folder_id: string;
  readonly url: string;
  /** The name of the transcript; null: that of the recording. */
  readonly name: string | null;
}

/** What the service needs besides `Context`. */
export interface TranscriptionsContext extends Pick<
  Context,
  "db" | "files" | "inTransaction" | "newId" | "now_ms"
> {
  readonly documents: Documents;
  readonly folders: Folders;
  readonly quotas: Quotas;
  readonly runs: TranscriptionRuns;
  readonly transcriber: () => Transcriber | undefined;
  /** Enqueues the first step of a run. */
  readonly enqueueNext: (tx: Db, run: RunRow) => Promise<void>;
}

/** Starts, lists and cancels runs, and returns their results. */
export class Transcriptions {
  constructor(private readonly ctx: TranscriptionsContext) {}

  /**
   * Refuses early, before the bytes are read, what `addUpload` would refuse. @throws HttpError 403
   * or 404.
   */
  async admit(owner_id: string, folder_id: string, size_bytes: number): Promise<void> {
    const { db, folders, quotas, runs } = this.ctx;
    await folders.require(db, owner_id, folder_id);
    await runs.requireCapacity(db, owner_id);
    await quotas.require(db, owner_id, "documents", 1);
    await quotas.require(db, owner_id, "storage", size_bytes);
  }

  /**
   * Creates a run for the received file, which is released. If it can't be transcribed, the run has
   * failed. @throws HttpError 403, 404 or 507.
   */
  async addUpload(
    owner_id: string,
    folder_id: string,
    { name, declared_type: media_type }: FilePart,
    received: ReceivedFile,
    signal?: AbortSignal,
  ): Promise<RunRow> {
    const { documents, transcriber } = this.ctx;
    const run = this.newRun(owner_id, folder_id, name);
    const { sha256, size_bytes } = received;
    const origin = { kind: "transcription", uri: null, run_id: run.id } as const;
    try {
      const kind = await kindOfFile(received.path, transcriber()).catch((error: unknown) => {
        if (error instanceof TranscriptionFailure) return error;
        throw error;
      });
      if (kind instanceof TranscriptionFailure) return await this.insertFailed(run, kind);
      const intake = { owner_id, folder_id, name, media_type, origin, from: received };
      await documents.admit(intake, signal);
      await received.keep();
      return await this.insertPending({ ...run, ...kind, sha256, size_bytes });
    } finally {
      // Released unless the run uses it now.
      documents.removeFiles([sha256]);
      await received.release();
    }
  }

  /**
   * Creates a run for a URL, which is downloaded and checked in the background. @throws HttpError
   * 400 for an unsuitable URL, 403, 404 or 507.
   */
  async addUrl(owner_id: string, { folder_id, url, name }: NewUrl): Promise<RunRow> {
    const href = requireUrl(url, "/url");
    const run = this.newRun(owner_id, folder_id, name ?? nameOf(href));
    return this.insertPending({ ...run, url: href });
  }

  list(owner_id: string, page: PageRequest): Promise<{ rows: RunRow[]; total: number }> {
    return store.listRuns(this.ctx.db, owner_id, page);
  }

  /** @throws HttpError 403 or 404. */
  get(owner_id: string, run_id: string): Promise<RunRow> {
    return requireRun(this.ctx.db, owner_id, run_id);
  }

  /**
   * Names by run id: the document's current name, or that of the recording if there is no document
   * yet.
   */
  async names(runs: readonly RunRow[]): Promise<ReadonlyMap<string, string>> {
    const of_documents = await this.ctx.documents.findNames(
      this.ctx.db,
      runs.flatMap(({ document_id }) => document_id ?? []),
    );
    return new Map(
      runs.flatMap(({ id, document_id, name }) => {
        const current_name = document_id === null ? name : of_documents.get(document_id)?.name;
        return current_name ? [[id, current_name] as const] : [];
      }),
    );
  }

  /**
   * The original transcript, independent of later changes to the document. @throws HttpError 403,
   * 404, or 409 when there is none yet.
   */
  async result(owner_id: string, run_id: string): Promise<StoredTranscript> {
    const { status, error_message } = await this.get(owner_id, run_id);
    if (status !== "completed") {
      const reason = error_message === null ? "." : `. ${error_message}`;
      throw conflict(
        `The transcription has no result: its status is ${status}${reason}`,
        "no_result",
      );
    }
    const { db } = this.ctx;
    const head = await store.findResult(db, run_id);
    if (head === undefined)
      throw new HttpError(
        404,
        "not_found",
        "The transcript was deleted together with its document.",
      );
    return sentTranscript(db, run_id, head);
  }

  /** Stops immediately. @throws HttpError 403, 404, or 409 when the run has ended. */
  async cancel(owner_id: string, run_id: string): Promise<RunRow> {
    const { db, inTransaction, runs } = this.ctx;
    await inTransaction(async (tx) => {
      const { status } = await requireRun(tx, owner_id, run_id);
      if (!(await runs.cancel(tx, run_id)))
        throw conflict(
          `The transcription has already ended: its status is ${status}.`,
          "already_ended",
        );
    });
    const run = await store.findRun(db, run_id);
    if (!run) throw notFound("transcription");
    return run;
  }

  private newRun(owner_id: string, folder_id: string, name: string): RunRow {
    return {
      id: this.ctx.newId("trn"),
      owner_id,
      folder_id,
      status: "pending",
      name,
      url: null,
      kind: null,
      media_type: null,
      sha256: null,
      size_bytes: 0,
      progress: 0,
      duration_s: null,
      language: null,
      document_id: null,
      error_code: null,
      error_message: null,
      created_at: this.ctx.now_ms(),
      started_at: null,
      finished_at: null,
    };
  }

  private insertPending(run: RunRow): Promise<RunRow> {
    const { enqueueNext, files, inTransaction, quotas, runs } = this.ctx;
    return inTransaction(async (tx) => {
      files.requireFreeSpace();
      await runs.requireCapacity(tx, run.owner_id);
      if (run.size_bytes > 0) await quotas.charge(tx, run.owner_id, "storage", run.size_bytes);
      await this.insert(tx, run);
      // No document could be created, and hours of transcribing would be wasted.
      await quotas.require(tx, run.owner_id, "documents", 1);
      await enqueueNext(tx, run);
      return run;
    });
  }

  /** A run without any work: it only reports the reason. */
  private async insertFailed(
    run: RunRow,
    { code, message }: TranscriptionFailure,
  ): Promise<RunRow> {
    const failed: RunRow = {
      ...run,
      status: "failed",
      finished_at: run.created_at,
      error_code: code,
      error_message: message,
    };
    await this.ctx.inTransaction((tx) => this.insert(tx, failed));
    return failed;
  }

  private async insert(tx: Db, run: RunRow): Promise<void> {
    await this.ctx.folders.require(tx, run.owner_id, run.folder_id);
    await store.insertRun(tx, run);
    await this.ctx.runs.publish(tx, run, "created");
  }
}

/** The last segment of the path, or otherwise the host. */
function nameOf(href: string): string {
  const url = URL.parse(href);
  const segment = url?.pathname.split("/").at(-1) ?? "";
  if (segment === "") return url?.host ?? href;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
