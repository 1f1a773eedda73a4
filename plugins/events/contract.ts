/**
 * What happens to records, as events that last: each is written in the transaction of the change,
 * for every plugin that listens, and its handler runs even if the server crashes right after the
 * commit. Where nobody listens nothing is written. A handler may run twice for one event; events of
 * one record may be handled in another order than they came in: look the record up.
 *
 *     jobs: [handle(DocumentSynced, onSynced, { attempts_max: 5, timeout_ms: 10_000 })]
 *
 * Two more are older and lie with their plugins: `FolderDeleted` and `UserDeleted`.
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
/** What has brought a document. */
export const DocumentOrigin = named(
  "DocumentOrigin",
  OneOf(["text", "upload", "import", "transcription"]),
);
const of_document = { owner_id: id, document_id: id };

/**
 * There is a new document, which is about to be read: an upload, a text, an item of an import, a
 * transcript, or one that came with the folder of another server.
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
/** This version of it answers from now on; also after it was indexed again. */
export const DocumentSynced = event(
  "document.synced",
  t.Object({
    ...of_document,
    version: t.Integer(),
    /** The folders that hold it. */
    folder_ids: t.Array(id),
  }),
);
/** This version can't be read; the one before, if any, goes on answering. */
export const DocumentFailed = event(
  "document.failed",
  t.Object({
    ...of_document,
    version: t.Integer(),
    folder_ids: t.Array(id),
    /** As in its record. */
    error: t.Object({ code: t.String(), message: t.String() }),
  }),
);
/**
 * `name`: it was renamed. `folders`: it was put into a folder, taken out of one, or put back.
 * `content`: a new version came, and is about to be read.
 */
export const DocumentChanged = event(
  "document.changed",
  t.Object({
    ...of_document,
    changed: t.Union([t.Literal("name"), t.Literal("folders"), t.Literal("content")]),
    /** The folders that hold it now. */
    folder_ids: t.Array(id),
    /** Of `folders`: the one that it was put into or taken out of. */
    folder_id: t.Optional(id),
  }),
);
/**
 * It is gone for good: with its last folder, or because nobody put it back in time. Of a folder
 * with many documents they come one after the other, while the rows go in the background.
 */
export const DocumentDeleted = event(
  "document.deleted",
  t.Object({ ...of_document, name: t.String() }),
);

/** There is a new folder. */
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
/** Its name or description is another. */
export const FolderChanged = event(
  "folder.changed",
  t.Object({ owner_id: id, folder_id: id, name: t.String() }),
);

/** There is a new chat session, or one that was deleted is back. */
export const ChatCreated = event("chat.created", t.Object({ owner_id: id, chat_id: id }));
/** Its name, folders or prompts are others. */
export const ChatChanged = event("chat.changed", t.Object({ owner_id: id, chat_id: id }));
/** It is deleted; for a while it can be restored. */
export const ChatDeleted = event("chat.deleted", t.Object({ owner_id: id, chat_id: id }));

const of_answer = { owner_id: id, chat_id: id, request_id: id };
/** A question was asked in a chat: its answer is about to be made. */
export const AnswerStarted = event("answer.started", t.Object(of_answer));
/** Somebody has ended it before it was there. */
export const AnswerCancelled = event("answer.cancelled", t.Object(of_answer));
/** A question of a chat has its answer. */
export const AnswerCompleted = event(
  "answer.completed",
  t.Object({
    ...of_answer,
    outcome: t.Union([t.Literal("answered"), t.Literal("no_answer")]),
  }),
);
/** A question of a chat gets no answer any more: every attempt failed. Not of one cancelled. */
export const AnswerFailed = event(
  "answer.failed",
  t.Object({ ...of_answer, error: t.Object({ code: t.String(), message: t.String() }) }),
);

const Role = t.Union([t.Literal("admin"), t.Literal("member")]);
/** There is a new user; one who was invited has no password yet. */
export const UserCreated = event(
  "user.created",
  t.Object({ user_id: id, email: t.String(), role: Role }),
);
/** Their role is another, or they were deactivated or activated again. */
export const UserChanged = event(
  "user.changed",
  t.Object({ user_id: id, role: Role, active: t.Boolean() }),
);

/** What is told of an event on the stream of `GET /events`. */
export interface Told {
  /** Whose change it is: nobody else is told. */
  readonly owner_id: string;
  /** One of the kinds. */
  readonly type: string;
  /** The fields of the kind's schema, but `event`. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The folders whose content it changes. Default: none. */
  readonly folder_ids?: readonly string[];
  /**
   * For what changes often, such as how far a run is: the event before with the same text is not
   * kept.
   */
  readonly replaces?: string;
  /** No later event replaces this one. */
  readonly stays?: boolean;
}
export interface StreamedKind {
  /** `document.synced`. */
  readonly type: string;
  /** When it is sent, in a sentence or two, for the API document. */
  readonly description: string;
  /** What every body has, with `event: t.Literal(type)`. */
  readonly schema: TObject;
  readonly sample: Readonly<Record<string, unknown>>;
}
/** An event of which `GET /events` tells whoever it is about. */
export interface StreamedEvent {
  readonly on: EventRef;
  /** What it may be told as. */
  readonly kinds: readonly StreamedKind[];
  /** Null: nobody is told. Called inside the transaction of the change, so it must be quick. */
  tell(payload: never): Told | null;
}
const shapeOfStreamed = shaped<StreamedEvent>({ on: "object", kinds: "object", tell: "function" });
export const StreamedEvents = slot<StreamedEvent>("events.streamed", {
  check: shapeOfStreamed,
  key: ({ on }) => `the event ${on.id}`,
});
/** Pairs an event with how it is told, so that the payload type comes from the event. */
export const streamed = <R extends EventRef>(
  on: R,
  kinds: readonly StreamedKind[],
  tell: (payload: PayloadOf<R>) => Told | null,
): StreamedEvent => ({ on, kinds, tell });

/** Of a run that goes on, as it is told. */
export const RunningStatus = named("RunningStatus", OneOf(["pending", "running"]));
