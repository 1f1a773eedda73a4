/** The HTTP routes of folder archives. */
import {
  OneOf,
  announcedBytes,
  attachment,
  Nullable,
  PageOf,
  PageQuery,
  receiveBody,
  receiveFile,
  reply,
  rfc3339,
  rfc3339OrNull,
  route,
  t,
  Timestamp,
  toPage,
  type Context,
  type HandlersOf,
  type Static,
  named,
  TrimmedName,
  documented,
  Failure,
} from "../../core/sdk";
import type { Checked } from "./child/check";
import type { ExportService } from "./exports";
import type { ImportService } from "./imports";
import { Counts, LeftOut } from "./layout";
import type { ImportRow } from "./store";

const tag = "Folders";

const ImportRecord = named(
  "FolderImport",
  t.Object({
    id: t.String({ description: "Opaque, starts with `fim_`." }),
    status: OneOf(["pending", "running", "completed", "failed"], {
      description: "Nothing is found of it before it is `completed`, and then all of it.",
    }),
    folder_id: Nullable(t.String(), "The folder, once it is completed."),
    document_count: t.Integer({ minimum: 0, description: "Documents of the archive." }),
    completed_document_count: t.Integer({ minimum: 0, description: "Those that are here." }),
    counts: Nullable(
      named("FolderImportCounts", Counts),
      "What the archive holds, once it was looked through.",
    ),
    left_out: Nullable(
      named("FolderImportLeftOut", LeftOut),
      "What the folder had, and the archive has not: documents that changed while it was made, " +
        "chats that asked other folders too, messages that were being answered.",
    ),
    error: Nullable(Failure, "Why it failed."),
    created_at: Timestamp(),
    started_at: Nullable(Timestamp()),
    finished_at: Nullable(Timestamp()),
  }),
);
const counts_example = {
  folders: 2,
  documents: 120,
  originals: 96,
  passages: 2_310,
  prompts: 1,
  chats: 3,
  messages: 14,
};
const example: Static<typeof ImportRecord> = {
  id: "fim_01JB2Q7T9V1X3Z5B7D9F1H3J5K",
  status: "running",
  folder_id: null,
  document_count: 120,
  completed_document_count: 41,
  counts: counts_example,
  left_out: { documents: 0, chats: 1, messages: 0 },
  error: null,
  created_at: "2026-03-01T09:30:00.000Z",
  started_at: "2026-03-01T09:30:00.100Z",
  finished_at: null,
};
const IdRecord = named(
  "FolderImportId",
  t.Object({
    kind: OneOf(["folder", "document", "prompt", "chat"]),
    source_id: t.String({ description: "In the archive." }),
    id: t.String({ description: "Here." }),
  }),
);
const id_example = {
  kind: "document" as const,
  source_id: "doc_01JB2M4T9V6W8X3Y5Z7A1C2E4G",
  id: "doc_01JB2Q7X3C5E7G9J1M3P5R7T9V",
};

