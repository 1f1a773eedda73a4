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
import { event, t } from "../../core/sdk";

const id = t.String();
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
    kind: t.Union([
      t.Literal("text"),
      t.Literal("upload"),
      t.Literal("import"),
      t.Literal("transcription"),
    ]),
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

const of_answer = { owner_id: id, chat_id: id, request_id: id };
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
