/** Folders: a two-level tree that belongs to a user and counts its documents. */
import { definePlugin, Hooks } from "../../core/sdk";
import { Accounts, purgeOfUser } from "../accounts/contract";
import { FolderChanged, FolderCreated } from "../events/contract";
import { Quotas } from "../quotas/contract";
import { commandHandlers, commands } from "./commands";
import { BeforeFolderCreate, FolderContents, FolderDeleted, Folders } from "./contract";
import { folderJobs, purgeEnqueuer } from "./jobs";
import { migrations } from "./migrations";
import { resumePurges } from "./purge";
import { folderMetrics } from "./metrics";
import { folderHandlers, routes } from "./routes";
import { FolderService } from "./service";

export default definePlugin({
  name: "folders",
  version: "1.0.0",
  needs: { accounts: Accounts, quotas: Quotas },
  provides: { folders: Folders },
  slots: { contents: FolderContents, before_create: BeforeFolderCreate },
  events: [FolderDeleted, FolderCreated, FolderChanged],
  tables: ["folders"],
  migrations,
  routes,
  commands,
  setup: (ctx) => {
    const enqueuePurge = purgeEnqueuer(ctx);
    const { contents } = ctx.slots;
    const folders = new FolderService({
      ...ctx,
      quotas: ctx.services.quotas,
      contents,
      before_create: new Hooks({
        read: ctx.slots.before_create,
        filled: () => ctx.operations.filled(BeforeFolderCreate),
        log: ctx.log,
      }),
      enqueuePurge,
    });
    return {
      services: { folders },
      routes: folderHandlers(folders),
      commands: commandHandlers({ ...ctx, ...ctx.services }),
      fills: folderMetrics(ctx),
      jobs: [
        ...folderJobs({ ...ctx, contents }),
        purgeOfUser((user_id, signal) => folders.removeAll(user_id, signal)),
      ],
      start: () => resumePurges(ctx, enqueuePurge),
    };
  },
});
