/** Each call of the HTTP face: one call to the rules, one record back. */
import {
  announcedBytes,
  receiveFile,
  reply,
  toPage,
  type Files,
  type HandlersOf,
} from "../../core/sdk";
import { originalResponse } from "./downloading";
import { documentUrl, toRecord, type Document } from "./record";
import type { routes } from "./routes";
import type { DocumentService } from "./service";

export interface HandlerParts {
  readonly files: Files;
  readonly upload_bytes_max: number;
}

export const documentHandlers = (
  documents: DocumentService,
  { files, upload_bytes_max }: HandlerParts,
): HandlersOf<typeof routes> => ({
  list: async ({ caller, query }) => {
    const { documents: page, total } = await documents.list(
      caller.owner_id,
      query.folder_id,
      query,
      query,
    );
    return toPage(page.map(toRecord), total, query);
  },

  createText: async ({ caller, body }) =>
    located(201, await documents.addText(caller.owner_id, body)),

  upload: async ({ caller, query: { folder_id, overwrite = false }, request }) => {
    const length_bytes = announcedBytes(request, upload_bytes_max);
    await documents.requireFolder(caller.owner_id, folder_id);
    const { received, ...file } = await receiveFile(request, files, {
      part: "file",
      bytes_max: upload_bytes_max,
      admit: (file) =>
        documents.admitUpload(caller.owner_id, { ...file, folder_id, overwrite }, length_bytes),
    });
    const { document, replaced } = await documents.addUpload(
      caller.owner_id,
      { ...file, folder_id, overwrite },
      received,
    );
    return located(replaced ? 200 : 201, document);
  },

  get: async ({ caller, params, query }) => {
    if (query.content === false)
      return toRecord(await documents.get(caller.owner_id, params.documentId));
    const { content, ...document } = await documents.getWithContent(
      caller.owner_id,
      params.documentId,
    );
    return { ...toRecord(document), content };
  },

  outline: ({ caller, params }) => documents.outline(caller.owner_id, params.documentId),

  original: async ({ caller, params, request }) =>
    originalResponse(request, await documents.original(caller.owner_id, params.documentId)),

  rename: async ({ caller, params, body }) =>
    toRecord(await documents.rename(caller.owner_id, params.documentId, body.name)),

  unlink: async ({ caller, params, query }) => {
    await documents.unlink(caller.owner_id, params.documentId, query.folder_id);
    return reply(204);
  },

  reindex: async ({ caller, params }) =>
    located(202, await documents.reindex(caller.owner_id, params.documentId), {
      "retry-after": "1",
    }),

  link: async ({ caller, params, body }) =>
    toRecord(await documents.link(caller.owner_id, params.documentId, body.folder_id)),

  restore: async ({ caller, params, query }) =>
    toRecord(await documents.restore(caller.owner_id, params.documentId, query.folder_id)),
});

const located = (
  status: number,
  document: Document,
  headers: Readonly<Record<string, string>> = {},
) => reply(status, toRecord(document), { location: documentUrl(document.row.id), ...headers });
