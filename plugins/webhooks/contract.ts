/** What other plugins may know about webhooks: how to send them an event. */
import {
  event,
  Failure,
  shaped,
  slot,
  t,
  type EventRef,
  type PayloadOf,
  type TObject,
  type TSchema,
} from "../../core/sdk";
import { AnswerOutcome } from "../chats/contract";
import {
  AnswerCompleted,
  DocumentDeleted,
  DocumentFailed,
  DocumentSynced,
} from "../events/contract";

/**
 * Emit it in the transaction that ends a run: every webhook for it gets a delivery, even if the
 * server crashes then. `body` is sent as it is.
 */
export const WebhookDue = event(
  "webhook.due",
  t.Object({
    owner_id: t.String(),
    event_type: t.String(),
    body: t.Record(t.String(), t.Unknown()),
  }),
);

/** A kind of event that webhooks can be registered for. */
export interface WebhookEvent {
  /** `import.finished`. */
  readonly type: string;
  /** The body of a test delivery, in the form of a real one. */
  readonly sample: Readonly<Record<string, unknown>>;
  /** The schema of the body, for the API document; default: the types of the sample. */
  readonly schema?: TSchema;
  /** Only sent to webhooks that name it in their list of `events`. */
  readonly listed_only?: boolean;
  /** When it is sent, in a sentence or two, for the API document. */
  readonly description?: string;
}
/** The events that webhooks can be registered for. */
export const WebhookEvents = slot<WebhookEvent>("webhooks.events", {
  check: shaped<WebhookEvent>({ type: "text", sample: "object" }),
  key: ({ type }) => `the event ${type}`,
});

/**
 * An event about documents or answers, and how its body is made. It is sent to webhooks that list
 * it, and on the stream of events.
 */
export interface RecordEvent<R extends EventRef = EventRef> extends WebhookEvent {
  readonly on: R;
  readonly schema: TObject;
  readonly description: string;
  /** Without `event`. */
  bodyOf(payload: PayloadOf<R>): Readonly<Record<string, unknown>>;
}
const recordEvent = <R extends EventRef>(
  on: R,
  documentation: Pick<RecordEvent, "description" | "schema" | "sample">,
  bodyOf: RecordEvent<R>["bodyOf"],
): RecordEvent<R> => ({ ...documentation, on, type: on.id, listed_only: true, bodyOf });

const Id = t.String();
const FolderIds = t.Array(Id, { description: "The folders that hold it." });
const Version = t.Integer({ minimum: 1 });
const example_document_id = "doc_00000000000000000000000000";
const example_folder_id = "fld_00000000000000000000000000";

/** `document.synced`. */
export const documentSynced = recordEvent(
  DocumentSynced,
  {
    description: "A version of a document answers from now on; also after it was indexed again.",
    schema: t.Object({
      event: t.Literal("document.synced"),
      document_id: Id,
      status: t.Literal("synced"),
      version: Version,
      folder_ids: FolderIds,
    }),
    sample: {
      event: "document.synced",
      document_id: example_document_id,
      status: "synced",
      version: 1,
      folder_ids: [example_folder_id],
    },
  },
  ({ document_id, version, folder_ids }) => ({
    document_id,
    status: "synced",
    version,
    folder_ids,
  }),
);
/** `document.failed`. */
export const documentFailed = recordEvent(
  DocumentFailed,
  {
    description:
      "A version of a document can't be read; the one before, if any, goes on answering.",
    schema: t.Object({
      event: t.Literal("document.failed"),
      document_id: Id,
      status: t.Literal("sync_failed"),
      version: Version,
      folder_ids: FolderIds,
      error: Failure,
    }),
    sample: {
      event: "document.failed",
      document_id: example_document_id,
      status: "sync_failed",
      version: 1,
      folder_ids: [example_folder_id],
      error: { code: "encrypted", message: "The file is protected by a password." },
    },
  },
  ({ document_id, version, folder_ids, error }) => ({
    document_id,
    status: "sync_failed",
    version,
    folder_ids,
    error,
  }),
);
/** `document.deleted`. */
export const documentDeleted = recordEvent(
  DocumentDeleted,
  {
    description:
      "A document is gone for good: with its last folder, or because nobody put it back in time. " +
      "Of a folder with many documents they come one after the other.",
    schema: t.Object({ event: t.Literal("document.deleted"), document_id: Id, name: t.String() }),
    sample: { event: "document.deleted", document_id: example_document_id, name: "Moorings.pdf" },
  },
  ({ document_id, name }) => ({ document_id, name }),
);
/** `answer.completed`. */
export const answerCompleted = recordEvent(
  AnswerCompleted,
  {
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
  },
  ({ chat_id, request_id, outcome }) => ({
    chat_id,
    requestId: request_id,
    status: "COMPLETED",
    outcome,
  }),
);
