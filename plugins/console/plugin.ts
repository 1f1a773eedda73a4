/**
 * The console: a web page over the same API, authenticated by a session instead of a key, plus
 * routes that only the console has.
 */
import { join } from "node:path";
import {
  basePathOf,
  definePlugin,
  Duration,
  fill,
  newUuid,
  RateLimiter,
  RecordChanged,
  RequestObserver,
  Surface,
  t,
  type Context,
  type Operations,
} from "../../core/sdk";
import { cachedAtOnce } from "../../core/lib/cached-result";
import { databaseBytes, directoryBytes, freeSpace } from "../../core/lib/disk-usage";
import { Accounts, purgeOfUser, Sessions } from "../accounts/contract";
import { Intake } from "../documents/contract";
import { Doctor } from "../doctor/contract";
import { Embedding } from "../search-index/contract";
import { Quotas } from "../quotas/contract";
import { assets, index_html } from "./assets.gen";
import { commandHandlers, commands } from "./commands";
import { ChangeFeed, streams_max } from "./change-feed";
import { ConsolePages, ConsolePanels } from "./contract";
import { migrations } from "./migrations";
import { AddedModules, type OnRejected } from "./plugin-modules";
import { handlers, routes } from "./routes";
import { StaticFiles } from "./static-files";
import { createSurface } from "./surface";
import { jobKindHandlers, jobKindRoutes } from "./job-kind-routes";
import { systemHandlers, systemRoutes } from "./system-routes";
import { UsageCounter } from "./usage";
import { usageHandlers, usageRoutes } from "./usage-routes";

/** The size of the originals is cached this long, because measuring it reads every file's entry. */
const sizes_hold_ms = 60_000;

export default definePlugin({
  name: "console",
  version: "1.0.0",
  config: t.Object({
    keep_usage: Duration({
      default: "400d",
      changes: "now",
      description: "How long the daily usage figures of each user are kept.",
    }),
  }),
  needs: {
    accounts: Accounts,
    doctor: Doctor,
    embedding: Embedding,
    intake: Intake,
    quotas: Quotas,
    sessions: Sessions,
  },
  slots: { pages: ConsolePages, panels: ConsolePanels, limiter: RateLimiter },
  tables: ["console_usage"],
  migrations,
  routes: { ...routes, ...usageRoutes, ...systemRoutes, ...jobKindRoutes },
  commands,
  setup: (ctx) => {
    const { log, notifier, now_ms, operations, paths, services, slots } = ctx;
    const { doctor, sessions, quotas } = services;
    const added = new AddedModules({
      pages: () => operations.filled(ConsolePages),
      panels: () => operations.filled(ConsolePanels),
    });
    const files = new StaticFiles({
      assets,
      index_html,
      base_path: basePathOf(ctx.public_url()),
      moduleAt: (path) => added.moduleAt(path),
    });
    const feed = new ChangeFeed({
      newUuid,
      open_limit: ctx.shared.openLimit("console.streams", streams_max),
    });
    const usage = new UsageCounter({
      ...ctx,
      keep_ms: () => ctx.config.keep_usage,
      storageOf: (owner_id) => quotas.committedUsage(owner_id, "storage"),
    });
    notifier.subscribe(RecordChanged, "all", (change, is_local) => {
      feed.observe(change);
      // Each process counts its own requests.
      if (is_local) usage.noteChange(change);
    });
    notifier.onMissed(feed.noteMissed);
    const filesBytes = cachedAtOnce(
      () => directoryBytes(join(paths.data, "files")),
      sizes_hold_ms,
      now_ms,
    );
    return {
      fills: [
        fill(Surface, createSurface({ sessions, public_url: publicUrlOf(operations) })),
        fill(RequestObserver, usage.noteRequest),
      ],
      routes: {
        ...handlers({ files, added, feed }),
        ...usageHandlers({ usage, quotas, limiter: () => slots.limiter()[0] }),
        ...jobKindHandlers({ operations, ...services }),
        ...systemHandlers({
          operations,
          now_ms,
          doctor,
          storage: async () => ({
            ...(await databaseStorage(paths, operations)),
            files_bytes: (await filesBytes()) ?? null,
          }),
        }),
      },
      commands: commandHandlers(ctx),
      jobs: [purgeOfUser((user_id) => usage.forget(user_id))],
      start: async () => {
        const warn: OnRejected = (rejected, reason) =>
          log.warn("a page or panel of a plugin is not shown in the console", {
            ...rejected,
            reason,
          });
        added.pages(warn);
        added.panels(warn);
        await usage.start();
      },
      stop: () => usage.stop(),
    };
  },
});

async function databaseStorage({ data, database }: Context["paths"], operations: Operations) {
  const space = await operations.space();
  return {
    database_bytes: database === null ? space.bytes : await databaseBytes(database),
    database_free_bytes: space.free_bytes,
    database_shrinks: space.shrinks,
    free_bytes: (await freeSpace(data)).free_bytes,
  };
}

/** `server.public_url` as configured; null if it was not. */
const publicUrlOf = (operations: Operations): string | null =>
  (operations.settings().find(({ setting }) => setting === "server.public_url")?.value as
    | string
    | undefined) ?? null;
