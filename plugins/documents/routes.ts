/** The routes of documents: requests, responses and handlers. */
import {
  check_errors,
  documented,
  announcedBytes,
  Nullable,
  PageOf,
  PageQuery,
  receiveFile,
  reply,
  route,
  t,
  toPage,
  type Client,
  type FilePart,
  type HandlersOf,
  named,
} from "../../core/sdk";
import type { DocumentContext } from "./context";
import * as creation from "./creation/new-documents";
import { original_bytes, originalResponse } from "./originals/download";
import { reindex } from "./indexing/requeue";
import { FolderQuery, ListQuery } from "./lists/list-query";
import * as links from "./links/link-service";
import { documentName, NameText, NewName } from "./creation/names";
import { getOutline } from "./outline";
import * as queries from "./queries";
import {
  DocumentRecord,
  documentUrl,
  DocumentWithContent,
  example,
  Outline,
  outline_example,
  toRecord,
  type Document,
} from "./record";
import { withContent } from "./texts/text-bytes";
import { readRange, textRoute } from "./texts/text-range";

const NewText = named(
  "NewDocument",
  t.Object({
    folder_id: t.String({ description: "The folder it goes into." }),
    name: t.Optional(
      Nullable(
        NameText("Trimmed, not blank, no control characters."),
        "At most 255 characters. Without it the document is named after its first line.",
      ),
    ),
    content: t.String({
      description:
        "The text, kept exactly as it is sent. An empty one is stored, and ends as `sync_failed`.",
    }),
  }),
);

const syncing = {
  ...example,
  status: "syncing",
  indexing: { stage: "queued", progress: 0, attempts: 0, vectors: "none" },
  page_count: null,
  language: null,
  synced_at: null,
  updated_at: example.created_at,
} as const;
const location_header = {
  location: "Path of the document: poll it until its status is no longer `syncing`.",
};
const documentAnswer = (description: string) => ({ description, schema: DocumentRecord, example });
const name_taken = { name_taken: "An upload of the folder already has this name." };
const no_folder = "The folder could not be found.";
const quota_reached = {
  quota_exceeded: "The quota of documents or of storage is reached; the detail names it.",
};
const document_links = {
  getDocument: { documentId: "id" },
  renameDocument: { documentId: "id" },
  linkDocument: { documentId: "id" },
  downloadDocument: { documentId: "id" },
};
const tag = "Documents";

