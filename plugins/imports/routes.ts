/**
 * The routes of imports and their schedules: a schema in, one call to the service, a record out.
 */
import {
  announcedBytes,
  PageOf,
  PageQuery,
  receiveFiles,
  reply,
  route,
  t,
  toPage,
  type HandlersOf,
  type ReceivedPart,
  named,
  documented,
  LimitedText,
} from "../../core/sdk";
import type { ImportContext } from "./context";
import {
  begun_example,
  Gone,
  item_example,
  ItemRecord,
  ItemStatus,
  PreviewRecord,
  run_example,
  RunRecord,
  schedule_example,
  ScheduleRecord,
  Source,
  shortened,
  toItem,
  toPreview,
  toRun,
  toSchedule,
} from "./records";
import { cron_pattern } from "../../core/lib/cron";
import { expression_length_max } from "./cron";
import { schedules_max, type Schedules } from "./schedules";
import { unfinished_max, type Imports } from "./service";
import type { ListedRun } from "./store";
import { importUploads } from "./uploads";

const orNull = {
  boolean: (description: string) => t.Optional(t.Union([t.Boolean(), t.Null()], { description })),
};
const FolderId = t.String({ description: "The folder that the documents go into." });
const OrNullGone = t.Optional(t.Union([named("GoneSetting", Gone), t.Null()]));
const NewImport = named(
  "NewImport",
  t.Object({
    folder_id: FolderId,
    source: Source,
    overwrite: orNull.boolean("Bring what has not changed, too, as a new version. Default false."),
    dry_run: orNull.boolean("Only tell what would be imported."),
    gone: OrNullGone,
  }),
);
const NewSchedule = named(
  "NewImportSchedule",
  t.Object({
    folder_id: FolderId,
    source: Source,
    gone: OrNullGone,
    every: documented(
      LimitedText(
        expression_length_max,
        "A cron expression of five fields in UTC, such as `0 6 * * *`, or `@daily`. A range may " +
          "go over the end: `FRI-MON`.",
      ),
      { pattern: cron_pattern },
    ),
  }),
);

const begun = (description: string) => ({
  description,
  schema: RunRecord,
  example: begun_example,
  headers: {
    location: "Path of the import, to poll.",
    "retry-after": "Seconds until the first poll is worth it.",
  },
  links: {
    getImport: { importId: "id" },
    listImportItems: { importId: "id" },
    cancelImport: { importId: "id" },
    retryImport: { importId: "id" },
  },
});
const no_folder = "The folder could not be found.";
const capacity = {
  quota_exceeded: `A user has ${unfinished_max} imports under way at most.`,
};
const tag = "Imports";
/**
 * The maximum number of files per request, and their total size as a multiple of the largest file.
 */
const files_max = 100;
const files_bytes_times = 8;

export const routes = {
  create: route.post("/imports", {
    summary: "Import documents",
    tag,
    operation: "createImport",
    description:
      "Starts a run that makes documents of a list of addresses, a sitemap, a feed, a ZIP " +
      "archive or a directory of the server. " +
      "What an earlier import into the folder has brought is known by its address: it is skipped " +
      "when it has not changed, and gets a new version when it has. " +
      "Of web pages the main text is taken. Addresses must be public; `robots.txt` is respected.",
    body: NewImport,
    body_bytes_max: 2 ** 20,
    example: { folder_id: run_example.folder_id, source: run_example.source },
    answers: {
      200: {
        description: "With `dry_run`: what would be imported, or why nothing could be.",
        schema: PreviewRecord,
        example: {
          items: [{ uri: item_example.uri, name: null, folder: null, error: null }],
          total_item_count: 1,
          more: false,
        },
      },
      202: begun("The run, which is about to begin."),
    },
    errors: {
      403: capacity,
      404: no_folder,
      503: "With `dry_run`: the source could not be looked through in time.",
    },
  }),
  files: route.post("/imports/files", {
    summary: "Import files from the device",
    tag,
    operation: "importFiles",
    description:
      "Makes a document of each file, as uploads do: a file whose name is taken fails, or " +
      `replaces the document with \`overwrite=true\`. At most ${files_max} files a request. ` +
      "No webhook is told of the end.",
    query: t.Object({
      folder_id: FolderId,
      overwrite: t.Optional(
        t.Boolean({ default: false, description: "Replace documents of the same name." }),
      ),
    }),
    body: {
      multipart: {
        part: "files",
        many: true,
        files_max,
        description: "The files, each with its name.",
      },
    },
    answers: { 202: begun("The run; its files are stored, and being indexed.") },
    errors: {
      404: no_folder,
      413: "A file, or all of them together, are larger than the server accepts.",
      415: "The body is not multipart/form-data.",
    },
  }),
  list: route.get("/imports", {
    summary: "List imports",
    tag,
    operation: "listImports",
    description:
      "The caller's runs, newest first. Of a long list of addresses only the first are shown. A " +
      "run is forgotten some time after its end (`imports.keep_runs`).",
    query: PageQuery,
    answers: {
      200: {
        description: "One page of runs.",
        schema: PageOf(RunRecord),
        example: toPage([run_example], 1, {}),
      },
    },
  }),
  get: route.get("/imports/:importId", {
    summary: "Get an import",
    tag,
    operation: "getImport",
    description: "A run with its counts.",
    answers: { 200: { description: "The run.", schema: RunRecord, example: run_example } },
  }),
  items: route.get("/imports/:importId/items", {
    summary: "List the items of an import",
    tag,
    operation: "listImportItems",
    description:
      "In the order of the source, each with what became of it. None when the folder was " +
      "deleted: what was imported goes with it.",
    query: t.Composite([t.Object({ status: t.Optional(ItemStatus) }), PageQuery]),
    answers: {
      200: {
        description: "One page of items.",
        schema: PageOf(ItemRecord),
        example: toPage([item_example], 1, {}),
      },
    },
  }),
  cancel: route.post("/imports/:importId/cancel", {
    summary: "Cancel an import",
    tag,
    operation: "cancelImport",
    description:
      "Ends the run at once. What is finished stays; what is left is skipped. No webhook is told.",
    answers: {
      202: {
        ...begun("The run, cancelled."),
        example: { ...run_example, status: "cancelled" as const },
      },
    },
    errors: { 409: { import_ended: "The run has ended." } },
  }),
  retry: route.post("/imports/:importId/retry", {
    summary: "Retry what has failed",
    tag,
    operation: "retryImport",
    description:
      "Imports the failed items again, and no others. A source that could not be read in whole " +
      "is listed again. When the run ends again, webhooks are told again.",
    answers: {
      202: {
        ...begun("The run, under way again."),
        example: {
          ...run_example,
          status: "running" as const,
          failed_item_count: 0,
          completed_item_count: 119,
          finished_at: null,
        },
      },
    },
    errors: {
      403: capacity,
      409: {
        nothing_to_retry: "The run is under way, was cancelled, or nothing of it has failed.",
      },
    },
  }),
  createSchedule: route.post("/import-schedules", {
    summary: "Schedule an import",
    tag,
    operation: "createImportSchedule",
    description:
      "Imports a source again and again. A time at which the run before is still under way is " +
      "left out.",
    body: NewSchedule,
    body_bytes_max: 2 ** 20,
    example: {
      folder_id: schedule_example.folder_id,
      source: schedule_example.source,
      every: schedule_example.every,
    },
    answers: {
      201: {
        description: "The schedule.",
        schema: ScheduleRecord,
        example: schedule_example,
        headers: { location: "Path of the new schedule." },
        links: { deleteImportSchedule: { scheduleId: "id" } },
      },
    },
    errors: {
      403: {
        quota_exceeded: `A user has ${schedules_max} schedules of imports at most.`,
      },
      404: no_folder,
    },
  }),
  listSchedules: route.get("/import-schedules", {
    summary: "List schedules of imports",
    tag,
    operation: "listImportSchedules",
    description: "The caller's schedules, newest first.",
    query: PageQuery,
    answers: {
      200: {
        description: "One page of schedules.",
        schema: PageOf(ScheduleRecord),
        example: toPage([schedule_example], 1, {}),
      },
    },
  }),
  removeSchedule: route.delete("/import-schedules/:scheduleId", {
    summary: "Delete a schedule of imports",
    tag,
    operation: "deleteImportSchedule",
    description: "Runs that it has begun go on.",
    answers: { 204: { description: "It is gone." } },
  }),
};

