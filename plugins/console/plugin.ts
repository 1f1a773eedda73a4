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
  type Context,
  type Operations,
  type SearchPlace,
} from "../../core/sdk";
import { Sessions } from "../accounts/contract";
import { Quotas } from "../quotas/contract";
import { assets, index_html } from "./assets.gen";
import { cachedAtOnce } from "./cached";
import { ChangeFeed } from "./change-feed";
import { HealthChecks } from "./checks";
import { ConsolePages, SystemChecks } from "./contract";
import { databaseBytes, directoryBytes, freeSpace } from "./disk-usage";
import { migrations } from "./migrations";
import { validPages } from "./plugin-pages";
import { handlers, routes } from "./routes";
import { StaticFiles } from "./static-files";
import { createSurface } from "./surface";
import { systemHandlers, systemRoutes } from "./system-routes";
import { UsageCounter } from "./usage";
import { usageHandlers, usageRoutes } from "./usage-routes";

/** To measure the originals, every file is looked at. */
const sizes_hold_ms = 60_000;
/** Of one step of the search for damage, which takes about a second. */
const damage_limits = { timeout_ms: 10 * 60_000, memory_max_bytes: 512 * 2 ** 20 };

interface DamageInput {
  readonly path: string;
  readonly from: SearchPlace | null;
}

export default definePlugin({
  name: "console",
  version: "1.0.0",
  needs: { sessions: Sessions, quotas: Quotas },
  slots: { pages: ConsolePages, checks: SystemChecks, limiter: RateLimiter },
  tables: ["console_usage"],
  migrations,
  routes: { ...routes, ...usageRoutes, ...systemRoutes },
  tasks: { findDamage: task(({ path, from }: DamageInput) => findDamage(path, from)) },
  setup: (ctx) => {
    const { isolate, log, notifier, now_ms, operations, paths, services, slots } = ctx;
    const { sessions, quotas } = services;
    const pages = () => validPages(slots.pages());
    const files = new StaticFiles({ assets, index_html, pages });
    const feed = new ChangeFeed({ isLive: (session_id) => sessions.isLive(session_id), newUuid });
    const usage = new UsageCounter({
      ...ctx,
      storageOf: (owner_id) => quotas.heldCommitted(owner_id, "storage"),
    });
    notifier.subscribe(RecordChanged, "all", (change, here) => {
      feed.observe(change);
      // Each process counts what was done through it.
      if (here) usage.noteChange(change);
    });
    const filesBytes = cachedAtOnce(
      () => directoryBytes(join(paths.data, "files")),
      sizes_hold_ms,
      now_ms,
    );
    const checks = new HealthChecks({
      ...ctx,
      findDamage: (from) => isolate("findDamage", { path: paths.database, from }, damage_limits),
    });
    return {
      fills: [
        fill(Surface, createSurface({ sessions, public_url: publicUrlOf(operations) })),
        fill(RequestObserver, usage.noteRequest),
      ],
      routes: {
        ...handlers({ files, pages, feed }),
        ...usageHandlers({ usage, quotas, limiter: () => slots.limiter()[0] }),
        ...systemHandlers({
          operations,
          now_ms,
          checks: () => checks.run(slots.checks()),
          storage: async () => ({
            ...(await databaseStorage(paths, operations)),
            files_bytes: (await filesBytes()) ?? null,
          }),
        }),
      },
      start: async () => {
        validPages(slots.pages(), ({ path, title }, reason) =>
          log.warn("a page of a plugin is not shown", { path, title, reason }),
        );
        await usage.start();
      },
      stop: () => usage.stop(),
    };
  },
});

async function databaseStorage({ data, database }: Context["paths"], operations: Operations) {
  const space = await operations.space();
  return {
    database_bytes: await databaseBytes(database),
    database_free_bytes: space.free_bytes,
    database_shrinks: space.shrinks,
    free_bytes: (await freeSpace(data)).free_bytes,
  };
}

/** `server.public_url` as it was set; null when it was not. */
const publicUrlOf = (operations: Operations): string | null =>
  (operations.settings().find(({ setting }) => setting === "server.public_url")?.value as
    string | undefined) ?? null;
