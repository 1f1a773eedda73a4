/** A user of the API with their own key, and common operations. */
import { form } from "./forms";
import { until, type Answered, type ApiServer, type SentHeaders } from "./server";

/** A user of the API. */
export interface Person {
  readonly key: string;
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: SentHeaders,
  ) => Promise<Answered>;
  /** POSTs a record that must be created, and returns it. */
  readonly create: (path: string, body?: unknown) => Promise<any>;
  readonly folder: (name?: string, parentId?: string) => Promise<string>;
  /** A text document as created, before it is indexed. */
  readonly newText: (folder_id: string, content: string, name?: string) => Promise<any>;
  /** A text document after indexing. */
  readonly text: (folder_id: string, content: string, name?: string) => Promise<any>;
  readonly upload: (
    folder_id: string,
    name: string,
    content: string | Uint8Array<ArrayBuffer>,
    query?: string,
  ) => Promise<Answered>;
  /** The document with its current content. */
  readonly get: (id: string) => Promise<any>;
  /** The document with its content, after indexing. */
  readonly settled: (id: string) => Promise<any>;
  /** Ids of the documents found by a search, best first. */
  readonly found: (query: string, folder_ids?: readonly string[]) => Promise<string[]>;
  /** Names in a folder's list. */
  readonly names: (folder_id: string, query?: string) => Promise<string[]>;
  /** The poll of a message once it is no longer running. */
  readonly finished: (path: string) => Promise<Answered>;
  /** Asks in a session and returns the result. */
  readonly ask: (chat_id: string, text: string) => Promise<any>;
}

const limit_ms = 20_000;

/** `person(server, "ada")`. */
export async function person(server: ApiServer, who: string): Promise<Person> {
  const send: Person["send"] = (method, path, body, headers) =>
    server.send(who, method, path, body, headers);
  const create: Person["create"] = async (path, body) => {
    const { status, body: record, text } = await send("POST", path, body);
    if (status !== 201) throw new Error(`POST ${path}: expected 201, not ${status}: ${text}`);
    return record;
  };
  /** GETs a path until the response meets the condition. */
  const poll = async (path: string, isDone: (answer: Answered) => boolean): Promise<Answered> => {
    let answer!: Answered;
    await until(async () => isDone((answer = await send("GET", path))), limit_ms);
    return answer;
  };
  const newText: Person["newText"] = (folder_id, content, name) =>
    create("/documents", { folder_id, content, name });
  const settled: Person["settled"] = async (id) =>
    (await poll(`/documents/${id}`, ({ body }) => body.status !== "syncing")).body;
  const finished: Person["finished"] = (path) =>
    poll(path, ({ status, body }) => status !== 200 || body.status === "COMPLETED");
  return {
    key: await server.key(who),
    send,
    create,
    newText,
    settled,
    finished,
    folder: async (name = "folder", parentId) => (await create("/folders", { name, parentId })).id,
    text: async (folder_id, content, name) => settled((await newText(folder_id, content, name)).id),
    upload: (folder_id, name, content, query = "") =>
      send("POST", `/documents/file?folder_id=${folder_id}${query}`, form(name, content)),
    get: async (id) => (await send("GET", `/documents/${id}`)).body,
    found: async (query, folder_ids) =>
      (await send("POST", "/search", { query, folder_ids, limit: 50 })).body.data.map(
        (passage: { document_id: string }) => passage.document_id,
      ),
    names: async (folder_id, query = "") =>
      (await send("GET", `/documents?folder_id=${folder_id}&per_page=200${query}`)).body.data.map(
        (document: { name: string }) => document.name,
      ),
    ask: async (chat_id, text) => {
      const sent = await send("POST", `/chats/${chat_id}/messages`, { text });
      if (sent.status !== 202) throw new Error(`expected 202, not ${sent.status}: ${sent.text}`);
      const { status, body, text: response_text } = await finished(sent.headers.get("location")!);
      if (status !== 200) throw new Error(`no answer: ${status} ${response_text}`);
      return body.result;
    },
  };
}
