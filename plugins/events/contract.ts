/**
 * Durable events about records. Each is written in the transaction of the change, for every plugin
 * that listens, and its handler runs even if the server crashes right after the commit. Without
 * listeners nothing is written. A handler may run twice for one event, and events of one record may
 * be handled out of order, so handlers should read the record.
 *
 *     jobs: [handle(DocumentSynced, onSynced, { attempts_max: 5, timeout_ms: 10_000 })]
 *
 * Two older events are defined by their plugins: `FolderDeleted` and `UserDeleted`.
 */
import {
  event,
  named,
  OneOf,
  shaped,
  slot,
  t,
  type EventRef,
  type PayloadOf,
  type TObject,
} from "../../core/sdk";

const id = t.String();
/** Where a document came from. */
export const DocumentOrigin = named(
  "DocumentOrigin",
  OneOf(["text", "upload", "import", "transcription"]),
);
const of_document = { owner_id: id, document_id: id };

/**
 * A document was created and is about to be read: by an upload, a text, an item of an import, a
 * transcript, or the import of a folder from another server.
 */
export const DocumentCreated = event(
  "document.created",
  t.Object({
    ...of_document,
    name: t.String(),
    folder_id: id,
    /** Where it comes from. */
    kind: DocumentOrigin,
  }),
);
/** This version is searchable from now on. Also emitted after it was indexed again. */
export const DocumentSynced = event(
  "document.synced",
  t.Object({
    ...of_document,
    version: t.Integer(),
    /** The folders that contain it. */
    folder_ids: t.Array(id),
  }),
);
/** This version can't be read; the previous one, if any, remains searchable. */
export const DocumentFailed = event(
  "document.failed",
  t.Object({
    ...of_document,
    version: t.Integer(),
    folder_ids: t.Array(id),
    /** The same as in its record. */
    error: t.Object({ code: t.String(), message: t.String() }),
  }),
);
/**
 * `name`: it was renamed. `folders`: it was added to a folder, removed from one, or restored.
 * `content`: it has a new version, which is about to be read.
 */
export const DocumentChanged = event(
  "document.changed",
  t.Object({
    ...of_document,
    changed: OneOf(["name", "folders", "content"]),
    /** The folders that contain it now. */
    folder_ids: t.Array(id),
    /** For `folders`: the one it was added to or removed from. */
    folder_id: t.Optional(id),
  }),
);
/**
 * A document is gone for good: with its last folder, or because it was not restored in time. For a
 * folder with many documents they are emitted one after the other, while the rows are deleted in
 * the background.
 */
export const DocumentDeleted = event(
  "document.deleted",
  t.Object({ ...of_document, name: t.String() }),
);

/** A folder was created. */
export const FolderCreated = event(
  "folder.created",
  t.Object({
    owner_id: id,
    folder_id: id,
    name: t.String(),
    /** Null for a root folder. */
    parent_id: t.Union([id, t.Null()]),
  }),
);
/** Its name or description has changed. */
export const FolderChanged = event(
  "folder.changed",
  t.Object({ owner_id: id, folder_id: id, name: t.String() }),
);

/** A chat session was created or restored. */
export const ChatCreated = event("chat.created", t.Object({ owner_id: id, chat_id: id }));
/** Its name, folders or prompts have changed. */
export const ChatChanged = event("chat.changed", t.Object({ owner_id: id, chat_id: id }));
/** It was deleted; for a while it can be restored. */
export const ChatDeleted = event("chat.deleted", t.Object({ owner_id: id, chat_id: id }));

const of_answer = { owner_id: id, chat_id: id, request_id: id };
/** A question was asked in a chat; its answer is about to be generated. */
export const AnswerStarted = event("answer.started", t.Object(of_answer));
/** It was cancelled before the answer was complete. */
export const AnswerCancelled = event("answer.cancelled", t.Object(of_answer));
/** A question in a chat has been answered. */
export const AnswerCompleted = event(
  "answer.completed",
  t.Object({
    ...of_answer,
    outcome: OneOf(["answered", "no_answer"]),
  }),
);
/** A question in a chat will not be answered: every attempt failed. Not emitted when cancelled. */
export const AnswerFailed = event(
  "answer.failed",
  t.Object({ ...of_answer, error: t.Object({ code: t.String(), message: t.String() }) }),
);

const Role = OneOf(["admin", "member"]);
/** A user was created; an invited one has no password yet. */
export const UserCreated = event(
  "user.created",
  t.Object({ user_id: id, email: t.String(), role: Role }),
);
/** Their role has changed, or they were deactivated or reactivated. */
export const UserChanged = event(
  "user.changed",
  t.Object({ user_id: id, role: Role, active: t.Boolean() }),
);

/** What the stream `GET /events` sends for an event. */
export interface StreamMessage {
  /** The owner of the record: nobody else receives it. */
  readonly owner_id: string;
  /** One of the kinds. */
  readonly type: string;
  /** The fields of the kind's schema, without `event`. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The folders whose content has changed. Default: none. */
  readonly folder_ids?: readonly string[];
  /** For frequent updates, such as progress: an earlier event with the same key is replaced. */
  readonly replaces?: string;
  /** Never replaced by a later event. */
  readonly stays?: boolean;
}
/** The description of an event, for the API document and for samples. */
export interface StreamedKind {
  /** Such as `document.synced`. */
  readonly type: string;
  /** When it is sent, in a sentence or two, for the API document. */
  readonly description: string;
  /** The fields of every body, including `event: t.Literal(type)`. */
  readonly schema: TObject;
  readonly sample: Readonly<Record<string, unknown>>;
}
/** An event that `GET /events` sends to the users it concerns. */
export interface StreamedEvent {
  readonly on: EventRef;
  /** The types under which it may be sent. */
  readonly kinds: readonly StreamedKind[];
  /** Null: nobody receives it. Called inside the transaction of the change, so it must be fast. */
  messageOf(payload: never): StreamMessage | null;
}
const shapeOfStreamed = shaped<StreamedEvent>({
  on: "object",
  kinds: "object",
  messageOf: "function",
});
/** The events that plugins put on the stream. */
export const StreamedEvents = slot<StreamedEvent>("events.streamed", {
  check: shapeOfStreamed,
  key: ({ on }) => `the event ${on.id}`,
});
/**
 * Pairs an event with its stream representation, so that the payload type follows from the event.
 */
export const streamed = <R extends EventRef>(
  on: R,
  kinds: readonly StreamedKind[],
  messageOf: (payload: PayloadOf<R>) => StreamMessage | null,
): StreamedEvent => ({ on, kinds, messageOf });

/** A run in progress, as it is sent. */
export const RunningStatus = named("RunningStatus", OneOf(["pending", "running"]));
