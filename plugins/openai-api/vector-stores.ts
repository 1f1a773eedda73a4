/** `/v1/vector_stores`: folders, what they hold, and the search in them. */
import {
  badRequest,
  HttpError,
  reply,
  route,
  t,
  type Context,
  type HandlersOf,
} from "../../core/sdk";
import type { Documents, OwnedDocument } from "../documents/contract";
import type { FoundPassage } from "../search/contract";
import {
  ask,
  epoch_s,
  getDocument,
  getFolder,
  listFolders,
  type Asked,
  type DocumentRecord,
  type FolderRecord,
} from "../client/contract";
import { Maybe } from "./maybe";
import { listOf, ListQuery, takeOut } from "./files";
import { folderOf } from "./models";

const results_default = 10;
const results_max = 50;
const queries_max = 10;
const stores_max = 20_000;
const page_max = 100;
const surface = "openai";
const tag = "OpenAI";

const SearchBody = t.Object({
  query: t.Union([t.String(), t.Array(t.String(), { minItems: 1, maxItems: queries_max })]),
  max_num_results: Maybe(t.Integer({ minimum: 1 })),
  ranking_options: Maybe(t.Object({ score_threshold: Maybe(t.Number()) })),
  filters: t.Optional(t.Unknown()),
});
const Anything = t.Object({}, { additionalProperties: true });
const answers = (description: string) => ({ 200: { description, schema: Anything } });

export const vectorStoreRoutes = {
  search: route.post("/v1/vector_stores/:storeId/search", {
    summary: "Search a folder",
    tag,
    operation: "openAiSearchVectorStore",
    surface,
    scope: "read",
    body: SearchBody,
    answers: answers("The passages found, best first."),
  }),
  stores: route.get("/v1/vector_stores", {
    summary: "List folders",
    tag,
    operation: "openAiListVectorStores",
    surface,
    query: ListQuery,
    answers: answers("A page of them."),
  }),
  createStore: route.post("/v1/vector_stores", {
    summary: "Create a folder",
    tag,
    operation: "openAiCreateVectorStore",
    surface,
    audited: false,
    body: t.Object({
      name: Maybe(t.String()),
      description: Maybe(t.String()),
      file_ids: Maybe(t.Array(t.String(), { maxItems: 100 })),
    }),
    answers: answers("The folder."),
  }),
  store: route.get("/v1/vector_stores/:storeId", {
    summary: "Get a folder",
    tag,
    operation: "openAiGetVectorStore",
    surface,
    answers: answers("The folder."),
  }),
  deleteStore: route.delete("/v1/vector_stores/:storeId", {
    summary: "Delete a folder",
    tag,
    operation: "openAiDeleteVectorStore",
    surface,
    audited: false,
    answers: answers("It is gone, with what no other folder holds."),
  }),
  storeFiles: route.get("/v1/vector_stores/:storeId/files", {
    summary: "List the documents of a folder",
    tag,
    operation: "openAiListVectorStoreFiles",
    surface,
    query: ListQuery,
    answers: answers("A page of them."),
  }),
  addFile: route.post("/v1/vector_stores/:storeId/files", {
    summary: "Put a document into a folder",
    tag,
    operation: "openAiCreateVectorStoreFile",
    surface,
    audited: false,
    body: t.Object({ file_id: t.String() }),
    answers: answers("The document in the folder."),
  }),
  storeFile: route.get("/v1/vector_stores/:storeId/files/:fileId", {
    summary: "Get a document of a folder",
    tag,
    operation: "openAiGetVectorStoreFile",
    surface,
    answers: answers("The document in the folder."),
  }),
  removeFile: route.delete("/v1/vector_stores/:storeId/files/:fileId", {
    summary: "Take a document out of a folder",
    tag,
    operation: "openAiDeleteVectorStoreFile",
    surface,
    audited: false,
    answers: answers("It is out of the folder."),
  }),
};

export const vectorStoreHandlers = ({
  db,
  documents,
}: Pick<Context, "db"> & { readonly documents: Documents }): HandlersOf<
  typeof vectorStoreRoutes
> => ({
  search: async (call) => {
    const { body } = call;
    const folder = await folderOf(call, call.params.storeId, storeNotFound);
    if (body.filters !== undefined && body.filters !== null)
      throw badRequest(
        "Filters are not supported, because documents have no attributes. Search a folder " +
          "with the documents you need.",
        "/filters",
        "unsupported_value",
      );
    const queries = typeof body.query === "string" ? [body.query] : body.query;
    const limit = Math.min(body.max_num_results ?? results_default, results_max);
    const passages: FoundPassage[] = [];
    for (const query of queries)
      passages.push(...(await search(call, query, folder && [folder.id], limit)));
    const threshold = body.ranking_options?.score_threshold ?? 0;
    const best = distinct(passages)
      .filter(({ score }) => score >= threshold)
      .sort((a, b) => b.score - a.score);
    return {
      object: "vector_store.search_results.page",
      search_query: queries,
      data: best.slice(0, limit).map(toResult),
      has_more: false,
      next_page: null,
    };
  },
  stores: async (call) => {
    const { after, limit = 20, order = "desc" } = call.query;
    const newest = await listFolders(call, stores_max);
    const folders = order === "asc" ? newest.reverse() : newest;
    const from = after === undefined ? 0 : folders.findIndex(({ id }) => id === after) + 1;
    if (after !== undefined && from === 0)
      throw badRequest("`after` must be the id of a vector store.", "?after");
    const page = folders.slice(from, from + Math.min(limit, page_max));
    return listOf(page.map(toStore), from + page.length < folders.length);
  },
  createStore: async (call) => {
    const { name, description, file_ids } = call.body;
    const folder = await ask<FolderRecord>(call, "POST", "/folders", {
      name: name?.trim() ? name : "Vector store",
      description: description ?? null,
    });
    for (const file_id of file_ids ?? []) await link(call, file_id, folder.id);
    return reply(200, toStore(await getFolder(call, folder.id)));
  },
  store: async (call) => toStore(await getFolder(call, call.params.storeId)),
  deleteStore: async (call) => {
    const { id } = await getFolder(call, call.params.storeId);
    await ask(call, "DELETE", `/folders/${id}`);
    return { id, object: "vector_store.deleted", deleted: true };
  },
  storeFiles: (call) => listFiles(call, db, documents),
  addFile: async (call) => {
    const { id } = await getFolder(call, call.params.storeId);
    return toStoreFile(await link(call, call.body.file_id, id), id);
  },
  storeFile: async (call) => toStoreFile(await documentIn(call), call.params.storeId),
  removeFile: async (call) => {
    const { id } = await documentIn(call);
    await takeOut(call, id, call.params.storeId);
    return { id, object: "vector_store.file.deleted", deleted: true };
  },
});

