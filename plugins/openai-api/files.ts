/**
 * `/v1/files`: the caller's documents. Uploads go into a folder of their own, from which they can
 * be added to other folders, the vector stores.
 */
import {
  OneOf,
  announcedBytes,
  HttpError,
  receiveFile,
  reply,
  route,
  t,
  type Call,
  type Context,
  type HandlersOf,
  type ReceivedPart,
} from "../../core/sdk";
import type { Admitted, Documents, OwnedDocument } from "../documents/contract";
import type { Folders } from "../folders/contract";
import type { Quotas } from "../quotas/contract";
import {
  ask,
  epoch_s,
  getDocument,
  type Asked,
  type DocumentRecord,
  type FolderRecord,
} from "../client/contract";

const list_max = 1_000;
/** Names within a folder are unique: the second one becomes `notes (2).txt`. */
const names_max = 1_000;
const tag = "OpenAI";
const surface = "openai";

const FileRecord = t.Object({
  id: t.String(),
  object: t.Literal("file"),
  bytes: t.Integer(),
  created_at: t.Integer(),
  expires_at: t.Null(),
  filename: t.String(),
  purpose: t.String(),
  status: t.String(),
  status_details: t.Union([t.String(), t.Null()]),
});
const file = (description: string) => ({ 200: { description, schema: FileRecord } });

export const ListQuery = t.Object({
  after: t.Optional(t.String({ description: "The last id of the page before." })),
  limit: t.Optional(t.Integer({ minimum: 1, maximum: 10_000 })),
  order: t.Optional(OneOf(["asc", "desc"])),
});

export const fileRoutes = {
  listFiles: route.get("/v1/files", {
    summary: "List files",
    tag,
    operation: "openAiListFiles",
    surface,
    query: t.Composite([ListQuery, t.Object({ purpose: t.Optional(t.String()) })]),
    answers: {
      200: {
        description: "A page of them.",
        schema: t.Object({ object: t.Literal("list"), data: t.Array(FileRecord) }),
      },
    },
  }),
  uploadFile: route.post("/v1/files", {
    summary: "Upload a file",
    tag,
    operation: "openAiCreateFile",
    surface,
    query: t.Object({ folder_id: t.Optional(t.String()) }),
    body: { multipart: { part: "file", description: "The file." } },
    body_bytes_max: Number.MAX_SAFE_INTEGER,
    answers: file("The file, not yet indexed."),
  }),
  getFile: route.get("/v1/files/:fileId", {
    summary: "Get a file",
    tag,
    operation: "openAiGetFile",
    surface,
    answers: file("The file."),
  }),
  deleteFile: route.delete("/v1/files/:fileId", {
    summary: "Delete a file",
    tag,
    operation: "openAiDeleteFile",
    surface,
    audited: false,
    answers: {
      200: {
        description: "It is out of every folder.",
        schema: t.Object({ id: t.String(), deleted: t.Boolean() }, { additionalProperties: true }),
      },
    },
  }),
  fileContent: route.get("/v1/files/:fileId/content", {
    summary: "The bytes of a file",
    tag,
    operation: "openAiGetFileContent",
    surface,
    answers: {
      200: {
        description: "The bytes.",
        schema: t.String(),
        media_type: "application/octet-stream",
      },
    },
  }),
};

/** What the routes need besides `Context`. */
export interface FileRoutesContext extends Pick<Context, "db" | "files" | "inTransaction"> {
  readonly documents: Documents;
  readonly folders: Folders;
  readonly quotas: Quotas;
  /** The name of the folder for uploads. */
  readonly uploads_folder: () => string;
}

export const fileHandlers = (ctx: FileRoutesContext): HandlersOf<typeof fileRoutes> => ({
  listFiles: async ({ caller, query }) => {
    const limit = Math.min(query.limit ?? list_max, list_max);
    const is_known_purpose = query.purpose === undefined || purposes.has(query.purpose);
    const page = is_known_purpose
      ? await ctx.documents.listOwned(ctx.db, caller.owner_id, {
          after: query.after ?? null,
          limit: limit + 1,
          ascending: query.order === "asc",
        })
      : [];
    return listOf(page.slice(0, limit).map(fileOfListed), page.length > limit);
  },
  uploadFile: async (call) => {
    const id = await upload(ctx, call, call.query.folder_id);
    call.about(id);
    return reply(200, fileOf(await getDocument(call, id)));
  },
  getFile: async (call) => fileOf(await keptFile(call)),
  deleteFile: async (call) => {
    const { id, folder_ids } = await keptFile(call);
    for (const folder_id of folder_ids) await takeOut(call, id, folder_id);
    return { id, object: "file", deleted: true };
  },
  fileContent: async (call) => {
    const { id } = await keptFile(call);
    return call.api({
      method: "GET",
      path: `/documents/${encodeURIComponent(id)}/file`,
      headers: rangeOf(call.request),
      signal: call.request.signal,
    });
  },
});