export const routes = {
  list: route.get("/documents", {
    summary: "List the documents of a folder",
    tag,
    operation: "listDocuments",
    description:
      "The documents of this very folder, subfolders aside, newest first unless sorted. Items " +
      "carry no text: fetch it from `content_url`.",
    query: t.Composite([ListQuery, PageQuery]),
    answers: {
      200: {
        description: "One page of documents.",
        schema: PageOf(DocumentRecord),
        example: toPage([example], 1, {}),
      },
    },
    errors: { 404: no_folder },
  }),
  createText: route.post("/documents", {
    summary: "Create a text document",
    tag,
    operation: "createDocument",
    description: "Stores the text and indexes it in the background. Texts may share a name.",
    body: NewText,
    body_bytes_max: 16 * 2 ** 20,
    body_long_text: "content",
    example: {
      folder_id: example.folder_ids[0],
      name: "Visit notes",
      content: "The mooring was lifted at noon.",
    },
    answers: {
      201: {
        description: "The document, not yet indexed.",
        schema: DocumentRecord,
        headers: location_header,
        links: document_links,
        example: {
          ...syncing,
          name: "Visit notes",
          media_type: "text/plain",
          source: { ...syncing.source, kind: "text" },
        },
      },
    },
    errors: { ...check_errors, 403: quota_reached, 404: no_folder, 415: "The body is not JSON." },
  }),
  upload: route.post("/documents/file", {
    summary: "Upload a file",
    tag,
    operation: "uploadDocument",
    description:
      "Stores the file, reads its text and indexes it in the background. Its name is the last " +
      "segment of the part's file name. " +
      "A document of the same name in the folder is refused with 409, or replaced with " +
      "`overwrite=true`: it keeps its id, and its old text answers until the new one is " +
      "indexed.",
    query: t.Composite([
      FolderQuery,
      t.Object({
        overwrite: t.Optional(
          t.Boolean({ default: false, description: "Replace the newest document of that name." }),
        ),
        name: t.Optional(
          documented(NameText("What it is to be called, instead of the file's name."), {
            examples: ["2026/survey.pdf"],
          }),
        ),
      }),
    ]),
    body: {
      multipart: {
        part: "file",
        description: "The file. Its file name is required; its media type is only a hint.",
      },
    },
    // The limit is a setting: the handler checks it before reading.
    body_bytes_max: Number.MAX_SAFE_INTEGER,
    answers: {
      200: {
        description: "The document it replaced, not yet indexed.",
        schema: DocumentRecord,
        headers: location_header,
        example: { ...syncing, version: 2 },
      },
      201: {
        description: "The new document, not yet indexed.",
        schema: DocumentRecord,
        headers: location_header,
        links: document_links,
        example: syncing,
      },
    },
    errors: {
      ...check_errors,
      403: quota_reached,
      404: no_folder,
      409: { name_taken: "A document with the same file name already exists." },
      413: "The file is larger than the server accepts.",
      415: "The body is not multipart/form-data.",
    },
  }),
  get: route.get("/documents/:documentId", {
    summary: "Get a document",
    tag,
    operation: "getDocument",
    query: t.Object({
      content: t.Optional(t.Boolean({ description: "With `false`, leaves the text out." })),
    }),
    answers: {
      200: {
        description: "The document with its text.",
        schema: DocumentWithContent,
        example: { ...example, content: "The mooring was lifted at noon." },
      },
    },
  }),
  outline: route.get("/documents/:documentId/outline", {
    summary: "Get the pages and headings of a document",
    tag,
    operation: "getDocumentOutline",
    surface: "console",
    description: "Of the text that answers.",
    answers: {
      200: {
        description: "Their places in the content.",
        schema: Outline,
        example: outline_example,
      },
    },
  }),
  text: textRoute,
  original: route.get("/documents/:documentId/file", {
    summary: "Download the original",
    tag,
    operation: "downloadDocument",
    description:
      "The bytes as they were sent, of the version that answers. One `Range` is honoured.",
    answers: {
      200: {
        description: "The bytes.",
        ...original_bytes,
        headers: {
          "content-disposition": "An attachment with the document's name.",
          etag: "The SHA-256 of the bytes.",
          "accept-ranges": "Always `bytes`.",
        },
      },
      206: {
        description: "The bytes of the range.",
        ...original_bytes,
        headers: { "content-range": "Which bytes, and of how many." },
      },
      304: { description: "They are what `If-None-Match` names." },
    },
    errors: { 416: "The range lies outside." },
  }),
  rename: route.patch("/documents/:documentId", {
    summary: "Rename a document",
    tag,
    operation: "renameDocument",
    body: NewName,
    example: { name: "mooring-survey-2026.pdf" },
    answers: { 200: documentAnswer("The document under its new name.") },
    errors: { 409: name_taken },
  }),
  unlink: route.delete("/documents/:documentId", {
    summary: "Take a document out of a folder",
    tag,
    operation: "unlinkDocument",
    description:
      "The document leaves the folder's list, search and chats at once, and stays in its other " +
      "folders. It can be restored; one that no folder has is deleted for good after a while.",
    query: FolderQuery,
    answers: { 204: { description: "It is out of the folder." } },
  }),
  reindex: route.post("/documents/:documentId/reindex", {
    summary: "Index a document again",
    tag,
    operation: "reindexDocument",
    description:
      "Reads and indexes the newest version again, above all after `sync_failed`. What answers " +
      "now goes on answering meanwhile.",
    answers: {
      202: {
        description: "The document, about to be indexed.",
        schema: DocumentRecord,
        headers: { ...location_header, "retry-after": "Seconds until polling makes sense." },
        example: syncing,
      },
    },
  }),
  link: route.post("/documents/:documentId/links", {
    summary: "Put a document into another folder",
    tag,
    operation: "linkDocument",
    description:
      "The document stays in its other folders. One that is in the folder already stays there.",
    body: named("DocumentLink", FolderQuery),
    example: { folder_id: example.folder_ids[0] },
    answers: { 200: documentAnswer("The document, in one more folder.") },
    errors: {
      400: { folder_limit: "The document is in as many folders as it may be." },
      409: name_taken,
    },
  }),
  restore: route.post("/documents/:documentId/restore", {
    summary: "Put a document back into a folder",
    tag,
    operation: "restoreDocument",
    description: "Undoes taking it out of that folder.",
    query: FolderQuery,
    answers: { 200: documentAnswer("The document, back in the folder.") },
    errors: { 409: name_taken },
  }),
};