const storeNotFound = (named: string): HttpError =>
  new HttpError(
    404,
    "not_found",
    `There is no vector store ${named.slice(0, 200)}. A vector store is the id or name of ` +
      "a folder.",
  );

const search = async (
  call: Asked,
  query: string,
  folder_ids: readonly string[] | null,
  limit: number,
): Promise<readonly FoundPassage[]> =>
  (
    await ask<{ readonly data: readonly FoundPassage[] }>(call, "POST", "/search", {
      query,
      folder_ids,
      limit,
    })
  ).data;

/** What several queries have found, once. */
function distinct(passages: readonly FoundPassage[]): FoundPassage[] {
  const best = new Map<string, FoundPassage>();
  for (const passage of passages) {
    const key = `${passage.document_id} ${passage.start} ${passage.end}`;
    if ((best.get(key)?.score ?? -1) < passage.score) best.set(key, passage);
  }
  return [...best.values()];
}

const toResult = (passage: FoundPassage) => ({
  file_id: passage.document_id,
  filename: passage.document_name,
  score: passage.score,
  attributes: {
    folder_id: passage.folder_id,
    start: passage.start,
    end: passage.end,
    ...(passage.page !== null && { page: passage.page }),
    ...(passage.heading !== null && { heading: passage.heading }),
  },
  content: [{ type: "text", text: passage.quote }],
});

const link = (call: Asked, file_id: string, folder_id: string): Promise<DocumentRecord> =>
  ask(call, "POST", `/documents/${encodeURIComponent(file_id)}/links`, { folder_id });

type FilesCall = Parameters<HandlersOf<typeof vectorStoreRoutes>["storeFiles"]>[0];

/** A page of what the folder holds. @throws HttpError 400, 403, 404 */
async function listFiles(call: FilesCall, db: Context["db"], documents: Documents) {
  const { after = null, limit = 20, order = "desc" } = call.query;
  const { id } = await getFolder(call, call.params.storeId);
  if (after !== null && !(await isIn(call, id, after)))
    throw badRequest("`after` must be the id of a file of this vector store.", "?after");
  const size = Math.min(limit, page_max);
  const page = { after, limit: size + 1, ascending: order === "asc" };
  const page_found = await documents.listOwned(db, call.caller.owner_id, page, id);
  return listOf(
    page_found
      .slice(0, size)
      .map((document) => toStoreFile({ ...document, error: messageOf(document) }, id)),
    page_found.length > size,
  );
}

/** Whether the folder holds a document that the caller may see. */
async function isIn(call: Asked, folder_id: string, document_id: string): Promise<boolean> {
  try {
    return (await getDocument(call, document_id)).folder_ids.includes(folder_id);
  } catch (error) {
    if (!(error instanceof HttpError) || (error.status !== 403 && error.status !== 404))
      throw error;
    return false;
  }
}

/** @throws HttpError 404 when the folder does not hold it */
async function documentIn(
  call: Asked & { readonly params: { readonly storeId: string; readonly fileId: string } },
): Promise<DocumentRecord> {
  const { storeId, fileId } = call.params;
  const document = await getDocument(call, fileId);
  if (!document.folder_ids.includes(storeId))
    throw new HttpError(404, "not_found", "The folder does not contain this document.");
  return document;
}

function toStore({ id, name, description, document_count, status_counts, ...times }: FolderRecord) {
  const { syncing, synced, sync_failed } = status_counts;
  return {
    id,
    object: "vector_store",
    created_at: epoch_s(times.created_at),
    last_active_at: epoch_s(times.updated_at),
    name,
    description,
    usage_bytes: 0,
    status: syncing > 0 ? "in_progress" : "completed",
    file_counts: {
      in_progress: syncing,
      completed: synced,
      failed: sync_failed,
      cancelled: 0,
      total: document_count,
    },
    metadata: {},
  };
}

const store_states = {
  syncing: "in_progress",
  synced: "completed",
  sync_failed: "failed",
} as const;
const messageOf = ({ error_message }: OwnedDocument): DocumentRecord["error"] =>
  error_message === null ? null : { message: error_message };
interface StoreFile extends Pick<DocumentRecord, "error" | "id" | "size_bytes" | "status"> {
  readonly created_at: string | number;
}
const toStoreFile = (document: StoreFile, vector_store_id: string) => ({
  id: document.id,
  object: "vector_store.file",
  created_at: epoch_s(document.created_at),
  vector_store_id,
  usage_bytes: document.size_bytes,
  status: store_states[document.status],
  last_error:
    document.error === null ? null : { code: "invalid_file", message: document.error.message },
  attributes: {},
});
