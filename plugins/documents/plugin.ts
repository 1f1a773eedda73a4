/**
 * Documents: texts and uploads in folders, their versions, and the job that indexes them. An upload
 * goes through routes.ts, new-documents.ts (with store.ts and link-store.ts), then the job in
 * jobs.ts and indexer.ts. Reading is in queries.ts, folders and names in link-service.ts, deletion
 * in purge.ts.
 */
import {
  definePlugin,
  Duration,
  fill,
  HealthFields,
  Hooks,
  Size,
  t,
  DocumentParts,
  type Context,
} from "../../core/sdk";
import {
  DocumentChanged,
  DocumentCreated,
  DocumentDeleted,
  DocumentFailed,
  DocumentSynced,
} from "../events/contract";
import { Extraction } from "../extraction/contract";
import { FolderContents, Folders } from "../folders/contract";
import { SearchIndex } from "../search-index/contract";
import { Quotas } from "../quotas/contract";
import { Texts } from "../texts/contract";
import type { DocumentContext } from "./context";
import { admit } from "./creation/admission";
import { documentChecks } from "./checks/document-checks";
import {
  BeforeDocumentIntake,
  Documents,
  DocumentSettled,
  DocumentUses,
  FileUses,
  Intake,
} from "./contract";
import { ingest } from "./creation/new-documents";
import { EarlyIndexing } from "./indexing/early-indexing";
import { FreshTexts } from "./creation/fresh-texts";
import { documentJobs, documentSchedules, enqueuers, resumePurge } from "./jobs";
import { takeOut } from "./links/link-service";
import { DocumentLists } from "./lists/list-store";
import { originalJobs, originalSchedules } from "./originals/original-jobs";
import { migrations } from "./migrations";
import { announce, findCopy, insertCopy } from "./copies/document-copies";
import { listPlaces } from "./copies/copy-store";
import { reindexFound } from "./indexing/requeue";
import { originalsMetrics } from "./originals/originals-metrics";
import { countToPurge, hideFolders, purgeFolders } from "./deletion/purge";
import { listIndexingFolders } from "./indexing/indexing-progress";
import { documentQueries, listOwned } from "./queries";
import { batchSchema, bulkHandlers, bulkRoutes } from "./bulk-routes";
import { documentHandlers, routes } from "./routes";
import { usedFiles } from "./store";
import { FileUsers } from "./originals/file-users";
import { UnusedFiles } from "./originals/unused-files";

export default definePlugin({
  name: "documents",
  version: "1.0.0",
  config: t.Object({
    upload_bytes_max: Size({
      default: "512MiB",
      changes: "now",
      description: "The maximum size of an uploaded file.",
    }),
    restore_for: Duration({
      default: "30d",
      changes: "now",
      description: "How long a document can be restored after it was removed from its last folder.",
    }),
  }),
  needs: {
    folders: Folders,
    quotas: Quotas,
    extraction: Extraction,
    index: SearchIndex,
    texts: Texts,
  },
  provides: { documents: Documents, intake: Intake },
  slots: { uses: DocumentUses, file_uses: FileUses, before_intake: BeforeDocumentIntake },
  events: [
    DocumentSettled,
    DocumentCreated,
    DocumentSynced,
    DocumentFailed,
    DocumentChanged,
    DocumentDeleted,
  ],
  tables: [
    "documents",
    "documents_versions",
    "documents_links",
    "documents_purges",
    "documents_file_users",
  ],
  migrations,
  routes: { ...routes, ...bulkRoutes },
  setup: (host) => {
    const isUsed = async (sha256: string): Promise<boolean> => {
      if ((await usedFiles(host.db, [sha256])).size > 0) return true;
      for (const uses of host.slots.file_uses())
        if (await uses.isUsed(host.db, sha256)) return true;
      return false;
    };
    const findUsed = (sha256s: readonly string[]) => usedFiles(host.db, sha256s);
    const file_users = new FileUsers(host);
    const unused_files = new UnusedFiles(host, { isUsed, findUsed, file_users });
    const ctx: DocumentContext = {
      ...host,
      ...host.services,
      ...indexing(host),
      lists: new DocumentLists(host.db),
      uses: host.slots.uses,
      before_intake: new Hooks({
        read: host.slots.before_intake,
        filled: () => host.operations.filled(BeforeDocumentIntake),
        log: host.log,
      }),
      removeFiles: (sha256s) => unused_files.remove(sha256s),
      deleteFiles: (sha256s) => unused_files.delete(sha256s),
    };
    return {
      services: {
        documents: {
          ...documentQueries,
          ingest: (tx, owner_id, request) => ingest(ctx, tx, owner_id, request),
          admit: (intake, signal) => admit(ctx, intake, signal),
          takeOut: (...args) => takeOut(ctx, ...args),
          listPlaces,
          listOwned,
          findCopy: (document_id, folder_ids) => findCopy(ctx, document_id, folder_ids),
          insertCopy: (tx, owner_id, document, options) =>
            insertCopy(ctx, tx, owner_id, document, options),
          announce: (tx, document_ids) => announce(ctx, tx, document_ids),
          reindex: (document_id) => reindexFound(ctx, document_id),
          removeFiles: ctx.removeFiles,
          upload_bytes_max: () => ctx.config.upload_bytes_max,
        },
        intake: {
          listIndexingFolders: () => listIndexingFolders(ctx),
        },
      },
      routes: { ...documentHandlers(ctx), ...bulkHandlers(ctx) },
      fills: [
        fill(DocumentParts, { schemas: [{ name: "DocumentBatch", read: batchSchema }] }),
        fill(FolderContents, {
          remove: (tx, owner_id, folder_ids) => hideFolders(ctx, tx, owner_id, folder_ids),
          purge: (_owner_id, folder_ids, signal) => purgeFolders(ctx, folder_ids, signal),
        }),
        // Deleted documents whose text is not purged from the disk yet.
        fill(HealthFields, {
          name: "purging",
          read: async () => ({ documents: await countToPurge(ctx) }),
        }),
        ...documentChecks({ ...ctx, operations: host.operations, file_users }, isUsed),
        ...originalsMetrics(host),
      ],
      jobs: [...documentJobs(ctx), ...originalJobs(host, unused_files)],
      schedules: [...documentSchedules, ...originalSchedules(host)],
      start: async () => {
        await file_users.remember();
        unused_files.sweep();
        await resumePurge(host);
      },
      stop: () => unused_files.stop(),
    };
  },
});

/** The part of the context that starts indexing. */
function indexing(host: Pick<Context, "begin" | "enqueue">) {
  const options = { ...enqueuers(host), fresh_texts: new FreshTexts() };
  return { ...options, early_indexing: new EarlyIndexing(options) };
}
