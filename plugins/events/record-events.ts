/** The events of folders, documents, chats and answers on the stream `GET /events`. */
import { Failure, Nullable, OneOf, t, type EventRef, type PayloadOf } from "../../core/sdk";
import { FolderDeleted } from "../folders/contract";
import {
  answerCompleted,
  documentDeleted,
  documentFailed,
  documentSynced,
  type RecordEvent,
} from "../webhooks/contract";
import {
  AnswerCancelled,
  AnswerFailed,
  AnswerStarted,
  ChatChanged,
  ChatCreated,
  ChatDeleted,
  DocumentChanged,
  DocumentCreated,
  DocumentOrigin,
  FolderChanged,
  FolderCreated,
  streamed,
  type StreamedEvent,
} from "./contract";

const Id = t.String();
const document_id = "doc_00000000000000000000000000";
const folder_id = "fld_00000000000000000000000000";
const chat_id = "chs_00000000000000000000000000";
const request_id = "00000000-0000-4000-8000-000000000000";

type Words = Pick<StreamedEvent["kinds"][number], "description" | "schema"> & {
  readonly sample: object;
};
interface Owned {
  readonly owner_id: string;
}

/** An event with a single kind of the same name. */
const ownEvent = <R extends EventRef>(
  on: R,
  { description, schema, sample }: Words,
  bodyOf: (payload: PayloadOf<R>) => object,
  foldersOf: (payload: PayloadOf<R>) => readonly (string | null)[] = () => [],
): StreamedEvent =>
  streamed(
    on,
    [
      {
        type: on.id,
        description,
        schema: t.Object({ event: t.Literal(on.id), ...schema.properties }),
        sample: { event: on.id, ...sample },
      },
    ],
    (payload) => ({
      owner_id: (payload as Owned).owner_id,
      type: on.id,
      body: bodyOf(payload) as Readonly<Record<string, unknown>>,
      folder_ids: foldersOf(payload).filter((id) => id !== null),
    }),
  );

/** The same bodies as webhooks send. */
const asSent = <R extends EventRef>(
  sent: RecordEvent<R>,
  foldersOf?: (payload: PayloadOf<R>) => readonly string[],
): StreamedEvent =>
  streamed(sent.on, [sent], (payload) => ({
    owner_id: (payload as Owned).owner_id,
    type: sent.type,
    body: sent.bodyOf(payload),
    folder_ids: foldersOf?.(payload) ?? [],
  }));

const withoutOwner = <P extends Owned>({ owner_id: _, ...body }: P): Omit<P, "owner_id"> => body;
const folder_ids = t.Array(Id, { description: "The folders that hold it." });
const Folder = t.Object({ folder_id: Id, name: t.String() });

const documents = [
  ownEvent(
    DocumentCreated,
    {
      description: "There is a new document, which is about to be read.",
      schema: t.Object({
        document_id: Id,
        name: t.String(),
        folder_id: Id,
        kind: DocumentOrigin,
      }),
      sample: { document_id, name: "Moorings.pdf", folder_id, kind: "upload" },
    },
    withoutOwner,
    (of) => [of.folder_id],
  ),
  asSent(documentSynced, (of) => of.folder_ids),
  asSent(documentFailed, (of) => of.folder_ids),
  ownEvent(
    DocumentChanged,
    {
      description:
        "A document was renamed (`name`), put into a folder or taken out of one (`folders`), or " +
        "has a new version, which is about to be read (`content`).",
      schema: t.Object({
        document_id: Id,
        changed: OneOf(["name", "folders", "content"]),
        folder_ids,
        folder_id: t.Optional(
          t.String({ description: "The folder that it was put into, or taken out of." }),
        ),
      }),
      sample: { document_id, changed: "folders", folder_ids: [folder_id], folder_id },
    },
    withoutOwner,
    (of) => [...of.folder_ids, of.folder_id ?? null],
  ),
  asSent(documentDeleted),
];

const folders = [
  ownEvent(
    FolderCreated,
    {
      description: "There is a new folder.",
      schema: t.Object({
        ...Folder.properties,
        parent_id: Nullable(Id, "Null for a root folder."),
      }),
      sample: { folder_id, name: "Harbour", parent_id: null },
    },
    withoutOwner,
    (of) => [of.folder_id, of.parent_id],
  ),
  ownEvent(
    FolderChanged,
    {
      description: "A folder has another name or description.",
      schema: Folder,
      sample: { folder_id, name: "Harbours" },
    },
    withoutOwner,
    (of) => [of.folder_id],
  ),
  ownEvent(
    FolderDeleted,
    {
      description: "A folder is deleted, with all that was in it.",
      schema: t.Object({
        folder_ids: t.Array(Id, {
          description: "Its subfolders, and itself last; most of thousands have earlier events.",
        }),
      }),
      sample: { folder_ids: [folder_id] },
    },
    (of) => ({ folder_ids: of.folder_ids }),
    (of) => [...of.folder_ids, of.parent_id ?? null],
  ),
];

const ofChat = (on: typeof ChatCreated | typeof ChatDeleted, description: string): StreamedEvent =>
  ownEvent(
    on,
    { description, schema: t.Object({ chat_id: Id }), sample: { chat_id } },
    withoutOwner,
  );
const chats = [
  ofChat(ChatCreated, "There is a new chat session, or one that was deleted is back."),
  ofChat(ChatChanged, "A chat session has another name, other folders or prompts."),
  ofChat(ChatDeleted, "A chat session is deleted; for a while it can be restored."),
];

const ofAnswer = <S extends string>(
  on: typeof AnswerStarted,
  status: S,
  description: string,
): StreamedEvent =>
  ownEvent(
    on,
    {
      description,
      schema: t.Object({ chat_id: Id, requestId: Id, status: t.Literal(status) }),
      sample: { chat_id, requestId: request_id, status },
    },
    (of) => ({ chat_id: of.chat_id, requestId: of.request_id, status }),
  );
const answers = [
  ofAnswer(AnswerStarted, "PENDING", "A question was asked: its answer is about to be made."),
  asSent(answerCompleted),
  ownEvent(
    AnswerFailed,
    {
      description: "A message of a chat session gets no answer any more: every attempt failed.",
      schema: t.Object({ chat_id: Id, requestId: Id, status: t.Literal("FAILED"), error: Failure }),
      sample: {
        chat_id,
        requestId: request_id,
        status: "FAILED",
        error: { code: "answer_failed", message: "The model could not be reached." },
      },
    },
    (of) => ({
      chat_id: of.chat_id,
      requestId: of.request_id,
      status: "FAILED",
      error: of.error,
    }),
  ),
  ofAnswer(AnswerCancelled, "CANCELLED", "Somebody has ended an answer before it was there."),
];

/** How events of other plugins become events of the stream. */
export const recordEvents: readonly StreamedEvent[] = [
  ...documents,
  ...folders,
  ...chats,
  ...answers,
];
