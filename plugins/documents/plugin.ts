/** Documents: texts and uploads in folders, their versions, and the job that makes them answer. */
import {
  definePlugin,
  Duration,
  every,
  fill,
  handle,
  Size,
  t,
  type Files,
  type Log,
} from "../../core/sdk";
import { Extraction } from "../extraction/contract";
import { FolderContents, Folders } from "../folders/contract";
import { SearchIndex } from "../search-index/contract";
import { Quotas } from "../quotas/contract";
import { Documents, DocumentSettled, DocumentUses, FileUses } from "./contract";
import { documentHandlers } from "./handlers";
import { attempts_max, createIndexing } from "./indexing";
import { createIntake } from "./intake";
import { IndexDocument, PurgeDocuments, RetitleDocument } from "./jobs";
import { migrations } from "./migrations";
import type { DocumentParts } from "./parts";
import { createPurging } from "./purging";
import { documents } from "./reading";
import { createRetitling } from "./retitling";
import { routes } from "./routes";
import { createDocuments } from "./service";
import { fileIsUsed } from "./store";
import { createWriting } from "./writing";

const minute_ms = 60_000;
/**
 * Documents that are indexed at the same time, and how many of them may be one owner's: the rest is
 * for the others.
 */
const indexing_max = 8;
const indexing_max_per_owner = 6;

export default definePlugin({
  name: "documents",
  version: "1.0.0",
  config: t.Object({
    upload_bytes_max: Size({
      default: "512MiB",
      description: "The largest file that can be uploaded.",
    }),
    restore_for: Duration({
      default: "30d",
      description: "How long a document that was taken out of its last folder can be restored.",
    }),
  }),
  needs: { folders: Folders, quotas: Quotas, extraction: Extraction, index: SearchIndex },
  provides: { documents: Documents },
  slots: { uses: DocumentUses, file_uses: FileUses },
  events: [DocumentSettled],
  tables: ["documents", "documents_versions", "documents_links"],
  migrations,
  routes,
  setup: (ctx) => {
    const {
      config,
      services: { folders, quotas, extraction, index },
      files,
      log,
      truncateWal,
    } = ctx;
    const db = ctx.db;
    const unused = createCleaning(
      async (sha256) => {
        if (await fileIsUsed(db, sha256)) return true;
        for (const uses of ctx.slots.file_uses()) if (await uses.isUsed(db, sha256)) return true;
        return false;
      },
      files,
      log,
    );
    const parts: DocumentParts = {
      db,
      inTransaction: ctx.inTransaction,
      afterCommit: ctx.afterCommit,
      now_ms: ctx.now_ms,
      newId: ctx.newId,
      truncateWal,
      files,
      folders,
      quotas,
      index,
      log,
      notify: ctx.notify,
      removeFiles: (sha256s) => {
        if (sha256s.length > 0) ctx.afterCommit(() => unused.remove(sha256s));
      },
      queueIndexing: (tx, { id, owner_id, version }) =>
        ctx.enqueue(
          tx,
          IndexDocument,
          { document_id: id, version },
          {
            subject: id,
            queue: `documents.index:${owner_id}`,
            queue_concurrency: indexing_max_per_owner,
          },
        ),
      queueRetitling: (tx, { id, owner_id }) =>
        ctx.enqueue(
          tx,
          RetitleDocument,
          { document_id: id },
          { queue: `documents.retitle:${owner_id}`, priority: -1 },
        ),
      cancelIndexing: ctx.cancelJobs,
      announceSettled: async (tx, settled) => {
        for (const uses of ctx.slots.uses()) await uses.settled?.(tx, settled);
        await ctx.emit(tx, DocumentSettled, settled);
      },
      removeUses: async (tx, document_ids) => {
        for (const uses of ctx.slots.uses()) await uses.remove(tx, document_ids);
      },
    };
    const writing = createWriting(parts);
    const service = createDocuments({ ...parts, writing });
    const indexing = createIndexing({ ...parts, extraction });
    const purging = createPurging({ ...parts, restore_for_ms: config.restore_for });
    return {
      services: {
        documents: {
          ...documents,
          intake: createIntake({ ...parts, writing }),
          removeFiles: parts.removeFiles,
          upload_bytes_max: config.upload_bytes_max,
        },
      },
      routes: documentHandlers(service, { files, upload_bytes_max: config.upload_bytes_max }),
      fills: [
        fill(FolderContents, {
          remove: (tx, _owner_id, folder_ids) => purging.removeFrom(tx, folder_ids),
          removeInParts: (_owner_id, folder_ids) => purging.removeInParts(folder_ids),
        }),
      ],
      jobs: [
        handle(IndexDocument, indexing.run, {
          attempts_max,
          timeout_ms: 30 * minute_ms,
          concurrency: indexing_max,
          onExhausted: indexing.onExhausted,
          requeue: service.requeue,
        }),
        handle(RetitleDocument, createRetitling(parts), {
          attempts_max: 5,
          timeout_ms: 5 * minute_ms,
        }),
        handle(
          PurgeDocuments,
          async (_payload, { signal }) => {
            const purged = await purging.purgeExpired(signal);
            if (purged > 0)
              log.info("documents that no folder wanted back were deleted", { documents: purged });
          },
          { attempts_max: 3, timeout_ms: 30 * minute_ms },
        ),
      ],
      schedules: [every("17 * * * *", PurgeDocuments, {})],
      start: async () => unused.sweep(),
      stop: unused.stop,
    };
  },
});

/** Deletes originals that nobody uses, without anybody waiting for it. */
function createCleaning(fileIsUsed: (sha256: string) => Promise<boolean>, files: Files, log: Log) {
  let stopped = false;
  let sweeping: Promise<unknown> = Promise.resolve();
  const isUsed = (sha256: string): Promise<boolean> => {
    if (stopped) throw new Error("the server is stopping");
    return fileIsUsed(sha256);
  };
  const report = (error: unknown) => {
    if (!stopped)
      log.warn("originals that nobody uses could not be deleted; the next start tries again", {
        error: String(error),
      });
  };
  return {
    remove: (sha256s: readonly string[]) => void files.remove(sha256s, isUsed).catch(report),
    sweep: () => {
      sweeping = files.sweep(isUsed).catch(report);
    },
    stop: async () => {
      stopped = true;
      await sweeping;
    },
  };
}
