/**
 * What the acceptance suite shares: what every record looks like, a person who works with the API,
 * and bytes over a bare socket.
 */
import { expect, setDefaultTimeout } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { Answered, Executable } from "./executable";

/** Five seconds are little for a machine that has other things to do. */
setDefaultTimeout(30_000);

export const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const id = (prefix: string) => new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`);
const time = expect.stringMatching(rfc3339);

/** Every field of a record and what it may hold, besides null where `nullable` names it. */
export const shapes = {
  folder: {
    id: expect.stringMatching(id("fld")),
    name: expect.any(String),
    description: expect.any(String),
    parentId: expect.stringMatching(id("fld")),
    document_count: expect.any(Number),
    status_counts: {
      syncing: expect.any(Number),
      synced: expect.any(Number),
      sync_failed: expect.any(Number),
    },
    created_at: time,
    updated_at: time,
  },
  prompt: {
    id: expect.stringMatching(id("prm")),
    name: expect.any(String),
    text: expect.any(String),
    description: expect.any(String),
    created_at: time,
    updated_at: time,
  },
  document: {
    id: expect.stringMatching(id("doc")),
    name: expect.any(String),
    status: expect.stringMatching(/^(syncing|synced|sync_failed)$/),
    content_url: expect.stringMatching(/^\/api\/dev\/v1\/documents\/doc_[0-9A-Z]{26}$/),
    folder_ids: expect.any(Array),
    media_type: expect.any(String),
    size_bytes: expect.any(Number),
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    version: expect.any(Number),
    page_count: expect.any(Number),
    language: expect.any(String),
    source: { kind: expect.stringMatching(/^(text|upload)$/), uri: null, run_id: null },
    indexing: {
      stage: expect.stringMatching(/^(queued|extracting|chunking|embedding|storing|done)$/),
      progress: expect.any(Number),
      attempts: expect.any(Number),
    },
    error: { code: expect.any(String), message: expect.any(String) },
    warnings: expect.any(Array),
    created_at: time,
    updated_at: time,
    synced_at: time,
  },
  chat: {
    id: expect.stringMatching(id("chs")),
    name: expect.any(String),
    usedFolders: expect.any(Array),
    usedPrompts: expect.any(Array),
    message_count: expect.any(Number),
    last_message_at: time,
    created_at: time,
    updated_at: time,
  },
  message: {
    requestId: expect.stringMatching(uuid),
    text: expect.any(String),
    status: expect.stringMatching(/^(PENDING|PROCESSING|COMPLETED|FAILED|CANCELLED)$/),
    created_at: time,
    completed_at: time,
    result: expect.any(Object),
    error: { code: expect.any(String), message: expect.any(String) },
  },
  passage: {
    document_id: expect.stringMatching(id("doc")),
    document_name: expect.any(String),
    document_version: expect.any(Number),
    folder_id: expect.stringMatching(id("fld")),
    quote: expect.any(String),
    start: expect.any(Number),
    end: expect.any(Number),
    page: expect.any(Number),
    page_end: expect.any(Number),
    time_start: expect.any(Number),
    time_end: expect.any(Number),
    heading: expect.any(String),
    score: expect.any(Number),
    verified: expect.any(Boolean),
    stale: expect.any(Boolean),
    url: expect.stringMatching(/^\/api\/dev\/v1\/documents\/doc_/),
  },
  result: {
    answer: expect.any(String),
    outcome: expect.stringMatching(/^(answered|no_answer)$/),
    grounded: expect.any(Boolean),
    citations: expect.any(Array),
    model: expect.any(String),
    prompts: expect.any(Array),
    usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    timings: {
      queue_ms: expect.any(Number),
      retrieve_ms: expect.any(Number),
      generate_ms: expect.any(Number),
    },
    warnings: expect.any(Array),
  },
} as const;

const nullable: Readonly<Record<keyof typeof shapes, readonly string[]>> = {
  folder: ["description", "parentId"],
  prompt: ["description"],
  document: ["page_count", "language", "error", "synced_at"],
  chat: ["name", "last_message_at"],
  message: ["completed_at", "result", "error"],
  passage: ["page", "page_end", "time_start", "time_end", "heading"],
  result: ["usage"],
};

/**
 * The record has exactly the fields of its kind, each of its type. `more`: further fields it has,
 * such as `content`.
 */
export function expectRecord(kind: keyof typeof shapes, record: any, more: object = {}): void {
  const shape: Record<string, unknown> = { ...shapes[kind], ...more };
  for (const field of nullable[kind]) if (record?.[field] === null) shape[field] = null;
  expect(record).toEqual(shape);
}

/**
 * The record has these fields, whatever else it has. (`toMatchObject` of Bun 1.4.5 writes the
 * matchers it is given into the record it is given: it gets a copy.)
 */
export const expectHas = (record: unknown, fields: object): void =>
  void expect(structuredClone(record)).toMatchObject(fields);

/**
 * The answer is a problem of this status: RFC 9457, with the id of the response. `says` is found in
 * its detail.
 */
export function expectProblem(
  answer: Answered,
  status: number,
  says: string | RegExp = "",
  code?: string,
): void {
  expect({
    status: answer.status,
    type: answer.headers.get("content-type"),
    body: answer.body,
  }).toEqual({
    status,
    type: expect.stringMatching(/^application\/problem\+json\b/),
    body: expect.any(Object),
  });
  const { errors, ...rest } = answer.body;
  expect(rest).toEqual({
    type: expect.any(String),
    title: expect.any(String),
    status,
    detail: expect.any(String),
    code: code ?? expect.stringMatching(/^[a-z_]+$/),
    request_id: answer.headers.get("x-request-id"),
  });
  if (errors !== undefined)
    for (const error of errors)
      expect(error).toEqual({ pointer: expect.any(String), detail: expect.any(String) });
  if (says instanceof RegExp) expect(rest.detail).toMatch(says);
  else expect(rest.detail).toContain(says);
}

/** A multipart body with one file. */
export function form(name: string, content: string | Uint8Array<ArrayBuffer>, type = ""): FormData {
  const body = new FormData();
  body.append("file", new Blob([content], { type }), name);
  return body;
}

/**
 * A multipart body byte by byte, for names that no client library would send. Each part: its header
 * lines and its bytes.
 */
export function multipart(
  ...parts: readonly { readonly headers: string; readonly body?: string | Uint8Array }[]
): { readonly body: Uint8Array<ArrayBuffer>; readonly headers: Record<string, string> } {
  const boundary = "----dossier-boundary";
  const bytes = parts.flatMap(({ headers, body = "" }) => [
    Buffer.from(`--${boundary}\r\n${headers}\r\n\r\n`),
    Buffer.from(body as string),
    Buffer.from("\r\n"),
  ]);
  return {
    body: new Uint8Array(Buffer.concat([...bytes, Buffer.from(`--${boundary}--\r\n`)])),
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  };
}
/** The header line of a file part, with its name as the bytes between the quotes. */
export const filePart = (name: string): string =>
  `Content-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/plain`;

export interface Person {
  readonly key: string;
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answered>;
  /** POSTs what must be created, and answers the record. */
  readonly made: (path: string, body?: unknown) => Promise<any>;
  readonly folder: (name?: string, parentId?: string) => Promise<string>;
  /** A text document whose indexing has ended. */
  readonly text: (folder_id: string, content: string, name?: string) => Promise<any>;
  readonly upload: (
    folder_id: string,
    name: string,
    content: string | Uint8Array<ArrayBuffer>,
    query?: string,
  ) => Promise<Answered>;
  /** The document with its content, once its indexing has ended. */
  readonly settled: (id: string) => Promise<any>;
  /** Ids of the documents that a search finds, best first. */
  readonly found: (query: string, folder_ids?: readonly string[]) => Promise<string[]>;
  /** Names in a folder's list. */
  readonly names: (folder_id: string, query?: string) => Promise<string[]>;
  /** The poll of a message once it is no longer running. */
  readonly finished: (path: string) => Promise<Answered>;
  /** Asks a session and answers the result. */
  readonly ask: (chat_id: string, text: string) => Promise<any>;
}

/** Someone with an API key of their own. */
export async function person(server: Executable, email: string): Promise<Person> {
  const key = await server.createUser(email);
  const send: Person["send"] = (method, path, body, headers = {}) =>
    server.api(method, path, body, { key, headers });
  const made: Person["made"] = async (path, body) => {
    const answer = await send("POST", path, body);
    if (answer.status !== 201)
      throw new Error(
        `POST ${path}: expected 201, not ${answer.status}: ${JSON.stringify(answer.body)}`,
      );
    return answer.body;
  };
  const settled: Person["settled"] = async (document_id) =>
    (
      await server.until(`/documents/${document_id}`, ({ body }) => body.status !== "syncing", {
        key,
      })
    ).body;
  const finished: Person["finished"] = (path) =>
    server.until(path, ({ status, body }) => status !== 200 || body.status === "COMPLETED", {
      key,
    });
  return {
    key,
    send,
    made,
    settled,
    finished,
    folder: async (name = "folder", parentId) => (await made("/folders", { name, parentId })).id,
    text: async (folder_id, content, name) =>
      settled((await made("/documents", { folder_id, content, name })).id),
    upload: (folder_id, name, content, query = "") =>
      send("POST", `/documents/file?folder_id=${folder_id}${query}`, form(name, content)),
    found: async (query, folder_ids) =>
      (await send("POST", "/search", { query, folder_ids, limit: 50 })).body.data.map(
        (passage: { document_id: string }) => passage.document_id,
      ),
    names: async (folder_id, query = "") =>
      (await send("GET", `/documents?folder_id=${folder_id}&per_page=200${query}`)).body.data.map(
        (document: { name: string }) => document.name,
      ),
    ask: async (chat_id, text) => {
      const { status, headers, body } = await send("POST", `/chats/${chat_id}/messages`, { text });
      if (status !== 202) throw new Error(`expected 202, not ${status}: ${JSON.stringify(body)}`);
      const poll = await finished(headers.get("location")!);
      if (poll.status !== 200)
        throw new Error(`no answer: ${poll.status} ${JSON.stringify(poll.body)}`);
      return poll.body.result;
    },
  };
}

/** The text between two places, counted in code points. */
export const slice = (content: string, start: number, end: number): string =>
  [...content].slice(start, end).join("");

/** A socket that sends what it is told, when it is told; `paused` never reads what comes. */
export interface Bare {
  send(bytes: string | Uint8Array): void;
  /**
   * The next answer. @throws Error when none has come after four seconds or the peer closes before.
   */
  answer(): Promise<Answered>;
  /** Ends the connection at once, whatever is under way. */
  cut(): void;
}
export function openSocket(
  url: string,
  { paused = false }: { readonly paused?: boolean } = {},
): Bare {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  let wake = (): void => undefined;
  let closed = false;
  if (paused) socket.pause();
  else
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      wake();
    });
  socket.on("close", () => {
    closed = true;
    wake();
  });
  socket.on("error", () => undefined);
  return {
    send: (bytes) => void socket.write(bytes),
    cut: () => void socket.destroy(),
    async answer() {
      const deadline = performance.now() + 4_000;
      for (;;) {
        const parsed = parseAnswer(Buffer.concat(chunks), closed);
        if (parsed) return parsed;
        if (closed || performance.now() > deadline)
          throw new Error(
            `no answer on the socket${closed ? ": it was closed" : ""}; so far: ${Buffer.concat(chunks).toString()}`,
          );
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, 200);
        });
      }
    },
  };
}

function parseAnswer(bytes: Buffer, closed: boolean): Answered | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, end).toString().split("\r\n");
  const headers = new Headers(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
  const rest = bytes.subarray(end + 4);
  const length = headers.get("content-length");
  if (length === null ? !closed : rest.length < Number(length)) return undefined;
  const text = rest.toString();
  return {
    status: Number(first.split(" ")[1]),
    headers,
    body: headers.get("content-type")?.includes("json") ? JSON.parse(text) : text,
  };
}

/** The head of a request, for a bare socket. */
export const head = (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): string =>
  [
    `${method} /api/dev/v1${path} HTTP/1.1`,
    "Host: dossier",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    "",
  ].join("\r\n");

/** Files of the data directory, backups aside, by their path from there. */
export const filesIn = (data: string): string[] =>
  readdirSync(data, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(data.length + 1))
    .filter((path) => !path.startsWith("backups/"))
    .sort();

/** Files of the data directory, backups aside, in which the word is found. */
export const filesWith = (data: string, word: string): string[] =>
  filesIn(data).filter((path) => {
    // A file may go between the listing and the reading.
    try {
      return readFileSync(join(data, path)).includes(word);
    } catch {
      return false;
    }
  });

/**
 * What arrives is written somewhere before it is a document: the files that no finished upload
 * leaves.
 */
export const temporaryFiles = (data: string): string[] =>
  filesIn(data).filter((path) => path.split("/").slice(0, -1).includes("tmp"));

/** Waits until this is so. @throws Error after `limit_ms`. */
export async function until(
  what: () => Promise<boolean> | boolean,
  limit_ms = 5_000,
): Promise<void> {
  for (const deadline = performance.now() + limit_ms; !(await what());) {
    if (performance.now() > deadline) throw new Error(`it did not become so within ${limit_ms} ms`);
    await Bun.sleep(10);
  }
}
