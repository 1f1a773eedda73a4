/**
 * The guarantees about every response: the fields of each kind of record, and the form of problems.
 */
import { expect } from "bun:test";
import type { Answered } from "./server";

/** A time in UTC. */
export const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
/** In lower case. */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const id = (prefix: string) => new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`);
const time = expect.stringMatching(rfc3339);

/** Every field of a record with its allowed types; `nullable` lists those that may be null. */
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
    vectors_pending: expect.any(Number),
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
    file_type: expect.any(String),
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
      vectors: expect.stringMatching(/^(none|pending|ready)$/),
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
    all_folders: expect.any(Boolean),
    pinned: expect.any(Boolean),
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
    feedback: expect.any(Object),
  },
  passage: {
    document_id: expect.stringMatching(id("doc")),
    document_name: expect.any(String),
    document_version: expect.any(Number),
    folder_id: expect.stringMatching(id("fld")),
    quote: expect.any(String),
    start: expect.any(Number),
    end: expect.any(Number),
    passage: { start: expect.any(Number), end: expect.any(Number) },
    page: expect.any(Number),
    page_end: expect.any(Number),
    page_label: expect.any(String),
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
    related: expect.any(Array),
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
  message: ["completed_at", "result", "error", "feedback"],
  passage: ["page", "page_end", "page_label", "time_start", "time_end", "heading"],
  result: ["usage"],
};

/**
 * The record has exactly the fields of its kind, with valid types. `more`: additional fields, such
 * as `content`.
 */
export function expectRecord(kind: keyof typeof shapes, record: any, more: object = {}): void {
  const shape: Record<string, unknown> = { ...shapes[kind], ...more };
  for (const field of nullable[kind]) if (record?.[field] === null) shape[field] = null;
  expect(record).toEqual(shape);
}

/**
 * The record has these fields, and maybe others. (`toMatchObject` of Bun 1.4.5 writes the matchers
 * into the record, so it gets a copy.)
 */
export const expectHas = (record: unknown, fields: object): void =>
  void expect(structuredClone(record)).toMatchObject(fields);

/**
 * The response is a problem of this status: RFC 9457, with the request id. `says` is part of its
 * detail.
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

/** The poll of a failed message: 500 with only a sentence, as plain text. */
export const expectPlainFault = (answer: Answered, text: string): void =>
  expect([answer.status, answer.headers.get("content-type"), answer.body]).toEqual([
    500,
    expect.stringMatching(/^text\/plain\b/),
    text,
  ]);

/** The text between two positions, in code points. */
export const slice = (content: string, start: number, end: number): string =>
  [...content].slice(start, end).join("");