const at = (id: string): string => `/api/dev/v1/imports/${id}`;
const accepted = (run: ListedRun) =>
  reply(202, toRun(run), { location: at(run.id), "retry-after": "1" });

export const importHandlers = (
  ctx: ImportContext,
  imports: Imports,
  schedules: Schedules,
): HandlersOf<typeof routes> => ({
  create: async ({ caller, body: { overwrite, dry_run, gone, ...fields }, request }) => {
    const input = { ...fields, overwrite: overwrite ?? false, gone: gone ?? "keep" };
    return dry_run === true
      ? toPreview(await imports.preview(caller.owner_id, input, request.signal))
      : accepted(await imports.create(caller.owner_id, input));
  },
  files: async ({ caller, query: { folder_id, overwrite = false }, request }) => {
    const parts = await receiveParts(ctx, caller.owner_id, folder_id, request);
    return accepted(await importUploads(ctx, caller.owner_id, { folder_id, overwrite }, parts));
  },
  list: async ({ caller, query }) => {
    const { rows, total } = await imports.list(caller.owner_id, query);
    return toPage(
      rows.map((row) => toRun(shortened(row))),
      total,
      query,
    );
  },
  get: async ({ caller, params }) => toRun(await imports.get(caller.owner_id, params.importId)),
  items: async ({ caller, params, query }) => {
    const { owner_id } = caller;
    const { rows, total } = await imports.items(owner_id, params.importId, query.status, query);
    return toPage(rows.map(toItem), total, query);
  },
  cancel: async ({ caller, params }) =>
    accepted(await imports.cancel(caller.owner_id, params.importId)),
  retry: async ({ caller, params }) =>
    accepted(await imports.retry(caller.owner_id, params.importId)),
  createSchedule: async ({ caller, body: { gone, ...fields } }) => {
    const input = { ...fields, gone: gone ?? "keep" };
    const schedule = await schedules.create(caller.owner_id, input);
    return reply(201, toSchedule(schedule), {
      location: `/api/dev/v1/import-schedules/${schedule.id}`,
    });
  },
  listSchedules: async ({ caller, query }) => {
    const { rows, total } = await schedules.list(caller.owner_id, query);
    return toPage(
      rows.map((row) => toSchedule(shortened(row))),
      total,
      query,
    );
  },
  removeSchedule: async ({ caller, params }) => {
    await schedules.remove(caller.owner_id, params.scheduleId);
    return reply(204);
  },
});

/** Receives the files of the request, on disk. The folder is checked before they are read. */
async function receiveParts(
  { db, documents, files, folders }: ImportContext,
  owner_id: string,
  folder_id: string,
  request: Request,
): Promise<ReceivedPart[]> {
  const total_bytes_max = files_bytes_times * documents.upload_bytes_max();
  announcedBytes(request, total_bytes_max);
  await folders.require(db, owner_id, folder_id);
  return receiveFiles(request, files, {
    part: "files",
    files_max,
    bytes_max: documents.upload_bytes_max(),
    total_bytes_max,
    admit: async () => undefined,
  });
}
