/** The main job by openapi-fetch, over types that openapi-typescript made: `fetch ADDRESS KEY FILE`. */
import { openAsBlob } from "node:fs";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const [baseUrl, key, path] = process.argv.slice(2) as [string, string, string];
const api = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
type Given<T> = { data?: T; error?: components["schemas"]["Problem"] | string | undefined };
const must = async <T>(call: Promise<Given<T>>): Promise<T> => {
  const { data, error } = await call;
  if (data === undefined) throw new Error(typeof error === "object" ? error.code : error);
  return data;
};

const folder = await must(api.POST("/api/dev/v1/folders", { body: { name: "By openapi-fetch" } }));
const form = new FormData();
form.set("file", await openAsBlob(path), "handbook.pdf");
const { id } = await must(
  api.POST("/api/dev/v1/documents/file", {
    params: { query: { folder_id: folder.id } },
    body: { file: "" },
    bodySerializer: () => form,
  }),
);
const documentId = { params: { path: { documentId: id }, query: { content: false } } };
let document = await must(api.GET("/api/dev/v1/documents/{documentId}", documentId));
while (document.status === "syncing") {
  await new Promise((resolve) => setTimeout(resolve, 100));
  document = await must(api.GET("/api/dev/v1/documents/{documentId}", documentId));
}
const found = await must(
  api.POST("/api/dev/v1/search", { body: { query: "ceramic filter", folder_ids: [folder.id] } }),
);
const chat = await must(api.POST("/api/dev/v1/chats", { body: { usedFolders: [folder.id] } }));
const sessionId = chat.id;
const { requestId } = await must(
  api.POST("/api/dev/v1/chats/{sessionId}/messages", {
    params: { path: { sessionId } },
    body: { text: "How often is the ceramic filter replaced?" },
  }),
);
let answer: components["schemas"]["Answer"] | undefined;
while (!answer) {
  const polled = await must(
    api.GET("/api/dev/v1/chats/{sessionId}/messages/{requestId}", {
      params: { path: { sessionId, requestId }, header: { Prefer: "wait=20" } },
    }),
  );
  if (polled.status === "COMPLETED") answer = polled.result;
}
const cited = answer.citations[0]!;
const { text } = await must(
  api.GET("/api/dev/v1/documents/{documentId}/text", {
    params: {
      path: { documentId: cited.document_id },
      query: { start: cited.start, length: cited.end - cited.start },
    },
  }),
);
const listed = await must(
  api.GET("/api/dev/v1/documents", { params: { query: { folder_id: folder.id } } }),
);
const folderId = { params: { path: { folderId: folder.id } } };
await api.DELETE("/api/dev/v1/folders/{folderId}", folderId);
const gone = await api.GET("/api/dev/v1/folders/{folderId}", folderId);
console.log(
  JSON.stringify({
    status: document.status,
    found: found.data.length > 0,
    answer: answer.answer,
    quote_is_text: text === cited.quote,
    names: listed.data.map(({ name }) => name),
    gone: [gone.response.status, gone.error?.code],
  }),
);
