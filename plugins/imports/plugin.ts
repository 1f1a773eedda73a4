/**
 * Imports: runs that make documents of what lies elsewhere, on the web, on the server or on the
 * user's device.
 */
import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  createAddressPolicy,
  definePlugin,
  DnsLookup,
  Duration,
  every,
  fill,
  handle,
  List,
  t,
  type Context,
} from "../../core/sdk";
import { Accounts } from "../accounts/contract";
import { Documents, DocumentUses, FileUses } from "../documents/contract";
import { Extraction } from "../extraction/contract";
import { FolderContents, Folders } from "../folders/contract";
import { WebhookEvents } from "../webhooks/contract";
import { FetchRule, ImportSources } from "./contract";
import { createDevice } from "./uploads";
import { createEnding } from "./runs";
import { createFetching } from "./fetcher";
import type { RobotsOfRun } from "./robots";
import { ImportItems, ListItems, Prune, Tick } from "./jobs";
import { createListing } from "./lister";
import { migrations } from "./migrations";
import { createPacing } from "./host-delays";
import { createRobotsOfRuns } from "./robots";
import { importHandlers, routes } from "./routes";
import { createSchedules } from "./schedules";
import { createImports } from "./service";
import { directorySource } from "./sources/directory";
import { feedSource, sitemapSource, urlsSource } from "./sources/lists";
import { unpacked_prefix, zipSource } from "./sources/zip";
import * as store from "./store";
import type { RunState } from "./store";
import { createTaking, page_prefix } from "./ingest";
import { tasks } from "./child/tasks";
import { createTools } from "./source-tools";
import { createWorking } from "./items";

const minute_ms = 60_000;
/** Jobs that wait for hosts; one owner has at most an eighth of them. */
const waiting_max = 64;
/** A crash counts as an attempt, and each goes on where the last one ended. */
const attempts_max = 50;
const runs_kept_ms = 90 * 24 * 60 * minute_ms;

