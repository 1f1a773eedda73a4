/**
 * Imports: runs that create documents from what is on the web, on the server or on the user's
 * device.
 */
import { existsSync } from "node:fs";
import { removeLeftovers } from "../../core/lib/temporary-files";
import {
  createAddressPolicy,
  definePlugin,
  DnsLookup,
  Duration,
  fill,
  List,
  t,
  type Context,
  DocumentParts,
} from "../../core/sdk";
import { Accounts, purgeOfUser } from "../accounts/contract";
import { Documents, DocumentUses, FileUses } from "../documents/contract";
import { Extraction } from "../extraction/contract";
import { FolderContents, Folders } from "../folders/contract";
import { StreamedEvents } from "../events/contract";
import { WebhookEvents } from "../webhooks/contract";
import { tasks } from "./child/tasks";
import type { ImportContext } from "./context";
import { FetchPolicy, ImportChanged, ImportEnded, ImportSources } from "./contract";
import { Fetcher } from "./fetcher";
import { page_prefix } from "./ingestion";
import { enqueuers, importJobs, importSchedules } from "./jobs";
import { importMetrics } from "./metrics";
import { migrations } from "./migrations";
import { streamedRun } from "./run-events";
import { endMissed } from "./missed-ends";
import { RobotsCache } from "./politeness";
import { documentedSource } from "./records";
import { directoryHandlers, directoryRoutes } from "./directory-routes";
import { importHandlers, routes } from "./routes";
import {
  documentSettled,
  FinishedEvent,
  finishedEvent,
  purgeFolders,
  purgeRunsOf,
  removeDocuments,
  removeFolders,
} from "./runs";
import { Schedules } from "./schedules";
import { Imports } from "./service";
import { directorySource } from "./sources/directory";
import { feedSource, sitemapSource, urlsSource } from "./sources/address-lists";
import { listing_prefix } from "./sources/entry-reader";
import { unpacked_prefix, zipSource } from "./sources/zip";
import { keepsFile } from "./store";
import { failInterrupted } from "./uploads";

export default definePlugin({
  name: "imports",
  version: "1.0.0",
  config: t.Object({
    allow_networks: List("string", {
      changes: "outside",
      description:
        "Non-public networks that imports may read from, such as 10.1.0.0/16. Requests to " +
        "hosts there are not delayed.",
    }),
    directories: List("string", {
      changes: "outside",
      description: "Directories on the server that every user may import from.",
    }),
    host_delay: Duration({
      default: "200ms",
      changes: "now",
      description: "The pause between two requests to the same host.",
    }),
    timeout: Duration({
      default: "2m",
      changes: "now",
      description: "The time limit for fetching one file.",
    }),
    keep_runs: Duration({
      default: "90d",
      changes: "now",
      description: "How long finished runs are kept. Their documents remain.",
    }),
  }),
  needs: {
    accounts: Accounts,
    documents: Documents,
    extraction: Extraction,
    folders: Folders,
    lookup: DnsLookup,
  },
  provides: { fetch_policy: FetchPolicy },
  slots: { sources: ImportSources },
  events: [ImportChanged, ImportEnded],
  tables: ["imports_runs", "imports_items", "imports_schedules", "imports_listed"],
  migrations,
  routes: { ...routes, ...directoryRoutes },
  tasks,
  setup: (ctx) => {
    const { config, services } = ctx;
    const allows = createAddressPolicy(config.allow_networks, "imports.allow_networks");
    const fetcher = new Fetcher({
      ...ctx,
      lookup: services.lookup,
      allows,
      isPublic: createAddressPolicy([]),
      host_delay_ms: () => config.host_delay,
      timeout_ms: () => config.timeout,
    });
    const stopping = new AbortController();
    const own_ctx: ImportContext = {
      ...ctx,
      stopping: stopping.signal,
      ...services,
      ...enqueuers(ctx),
      keep_runs_ms: () => config.keep_runs,
      fetcher,
      robots: new RobotsCache(),
      sources: ctx.slots.sources,
    };
    const imports = new Imports(own_ctx);
    const schedules = new Schedules(own_ctx, imports);
    const sources = [
      urlsSource,
      sitemapSource(ctx),
      feedSource(ctx),
      zipSource(ctx),
      directorySource(config.directories, ctx.paths.data),
    ];
    return {
      services: { fetch_policy: allows },
      routes: {
        ...importHandlers(own_ctx, imports, schedules),
        ...directoryHandlers(config.directories),
      },
      fills: [
        ...sources.map((source) => fill(ImportSources, source)),
        ...uses(own_ctx, schedules),
        ...importMetrics(ctx),
        fill(DocumentParts, {
          schemas: [{ name: "ImportSource", read: () => documentedSource(ctx.slots.sources()) }],
        }),
      ],
      jobs: [
        ...importJobs(own_ctx, schedules),
        purgeOfUser(async (user_id, signal) => {
          await schedules.removeAll(user_id);
          await purgeRunsOf(own_ctx, user_id, signal);
        }),
      ],
      schedules: importSchedules,
      start: async () => {
        warnAboutSettings(ctx, config);
        await removeLeftovers(ctx.paths.temporary, page_prefix, unpacked_prefix, listing_prefix);
        await failInterrupted(own_ctx);
        await endMissed(own_ctx, schedules);
        ctx.node.onGone(() => void failInterrupted(own_ctx).catch(() => undefined));
      },
      stop: async () => stopping.abort(),
    };
  },
});

/** The fills for slots of other plugins. */
const uses = (ctx: ImportContext, schedules: Schedules) => [
  fill(FolderContents, {
    async remove(tx, _owner_id, folder_ids) {
      await removeFolders(ctx, tx, folder_ids);
      await schedules.removeFolders(tx, folder_ids);
    },
    purge: (_owner_id, folder_ids, signal) => purgeFolders(ctx, folder_ids, signal),
  }),
  fill(DocumentUses, {
    remove: (tx, document_ids) => removeDocuments(ctx, tx, document_ids),
    settled: (tx, settled) => documentSettled(ctx, tx, settled),
  }),
  fill(FileUses, { isUsed: keepsFile }),
  fill(StreamedEvents, streamedRun),
  fill(WebhookEvents, {
    type: "import.finished",
    description:
      "An import was processed to its end. Not sent for one that was cancelled, or that is made " +
      "of files of the user's device.",
    schema: FinishedEvent,
    sample: finishedEvent({
      id: "imp_00000000000000000000000000",
      status: "completed",
      succeeded: 3,
      failed: 0,
    }),
  }),
];

function warnAboutSettings(
  { log }: Pick<Context, "log">,
  config: { readonly allow_networks: readonly string[]; readonly directories: readonly string[] },
): void {
  if (config.allow_networks.length > 0)
    log.warn("imports may fetch from networks that are not public", {
      networks: config.allow_networks,
    });
  for (const directory of config.directories)
    if (!existsSync(directory))
      log.warn("a directory in imports.directories does not exist", { directory });
}
