/**
 * Folder archives: exports a folder as one file and imports it on any server. layout.ts describes
 * the file, writer.ts writes it, child/check.ts validates it, importer.ts imports it.
 */
import { definePlugin, Duration, fill, Size, t } from "../../core/sdk";
import { Accounts } from "../accounts/contract";
import { Chats } from "../chats/contract";
import { Documents, FileUses } from "../documents/contract";
import { Folders } from "../folders/contract";
import { Prompts } from "../prompts/contract";
import { Quotas } from "../quotas/contract";
import { SearchIndex } from "../search-index/contract";
import { Texts } from "../texts/contract";
import { ExportService } from "./exports";
import { ImportService } from "./imports";
import { archiveJobs, archiveSchedules, enqueuers } from "./jobs";
import { migrations } from "./migrations";
import { archiveHandlers, routes } from "./routes";
import { tasks } from "./tasks";

export default definePlugin({
  name: "folder-archives",
  version: "1.0.0",
  config: t.Object({
    bytes_max: Size({
      default: "4GiB",
      changes: "now",
      description: "The maximum size of an imported archive, and of its unpacked content.",
    }),
    keep_imports: Duration({
      default: "30d",
      changes: "now",
      description: "How long the record of a finished archive import is kept.",
    }),
  }),
  needs: {
    // Needed first: it emits the deletion of users, whose imports are then deleted.
    accounts: Accounts,
    chats: Chats,
    documents: Documents,
    folders: Folders,
    index: SearchIndex,
    prompts: Prompts,
    quotas: Quotas,
    texts: Texts,
  },
  tables: ["folder_archives_imports", "folder_archives_ids"],
  migrations,
  routes,
  tasks,
  setup: (ctx) => {
    const with_services = { ...ctx, ...ctx.services };
    const imports = new ImportService({
      ...with_services,
      ...enqueuers(ctx),
      bytes_max: () => ctx.config.bytes_max,
      keep_imports_ms: () => ctx.config.keep_imports,
    });
    return {
      routes: archiveHandlers(ctx, { exports: new ExportService(with_services), imports }),
      jobs: archiveJobs(imports),
      schedules: archiveSchedules,
      fills: [fill(FileUses, { isUsed: (db, sha256) => imports.isNeeded(db, sha256) })],
    };
  },
});
