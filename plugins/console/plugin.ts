/**
 * The console: a web page over the same API, behind a session instead of a key, and what only the
 * console has.
 */
import { join } from "node:path";
import {
  definePlugin,
  fill,
  findDamage,
  newUuid,
  RateLimiter,
  RecordChanged,
  RequestObserver,
  Surface,
  task,
  type Operations,
} from "../../core/sdk";
import { Sessions } from "../accounts/contract";
import { Quotas } from "../quotas/contract";
import { assets, index_html } from "./assets.gen";
import { createChecks, freeOf } from "./checks";
import { ConsolePages, SystemChecks } from "./contract";
import { createFeed } from "./feed";
import { migrations } from "./migrations";
import { fitPages } from "./pages";
import { handlers, routes } from "./routes";
import { createSite } from "./site";
import { databaseBytes, directoryBytes, remembering } from "./sizes";
import { createSurface } from "./surface";
import { systemHandlers, systemRoutes, type Limits } from "./system-routes";
import { createUsage } from "./usage";

/** As it was set; null when it was not. */
const settingOf = (operations: Operations, name: string): string | null =>
  (operations.settings().find(({ setting }) => setting === name)?.value as string | undefined) ??
  null;

/** Every file is looked at for them. */
const sizes_hold_ms = 60_000;
const damage_limits = { timeout_ms: 10 * 60_000, memory_max_bytes: 512 * 2 ** 20 };

export default definePlugin({
  name: "console",
  version: "1.0.0",
  needs: { sessions: Sessions, quotas: Quotas },
  slots: { pages: ConsolePages, checks: SystemChecks, limiter: RateLimiter },
  tables: ["console_usage"],
  migrations,
  routes: { ...routes, ...systemRoutes },
  tasks: { findDamage: task(async (path: string) => findDamage(path)) },
  setup: ({
    now_ms,
    db,
    inTransaction,
    isolate,
    log,
    notifier,
    operations,
    paths,
    services: { sessions, quotas },
    slots,
  }) => {
    const pages = () => fitPages(slots.pages());
    const site = createSite({ assets, index_html, pages });
    const feed = createFeed({ isLive: sessions.isLive, newUuid });
    const usage = createUsage({
      db,
      inTransaction,
      now_ms,
      log,
      storageOf: (owner_id) => quotas.heldCommitted(owner_id, "storage"),
    });
    notifier.subscribe(RecordChanged, "all", (change, here) => {
      feed.observe(change);
      // Each process counts what was done through it.
      if (here) usage.noteChange(change);
    });
    const checks = createChecks({
      operations,
      paths,
      now_ms,
      findDamage: () => isolate("findDamage", paths.database, damage_limits),
    });
    const limits = async (): Promise<Limits> => {
      const [limiter] = slots.limiter();
      return {
        folders: quotas.limitOf("folders"),
        documents: quotas.limitOf("documents"),
        chats: quotas.limitOf("chats"),
        storage_bytes: quotas.limitOf("storage"),
        requests_per_window: (await limiter?.take("", 0))?.limit ?? null,
        window_s: limiter?.window_ms === undefined ? null : Math.ceil(limiter.window_ms / 1_000),
      };
    };
    const system = systemHandlers({
      operations,
      now_ms,
      limits,
      usage: usage.read,
      checks: () => checks.run(slots.checks()),
      held: async (owner_id) => ({
        bytes: await quotas.heldCommitted(owner_id, "storage"),
        documents: await quotas.heldCommitted(owner_id, "documents"),
        folders: await quotas.heldCommitted(owner_id, "folders"),
        chats: await quotas.heldCommitted(owner_id, "chats"),
      }),
      storage: remembering(
        async () => ({
          database_bytes: await databaseBytes(paths.database),
          files_bytes: await directoryBytes(join(paths.data, "files")),
          free_bytes: (await freeOf(paths.data)).free_bytes,
        }),
        sizes_hold_ms,
        now_ms,
      ),
    });
    return {
      fills: [
        fill(
          Surface,
          createSurface({ sessions, public_url: settingOf(operations, "server.public_url") }),
        ),
        fill(RequestObserver, usage.noteRequest),
      ],
      routes: { ...handlers({ site, pages, feed }), ...system },
      start: async () => {
        fitPages(slots.pages(), ({ path, title }, reason) =>
          log.warn("a page of a plugin is not shown", { path, title, reason }),
        );
        await usage.start();
      },
      stop: usage.stop,
    };
  },
});