type Handlers = HandlersOf<typeof routes>;

export const documentHandlers = (ctx: DocumentContext): Handlers => ({
  ...readingHandlers(ctx),
  ...uploadHandler(ctx),

  list: async ({ caller, client, query, request: { signal } }) => {
    const { documents, total } = await queries.listDocuments(ctx, caller.owner_id, query, signal);
    return toPage(
      documents.map((document) => toRecord(document, client)),
      total,
      query,
    );
  },

  createText: async ({ caller, client, body, long_text, request: { signal } }) => {
    const text = { ...body, long_text };
    return documentReply(client, 201, await creation.addText(ctx, caller.owner_id, text, signal));
  },

  get: async ({ caller, client, params, query }) => {
    if (query.content === false)
      return toRecord(await queries.getDocument(ctx, caller.owner_id, params.documentId), client);
    const document = await queries.getWithContent(ctx, caller.owner_id, params.documentId);
    const { content } = document;
    return typeof content === "string"
      ? { ...toRecord(document, client), content }
      : withContent(toRecord(document, client), content);
  },

  rename: async ({ caller, client, params, body }) =>
    toRecord(await links.rename(ctx, caller.owner_id, params.documentId, body.name), client),

  unlink: async ({ caller, params, query }) => {
    await links.unlink(ctx, caller.owner_id, params.documentId, query.folder_id);
    return reply(204);
  },

  reindex: async ({ caller, client, params }) =>
    documentReply(client, 202, await reindex(ctx, caller.owner_id, params.documentId), {
      "retry-after": "1",
    }),

  link: async ({ caller, client, params, body }) =>
    toRecord(await links.link(ctx, caller.owner_id, params.documentId, body.folder_id), client),

  restore: async ({ caller, client, params, query }) =>
    toRecord(await links.restore(ctx, caller.owner_id, params.documentId, query.folder_id), client),
});

const uploadHandler = (ctx: DocumentContext): Pick<Handlers, "upload"> => ({
  upload: async ({ caller, client, query: { folder_id, overwrite = false, name }, request }) => {
    const chosen_name = name === undefined ? {} : { name: documentName(name, "?name") };
    const uploadOf = (file: FilePart) => ({ ...file, ...chosen_name, folder_id, overwrite });
    const bytes_max = ctx.config.upload_bytes_max;
    const size_bytes = announcedBytes(request, bytes_max);
    await ctx.folders.require(ctx.db, caller.owner_id, folder_id);
    const { received, ...file } = await receiveFile(request, ctx.files, {
      part: "file",
      bytes_max,
      admit: (file) => creation.checkUpload(ctx, caller.owner_id, uploadOf(file), size_bytes),
    });
    const { document, replaced } = await creation.addUpload(
      ctx,
      caller.owner_id,
      uploadOf(file),
      received,
      request.signal,
    );
    return documentReply(client, replaced ? 200 : 201, document);
  },
});

const readingHandlers = (
  ctx: DocumentContext,
): Pick<Handlers, "original" | "outline" | "text"> => ({
  outline: ({ caller, params }) => getOutline(ctx, caller.owner_id, params.documentId),

  text: ({ caller, params, query }) => readRange(ctx, caller.owner_id, params.documentId, query),

  original: async ({ caller, params, request }) =>
    originalResponse(request, await queries.getOriginal(ctx, caller.owner_id, params.documentId)),
});

const documentReply = (
  client: Client,
  status: number,
  document: Document,
  headers: Readonly<Record<string, string>> = {},
) =>
  reply(status, toRecord(document, client), { location: documentUrl(document.row.id), ...headers });