/**
 * A document without folders counts as deleted; it can be restored for a while. @throws HttpError
 */
async function keptFile(
  call: Asked & { readonly params: { readonly fileId: string } },
): Promise<DocumentRecord> {
  const document = await getDocument(call, call.params.fileId);
  if (document.folder_ids.length === 0)
    throw new HttpError(404, "not_found", "This file was deleted.");
  return document;
}

const rangeOf = ({ headers }: Request): Record<string, string> => {
  const range = headers.get("range");
  return range === null ? {} : { range };
};

/** A document that is in no folder is deleted after a while. */
export const takeOut = (call: Asked, document_id: string, folder_id: string): Promise<void> =>
  ask(
    call,
    "DELETE",
    `/documents/${encodeURIComponent(document_id)}?folder_id=${encodeURIComponent(folder_id)}`,
  );

/** A page in the form that the cursors of the official clients expect. */
export const listOf = <R extends { readonly id: string }>(
  data: readonly R[],
  has_more: boolean,
) => ({
  object: "list" as const,
  data: [...data],
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
  has_more,
});

/** The `purpose` of files; there is only one here. */
const purpose = "assistants";
const purposes: ReadonlySet<string> = new Set([purpose, "user_data"]);
const states = { syncing: "uploaded", synced: "processed", sync_failed: "error" } as const;

const fileRecord = (
  { id, name, size_bytes, status }: Pick<DocumentRecord, "id" | "name" | "size_bytes" | "status">,
  created_at: string | number,
  error: string | null,
) => ({
  id,
  object: "file" as const,
  bytes: size_bytes,
  created_at: epoch_s(created_at),
  expires_at: null,
  filename: name,
  purpose,
  status: states[status],
  status_details: error,
});
const fileOf = (document: DocumentRecord) =>
  fileRecord(document, document.created_at, document.error?.message ?? null);
const fileOfListed = (document: OwnedDocument) =>
  fileRecord(document, document.created_at, document.error_message);

/** Returns the id of the new document. @throws HttpError as an upload of the API */
async function upload(
  ctx: FileRoutesContext,
  call: Pick<Call, "api" | "caller" | "request">,
  given_folder: string | undefined,
): Promise<string> {
  const { db, documents, files, folders, quotas } = ctx;
  const { caller, request } = call;
  const bytes_max = documents.upload_bytes_max();
  const size_bytes = announcedBytes(request, bytes_max);
  await quotas.require(db, caller.owner_id, "storage", size_bytes);
  await quotas.require(db, caller.owner_id, "documents", 1);
  if (given_folder !== undefined) await folders.require(db, caller.owner_id, given_folder);
  const received = await receiveFile(request, files, {
    part: "file",
    bytes_max,
    admit: async () => undefined,
  });
  try {
    const folder_id = given_folder ?? (await uploadsFolder(ctx, call));
    const admitted = await documents.admit(
      {
        owner_id: caller.owner_id,
        folder_id,
        name: received.name,
        media_type: received.declared_type,
        origin: { kind: "upload", uri: null, run_id: null },
        from: received.received,
      },
      request.signal,
    );
    await received.received.keep();
    return await addUnderFreeName(ctx, caller.owner_id, received, { folder_id, admitted });
  } finally {
    documents.removeFiles([received.received.sha256]);
    await received.received.release();
  }
}

/** Created if it does not exist. */
async function uploadsFolder(
  { db, folders, uploads_folder }: FileRoutesContext,
  call: Pick<Call, "api" | "caller" | "request">,
): Promise<string> {
  const name = uploads_folder();
  const existing_id = await folders.findRoot(db, call.caller.owner_id, name);
  return existing_id ?? (await ask<FolderRecord>(call, "POST", "/folders", { name })).id;
}

/** Its own name, or the first numbered variant not used in the folder of uploads. */
async function addUnderFreeName(
  { documents, inTransaction }: FileRoutesContext,
  owner_id: string,
  { name, declared_type, received }: ReceivedPart,
  into: { readonly folder_id: string; readonly admitted: Admitted },
): Promise<string> {
  for (let n = 1; n <= names_max; n++)
    try {
      return await inTransaction(async (tx) => {
        const { document_id } = await documents.ingest(tx, owner_id, {
          ...into,
          name: n === 1 ? name : numbered(name, n),
          origin: { kind: "upload", uri: null, run_id: "" },
          file: received,
          declared_type,
        });
        return document_id;
      });
    } catch (error) {
      if (!(error instanceof HttpError) || error.status !== 409) throw error;
    }
  throw new HttpError(409, "conflict", `The folder already has ${names_max} files named ${name}.`);
}

function numbered(name: string, n: number): string {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? `${name} (${n})` : `${name.slice(0, dot)} (${n})${name.slice(dot)}`;
}
