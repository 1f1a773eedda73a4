/**
 * Webhooks for what happens to documents and answers: what is sent, and the jobs that make
 * deliveries of the events.
 */
import {
  fill,
  handle,
  t,
  type Fill,
  type JobHandler,
  type PayloadOf,
  type TObject,
  Failure,
} from "../../core/sdk";
import { AnswerOutcome } from "../chats/contract";
import {
  AnswerCompleted,
  DocumentDeleted,
  DocumentFailed,
  DocumentSynced,
} from "../events/contract";
import { WebhookEvents, type WebhookEvent } from "./contract";
import type { Deliveries } from "./deliveries";
import type { Subscriptions } from "./subscriptions";

const Id = t.String();
const folder_ids = t.Array(Id, { description: "The folders that hold it." });
const version = t.Integer({ minimum: 1 });
const document_id = "doc_00000000000000000000000000";
const folder_id = "fld_00000000000000000000000000";

interface RecordEvent extends WebhookEvent {
  readonly schema: TObject;
}
const synced: RecordEvent = {
  type: "document.synced",
  listed_only: true,
  description: "A version of a document answers from now on; also after it was indexed again.",
  schema: t.Object({
    event: t.Literal("document.synced"),
    document_id: Id,
    status: t.Literal("synced"),
    version,
    folder_ids,
  }),
  sample: {
    event: "document.synced",
    document_id,
    status: "synced",
    version: 1,
    folder_ids: [folder_id],
  },
};
const failed: RecordEvent = {
  type: "document.failed",
  listed_only: true,
  description: "A version of a document can't be read; the one before, if any, goes on answering.",
  schema: t.Object({
    event: t.Literal("document.failed"),
    document_id: Id,
    status: t.Literal("sync_failed"),
    version,
    folder_ids,
    error: Failure,
  }),
  sample: {
    event: "document.failed",
    document_id,
    status: "sync_failed",
    version: 1,
    folder_ids: [folder_id],
    error: { code: "encrypted", message: "The file is protected by a password." },
  },
};
const deleted: RecordEvent = {
  type: "document.deleted",
  listed_only: true,
  description:
    "A document is gone for good: with its last folder, or because nobody put it back in time. " +
    "Of a folder with many documents they come one after the other.",
  schema: t.Object({ event: t.Literal("document.deleted"), document_id: Id, name: t.String() }),
  sample: { event: "document.deleted", document_id, name: "Moorings.pdf" },
};
const answered: RecordEvent = {
  type: "answer.completed",
  listed_only: true,
  description: "A message of a chat session has its answer, which polling the message gives.",
  schema: t.Object({
    event: t.Literal("answer.completed"),
    chat_id: Id,
    requestId: Id,
    status: t.Literal("COMPLETED"),
    outcome: AnswerOutcome,
  }),
  sample: {
    event: "answer.completed",
    chat_id: "chs_00000000000000000000000000",
    requestId: "00000000-0000-4000-8000-000000000000",
    status: "COMPLETED",
    outcome: "answered",
  },
};

export const recordEvents: readonly Fill[] = [synced, failed, deleted, answered].map((one) =>
  fill(WebhookEvents, one),
);

const limits = { attempts_max: 20, timeout_ms: 10_000 };

/** One delivery for each webhook that lists the event; no job where none does. */
export function recordEventJobs(
  deliveries: Pick<Deliveries, "createForEvent">,
  subscriptions: Pick<Subscriptions, "has">,
): readonly JobHandler[] {
  type Ref =
    | typeof DocumentSynced
    | typeof DocumentFailed
    | typeof DocumentDeleted
    | typeof AnswerCompleted;
  const send = <R extends Ref>(
    on: R,
    { type }: RecordEvent,
    bodyOf: (payload: PayloadOf<R>) => object,
  ): JobHandler =>
    handle(
      on,
      async (payload) => (tx) =>
        deliveries.createForEvent(tx, payload.owner_id, type, { event: type, ...bodyOf(payload) }),
      {
        ...limits,
        wants: ({ owner_id }) => subscriptions.has(owner_id, type),
        ownerOf: ({ owner_id }) => owner_id,
      },
    );
  return [
    send(DocumentSynced, synced, ({ owner_id: _owner, document_id: id, ...more }) => ({
      document_id: id,
      status: "synced",
      ...more,
    })),
    send(DocumentFailed, failed, ({ owner_id: _owner, document_id: id, ...more }) => ({
      document_id: id,
      status: "sync_failed",
      ...more,
    })),
    send(DocumentDeleted, deleted, ({ document_id: id, name }) => ({ document_id: id, name })),
    send(AnswerCompleted, answered, ({ chat_id, request_id, outcome }) => ({
      chat_id,
      requestId: request_id,
      status: "COMPLETED",
      outcome,
    })),
  ];
}
