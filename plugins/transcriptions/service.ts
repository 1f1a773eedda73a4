/**
 * What can be done with transcription runs, as the HTTP face sees it. Knows nothing of HTTP
 * requests and writes no SQL.
 */
import {
  badRequest,
  conflict,
  HttpError,
  notFound,
  readTarget,
  UnfitUrl,
  type Db,
  type FilePart,
  type PageRequest,
  type Received,
} from "../../core/sdk";
import { requireRun, type Ending } from "./runs";
import { kindOf, sight_bytes } from "./media-types";
import type { TranscriptionParts } from "./parts";
import { no_transcriber, unsupported } from "./runner";
import type { Transcript } from "./transcript";
import * as store from "./store";
import type { RunRow } from "./store";

export interface NewUrl {
  readonly folder_id: string;
  readonly url: string;
}

export function createTranscriptions(parts: TranscriptionParts, ending: Ending) {
  const { db, inTransaction, now_ms, newId, files, folders, quotas, documents, queue } = parts;

  const newRun = (owner_id: string, folder_id: string, name: string): RunRow => ({
    id: newId("trn"),
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
    created_at: now_ms(),
    started_at: null,
    finished_at: null,
  });
  const insert = async (tx: Db, run: RunRow): Promise<void> => {
    await folders.require(tx, run.owner_id, run.folder_id);
    await store.insertRun(tx, run);
    parts.changed(run, "created");
  };
  /** A run that has nothing to do: it says why. */
  const insertFailed = async (run: RunRow, code: string, message: string): Promise<RunRow> => {
    const failed: RunRow = {
      ...run,
      status: "failed",
      finished_at: run.created_at,
      error_code: code,
      error_message: message,
    };
    await inTransaction((tx) => insert(tx, failed));
    return failed;
  };
  const insertPending = (run: RunRow): Promise<RunRow> =>
    inTransaction(async (tx) => {
      files.requireRoom();
      if (run.size_bytes > 0) await quotas.charge(tx, run.owner_id, "storage", run.size_bytes);
      await insert(tx, run);
      // No document will be made: hours of hearing would be in vain.
      await quotas.require(tx, run.owner_id, "documents", 1);
      await queue(tx, run);
      return run;
    });

  return {
    /**
     * Refuses what `addUpload` would refuse, before its bytes are read. @throws HttpError 403 or
     * 404.
     */
    async admit(owner_id: string, folder_id: string, size_bytes: number): Promise<void> {
      await folders.require(db, owner_id, folder_id);
      await quotas.require(db, owner_id, "documents", 1);
      await quotas.require(db, owner_id, "storage", size_bytes);
    },

    /**
     * A run for the bytes that arrived, which are released. What can't be transcribed is a run that
     * failed. @throws HttpError 403, 404 or 507.
     */
    async addUpload(
      owner_id: string,
      folder_id: string,
      { name }: FilePart,
      received: Received,
    ): Promise<RunRow> {
      const run = newRun(owner_id, folder_id, name);
      try {
        const kind = kindOf(await Bun.file(received.path).slice(0, sight_bytes).bytes());
        if (!kind) return await insertFailed(run, "unsupported_type", unsupported);
        if (kind.kind === "recording" && !parts.transcriber())
          return await insertFailed(run, "no_transcriber", no_transcriber);
        await received.keep();
        return await insertPending({
          ...run,
          ...kind,
          sha256: received.sha256,
          size_bytes: received.size_bytes,
        });
      } finally {
        // Unless the run has it now.
        documents.removeFiles([received.sha256]);
        await received.release();
      }
    },

    /**
     * A run for an address, which is fetched and checked in the background. @throws HttpError 400
     * on what is no such address, 403, 404 or 507.
     */
    async addUrl(owner_id: string, { folder_id, url }: NewUrl): Promise<RunRow> {
      const { href } = fitTarget(url);
      return insertPending({ ...newRun(owner_id, folder_id, nameOf(href)), url: href });
    },

    list: async (owner_id: string, page: PageRequest): Promise<{ rows: RunRow[]; total: number }> =>
      store.listRuns(db, owner_id, page),
    /** @throws HttpError 403 or 404. */
    get: (owner_id: string, run_id: string): Promise<RunRow> => requireRun(db, owner_id, run_id),

    /**
     * Names by the ids of the runs: of the document as it is called now, or of the recording while
     * there is none.
     */
    async names(runs: readonly RunRow[]): Promise<ReadonlyMap<string, string>> {
      const of_documents = await documents.names(
        db,
        runs.flatMap(({ document_id }) => document_id ?? []),
      );
      return new Map(
        runs.flatMap(({ id, document_id, name }) => {
          const known = document_id === null ? name : of_documents.get(document_id)?.name;
          return known ? [[id, known] as const] : [];
        }),
      );
    },

    /**
     * What was heard, as it was heard: whatever became of the document since. @throws HttpError
     * 403, 404, or 409 while there is none.
     */
    async result(owner_id: string, run_id: string): Promise<Transcript> {
      const run = await requireRun(db, owner_id, run_id);
      if (run.status !== "completed")
        throw conflict(
          `The transcription has no result: its status is ${run.status}${run.error_message === null ? "." : `. ${run.error_message}`}`,
          "no_result",
        );
      const transcript = await store.findResult(db, run_id);
      if (transcript === undefined)
        throw new HttpError(
          404,
          "not_found",
          "The transcript was deleted together with its document.",
        );
      return JSON.parse(transcript) as Transcript;
    },

    /** Stops at once. @throws HttpError 403, 404, or 409 when the run has ended. */
    async cancel(owner_id: string, run_id: string): Promise<RunRow> {
      await inTransaction(async (tx) => {
        const run = await requireRun(tx, owner_id, run_id);
        if (!(await ending.cancel(tx, run_id)))
          throw conflict(
            `The transcription has ended already: its status is ${run.status}.`,
            "already_ended",
          );
      });
      const run = await store.findRun(db, run_id);
      if (!run) throw notFound("transcription");
      return run;
    },
  };
}
export type TranscriptionService = ReturnType<typeof createTranscriptions>;

/** @throws HttpError 400 in the words of the rule that the URL breaks. */
function fitTarget(url: string): ReturnType<typeof readTarget> {
  try {
    return readTarget(url);
  } catch (error) {
    if (error instanceof UnfitUrl) throw badRequest(error.message, "/url");
    throw error;
  }
}

/** The last segment of the path, or else the host. */
function nameOf(href: string): string {
  const { pathname, host } = new URL(href),
    segment = pathname.split("/").at(-1)!;
  if (segment === "") return host;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