export default definePlugin({
  name: "imports",
  version: "1.0.0",
  config: t.Object({
    allow_networks: List("string", {
      description:
        "Networks that are not public and may be imported from all the same, such as " +
        "10.1.0.0/16; their hosts get no pauses.",
    }),
    directories: List("string", {
      description: "Directories of the server that every user may import from.",
    }),
    host_delay: Duration({
      default: "200ms",
      description: "The pause that a host gets between two requests.",
    }),
    timeout: Duration({ default: "2m", description: "For fetching one file." }),
  }),
  needs: {
    accounts: Accounts,
    documents: Documents,
    extraction: Extraction,
    folders: Folders,
    lookup: DnsLookup,
  },
  provides: { fetch_rule: FetchRule },
  slots: { sources: ImportSources },
  tables: ["imports_runs", "imports_items", "imports_schedules"],
  migrations,
  routes,
  tasks,
  setup: (ctx) => {
    const {
      cancelJobs,
      config,
      emit,
      enqueue,
      files,
      inTransaction,
      isolate,
      log,
      newId,
      paths,
      services: { accounts, documents, extraction, folders, lookup },
    } = ctx;
    const db = ctx.db;
    const { now_ms } = ctx;
    const { upload_bytes_max } = documents,
      allows = createAddressPolicy(config.allow_networks, "imports.allow_networks");
    const fetching = createFetching({
      lookup,
      allows,
      isPublic: createAddressPolicy([]),
      host_delay_ms: config.host_delay,
      timeout_ms: config.timeout,
      pacing: createPacing(),
      now_ms,
      files,
    });
    const robots = createRobotsOfRuns();
    const changed = (
      { id, owner_id, folder_id, finished_at }: RunState,
      action: "created" | "changed",
    ) => {
      if (finished_at !== null) robots.forget(id);
      ctx.notify({ owner_id, kind: "import", id, folder_id, action });
    };
    const ending = createEnding({
      now_ms,
      emit,
      cancelJobs,
      removeFiles: documents.removeFiles,
      changed: (run) => changed(run, "changed"),
    });
    const toolsOf = (run_id: string | null, robots: RobotsOfRun, signal: AbortSignal) =>
      createTools(
        {
          db,
          inTransaction,
          fetching,
          files,
          temporary: paths.temporary,
          upload_bytes_max,
          removeFiles: documents.removeFiles,
        },
        run_id,
        robots,
        signal,
      );
    const isActive = async (owner_id: string): Promise<boolean> =>
      (await accounts.findUser(owner_id)).active;
    const common = {
      isActive,
      db,
      inTransaction,
      enqueue,
      now_ms,
      newId,
      ending,
      toolsOf,
      robotsOf: robots.of,
      sourceOf: (type: string) => ctx.slots.sources().find((one) => one.type === type),
    };
    const imports = createImports({
      ...common,
      folders,
      sources: ctx.slots.sources,
      created: (run) => changed(run, "created"),
    });
    const schedules = createSchedules({
      db,
      inTransaction,
      enqueue,
      cancelJobs,
      now_ms,
      newId,
      folders,
      imports,
      isActive,
    });
    const device = createDevice({ db, inTransaction, now_ms, newId, documents, ending });
    const listing = createListing(common);
    const taking = createTaking({
      inTransaction,
      isolate,
      newId,
      temporary: paths.temporary,
      documents,
      extraction,
      folders,
      ending,
    });
    const working = createWorking({ ...common, files, fetching, upload_bytes_max, taking });
    return {
      services: { fetch_rule: allows },
      routes: importHandlers({
        imports,
        schedules,
        device,
        requireFolder: (owner_id, folder_id) => folders.require(db, owner_id, folder_id),
        files,
        upload_bytes_max,
      }),
      fills: [
        ...[
          urlsSource,
          sitemapSource({ isolate }),
          feedSource({ isolate }),
          zipSource({ isolate, newId }),
          directorySource(config.directories, paths.data),
        ].map((one) => fill(ImportSources, one)),
        fill(FolderContents, {
          async remove(tx, _owner_id, folder_ids) {
            for (const run of await store.unfinishedIn(tx, folder_ids))
              await ending.folderGone(tx, run);
            await store.forgetItemsIn(tx, folder_ids);
            await schedules.folderGone(tx, folder_ids);
          },
        }),
        fill(DocumentUses, { remove: ending.documentsGone, settled: ending.settled }),
        fill(FileUses, { isUsed: store.keepsFile }),
        fill(WebhookEvents, {
          type: "import.finished",
          sample: {
            event: "import.finished",
            import_run_id: "imp_00000000000000000000000000",
            status: "completed",
            completed_item_count: 3,
            succeeded_item_count: 3,
            failed_item_count: 0,
          },
        }),
      ],
      jobs: [
        handle(ListItems, listing.run, {
          attempts_max,
          timeout_ms: 60 * minute_ms,
          concurrency: waiting_max,
          io_bound: true,
          onExhausted: listing.onExhausted,
        }),
        handle(ImportItems, working.run, {
          attempts_max,
          timeout_ms: 30 * minute_ms,
          concurrency: waiting_max,
          io_bound: true,
          onExhausted: working.onExhausted,
        }),
        handle(Tick, schedules.tick, {
          attempts_max: 5,
          timeout_ms: minute_ms,
          onExhausted: schedules.tickFailed,
        }),
        handle(
          Prune,
          async (_payload, { signal }) => {
            while (
              !signal.aborted &&
              (await inTransaction((tx) => store.forgetRuns(tx, now_ms() - runs_kept_ms))) > 0
            )
              await Bun.sleep(20);
          },
          { attempts_max: 3, timeout_ms: 10 * minute_ms },
        ),
      ],
      schedules: [every("41 3 * * *", Prune, {})],
      start: async () => {
        if (config.allow_networks.length > 0)
          log.warn("imports may fetch from networks that are not public", {
            networks: config.allow_networks,
          });
        for (const directory of config.directories)
          if (!existsSync(directory))
            log.warn("a directory of imports.directories is not there", { directory });
        await removeLeftovers(paths);
        await device.endInterrupted();
      },
    };
  },
});

/** What a server left behind when it was killed in the middle of a page or an archive. */
async function removeLeftovers({ temporary }: Context["paths"]): Promise<void> {
  for (const name of await readdir(temporary))
    if (name.startsWith(page_prefix) || name.startsWith(unpacked_prefix))
      await rm(join(temporary, name), { force: true });
}