export const routes = {
  export: route.get("/folders/:folderId/export", {
    summary: "Export a folder",
    tag,
    operation: "exportFolder",
    description:
      "The folder and its subfolders as one ZIP file, made while it is sent: originals, texts, " +
      "the index with its vectors, and the caller's chats that ask these folders and no others, " +
      "with their prompts. `manifest.json`, its last entry, names each part with its SHA-256. " +
      "The layout is in docs/operations.md.",
    answers: {
      200: {
        description: "The archive.",
        media_type: "application/zip",
        schema: t.String({ format: "binary" }),
        headers: { "content-disposition": "An attachment with the folder's name." },
      },
    },
    errors: { 503: "Too many folders are being exported at this moment." },
  }),
  import: route.post("/folders/import", {
    summary: "Import a folder",
    tag,
    operation: "importFolder",
    description:
      "Makes a folder of an archive that an export has made, here or on another server. Nothing " +
      "is read or embedded again where this server indexes as that one did. All records get new " +
      "ids, and nothing is found before everything is there. An archive with a fault is refused " +
      "with 400 (`bad_archive`) that names the part; of a very large one the import says so, " +
      "with the same words.",
    query: t.Object({
      name: t.Optional(
        documented(
          TrimmedName(
            "What the folder is to be called. Without it as it was, with ` (2)` if that is taken.",
          ),
          { examples: ["Field reports"] },
        ),
      ),
    }),
    body: {
      multipart: { part: "file", description: "The archive." },
      or_media_type: "application/zip",
    },
    // The limit is a setting: the handler checks it before reading anything.
    body_bytes_max: Number.MAX_SAFE_INTEGER,
    answers: {
      202: {
        description: "The import, which is about to begin.",
        schema: ImportRecord,
        headers: {
          location: "Where the import is polled.",
          "retry-after": "When to ask again, seconds.",
        },
        links: {
          getFolderImport: { importId: "id" },
          listFolderImportIds: { importId: "id" },
        },
        example: { ...example, status: "pending" as const, started_at: null },
      },
    },
    errors: {
      400: { bad_archive: "The archive has a fault: the detail names the part." },
      403: { quota_exceeded: "A quota has no room for what the archive holds." },
      413: {
        too_large: "The archive is larger than the server accepts.",
        archive_too_large: "What the archive unpacks to is larger than the server accepts.",
      },
      415: "The body is neither multipart/form-data nor application/zip.",
    },
  }),
  list: route.get("/folder-imports", {
    summary: "List imports of folders",
    tag,
    operation: "listFolderImports",
    description:
      "The caller's, newest first. One is forgotten some time after its end " +
      "(`folder_archives.keep_imports`).",
    query: PageQuery,
    answers: {
      200: {
        description: "One page of imports.",
        schema: PageOf(ImportRecord),
        example: toPage([example], 1, {}),
      },
    },
  }),
  get: route.get("/folder-imports/:importId", {
    summary: "Get an import of a folder",
    tag,
    operation: "getFolderImport",
    answers: { 200: { description: "How far it is.", schema: ImportRecord, example } },
  }),
  ids: route.get("/folder-imports/:importId/ids", {
    summary: "List which record became which",
    tag,
    operation: "listFolderImportIds",
    description: "The ids of the archive and those that its records have here.",
    query: PageQuery,
    answers: {
      200: {
        description: "One page of ids.",
        schema: PageOf(IdRecord),
        example: toPage([id_example], 1, {}),
      },
    },
  }),
};

export const archiveHandlers = (
  { files }: Pick<Context, "files">,
  { exports, imports }: { readonly exports: ExportService; readonly imports: ImportService },
): HandlersOf<typeof routes> => ({
  async export({ caller, params, request }) {
    const { name, stream } = await exports.open(caller.owner_id, params.folderId, request.signal);
    return new Response(stream, {
      headers: {
        "content-type": "application/zip",
        "content-disposition": attachment(`${name}.zip`),
        "cache-control": "no-store",
      },
    });
  },
  async import({ caller, query, request }) {
    const { bytes_max } = imports;
    announcedBytes(request, bytes_max);
    const received = await receiveArchive(request, files, bytes_max);
    const row = await imports.begin(caller.owner_id, received, query.name ?? null);
    return reply(202, toRecord(row), {
      location: `/api/dev/v1/folder-imports/${row.id}`,
      "retry-after": "1",
    });
  },
  async list({ caller, query }) {
    const { rows, total } = await imports.list(caller.owner_id, query);
    return toPage(rows.map(toRecord), total, query);
  },
  get: async ({ caller, params }) => toRecord(await imports.get(caller.owner_id, params.importId)),
  async ids({ caller, params, query }) {
    const { rows, total } = await imports.listIds(caller.owner_id, params.importId, query);
    return toPage(
      rows.map(({ kind, source_id, id }) => ({ kind, source_id, id })),
      total,
      query,
    );
  },
});

/** The part `file`, or the body itself. */
async function receiveArchive(request: Request, files: Context["files"], bytes_max: number) {
  const is_multipart = /^multipart\//i.test(request.headers.get("content-type") ?? "");
  if (!is_multipart) return receiveBody(request, files, bytes_max);
  const { received } = await receiveFile(request, files, {
    part: "file",
    bytes_max,
    admit: async () => {},
  });
  return received;
}

function toRecord(row: ImportRow): Static<typeof ImportRecord> {
  const { id, status, folder_id, total, done, error_code, error_message } = row;
  const checked: Checked | null = row.checked === null ? null : JSON.parse(row.checked);
  return {
    id,
    status,
    folder_id,
    document_count: total,
    completed_document_count: done,
    counts: checked?.counts ?? null,
    left_out: checked?.left_out ?? null,
    error: error_code === null ? null : { code: error_code, message: error_message ?? "" },
    created_at: rfc3339(row.created_at),
    started_at: rfc3339OrNull(row.started_at),
    finished_at: rfc3339OrNull(row.finished_at),
  };
}
