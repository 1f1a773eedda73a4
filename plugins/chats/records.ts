/** The wire format of chat sessions and messages: schemas, examples, and the mapping of rows. */
import {
  Nullable,
  OneOf,
  rfc3339,
  rfc3339OrNull,
  t,
  Timestamp,
  type Static,
  named,
  LimitedText,
  RequiredText,
  TrimmedName,
  documented,
  name_length_max,
  Failure,
  ServerSentEvent,
} from "../../core/sdk";
import { Citation } from "../search/contract";
import { AnswerResult } from "./contract";
import type { Message } from "./citations/citation-updates";
import { feedback_example, FeedbackRecord, feedbackRecord } from "./feedback/feedback-records";
import { folders_max, prompts_max, question_length_max } from "./service";
import type { Chat, FeedbackRow, MessageRow } from "./store";

const name_words =
  "What people call the session: trimmed, at most 255 characters. A blank name is none.";
const NewName = Nullable(
  TrimmedName(name_words, { component: "ChatName", blank: true }),
  name_words,
);
const Name = Nullable(LimitedText(name_length_max), name_words);
const UnfinishedStatus = named("UnfinishedStatus", OneOf(["PENDING", "PROCESSING"]));
const UsedFolders = t.Array(t.String(), {
  maxItems: folders_max,
  description: [
    "Ids of the folders that answers come from, subfolders included;",
    `at most ${folders_max}.`,
  ].join(" "),
});
const UsedPrompts = t.Array(t.String(), {
  maxItems: prompts_max,
  description: [
    "Ids of the saved prompts that answers respect, in this order;",
    `at most ${prompts_max}.`,
  ].join(" "),
});

const AllFolders = t.Boolean({
  description:
    "`true`: answers come from every folder that the owner has when a question is answered, " +
    "whatever `usedFolders` names.",
});
const Pinned = t.Boolean({ description: "Kept above the others: `GET /chats?pinned=true`." });

/** The body of create and change. */
export const ChatBody = named(
  "ChatInput",
  t.Object({
    name: t.Optional(NewName),
    usedFolders: t.Optional(
      t.Union([UsedFolders, t.Null()], {
        description: "Ids of folders. On a change it replaces the list; null empties it.",
      }),
    ),
    usedPrompts: t.Optional(
      t.Union([UsedPrompts, t.Null()], {
        description: "Ids of saved prompts. On a change it replaces the list; null empties it.",
      }),
    ),
    all_folders: t.Optional(
      t.Union([AllFolders, t.Null()], { description: "As in the session; null means false." }),
    ),
    pinned: t.Optional(
      t.Union([Pinned, t.Null()], { description: "As in the session; null means false." }),
    ),
  }),
);

export const ChatRecord = named(
  "Chat",
  t.Object({
    id: t.String({ description: "Opaque, starts with `chs_`." }),
    name: Name,
    usedFolders: UsedFolders,
    usedPrompts: UsedPrompts,
    all_folders: AllFolders,
    pinned: Pinned,
    message_count: t.Integer({ minimum: 0, description: "Messages sent to the session." }),
    last_message_at: Nullable(
      Timestamp(),
      "When the last message was sent; null before the first one.",
    ),
    created_at: Timestamp("When the session was created."),
    updated_at: Timestamp("When its name, folders, prompts or pin were last changed."),
  }),
);

export const chatRecord = (chat: Chat): Static<typeof ChatRecord> => ({
  id: chat.id,
  name: chat.name,
  usedFolders: [...chat.folder_ids],
  usedPrompts: [...chat.prompt_ids],
  all_folders: chat.all_folders === 1,
  pinned: chat.pinned === 1,
  message_count: chat.message_count,
  last_message_at: rfc3339OrNull(chat.last_message_at),
  created_at: rfc3339(chat.created_at),
  updated_at: rfc3339(chat.updated_at),
});

const RequestId = documented(
  t.String({ description: "UUID of the request, as it was sent or made by the server." }),
  { format: "uuid" },
);
const Status = named(
  "MessageStatus",
  OneOf(["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"], {
    description: "The state the message has now.",
  }),
);

export const MessageBody = named(
  "NewMessage",
  t.Object({
    text: RequiredText(
      "The message of the user. Not blank, at most 32,000 characters.",
      question_length_max,
    ),
    requestId: t.Optional(
      t.Union([documented(t.String(), { format: "uuid" }), t.Null()], {
        description:
          "UUID that names this message within its session; the server makes one when it is " +
          "absent. Sending the same id and text once more starts nothing new.",
      }),
    ),
  }),
);

/** The response to sending and cancelling. */
export const MessageState = named(
  "MessageState",
  t.Object({
    requestId: RequestId,
    status: Status,
  }),
);
export const messageState = ({ request_id, status }: MessageRow): Static<typeof MessageState> => ({
  requestId: request_id,
  status,
});

const RunningAnswer = named(
  "RunningAnswer",
  t.Object(
    { status: UnfinishedStatus, requestId: RequestId },
    { description: "Still running: poll again shortly." },
  ),
);
const CompletedAnswer = named(
  "CompletedAnswer",
  t.Object(
    { status: t.Literal("COMPLETED"), requestId: RequestId, result: AnswerResult },
    { description: "The answer is there." },
  ),
);
export const Poll = named(
  "PolledAnswer",
  t.Union([RunningAnswer, CompletedAnswer], { discriminator: { propertyName: "status" } }),
);

export const MessageRecord = named(
  "Message",
  t.Object({
    requestId: RequestId,
    text: t.String(),
    status: Status,
    created_at: Timestamp("When the message was sent."),
    completed_at: Nullable(Timestamp(), "When it was answered, failed or was cancelled."),
    result: t.Union([AnswerResult, t.Null()], {
      description: "The answer of a COMPLETED message.",
    }),
    error: t.Union([Failure, t.Null()], {
      description: "Why a message FAILED or was CANCELLED.",
    }),
    feedback: t.Union([FeedbackRecord, t.Null()], {
      description: "What the owner thinks of the answer; null while nothing was said.",
    }),
  }),
);
export const messageRecord = (
  message: Message,
  feedback: FeedbackRow | undefined,
): Static<typeof MessageRecord> => ({
  requestId: message.request_id,
  text: message.text,
  status: message.status,
  created_at: rfc3339(message.created_at),
  completed_at: rfc3339OrNull(message.completed_at),
  result: message.result,
  error:
    message.error_code === null
      ? null
      : { code: message.error_code, message: message.error_message ?? "" },
  feedback: feedback ? feedbackRecord(feedback) : null,
});

export const chat_example: Static<typeof ChatRecord> = {
  id: "chs_01JB2N6P8R0S2T4V6W8X0Y2Z4A",
  name: "Leave",
  usedFolders: ["fld_01JB2M3R8S5T7V9W1X3Y5Z7A2C"],
  usedPrompts: [],
  all_folders: false,
  pinned: false,
  message_count: 1,
  last_message_at: "2026-03-01T09:31:00.000Z",
  created_at: "2026-03-01T09:30:00.000Z",
  updated_at: "2026-03-01T09:30:00.000Z",
};
const quote = "Full-time employees accrue 25 days of leave a year.";
const result_example: AnswerResult = {
  answer: `${quote} [1]`,
  outcome: "answered",
  grounded: true,
  citations: [
    {
      id: 1,
      document_id: "doc_01JB2M4T9V6W8X3Y5Z7A1C2E4G",
      document_name: "handbook.pdf",
      document_version: 1,
      folder_id: "fld_01JB2M3R8S5T7V9W1X3Y5Z7A2C",
      quote,
      start: 18_204,
      end: 18_204 + quote.length,
      passage: { start: 17_630, end: 18_811 },
      page: 12,
      page_end: 12,
      page_label: "iv",
      time_start: null,
      time_end: null,
      heading: "Leave",
      score: 0.93,
      verified: true,
      stale: false,
      url: "/api/dev/v1/documents/doc_01JB2M4T9V6W8X3Y5Z7A1C2E4G",
    },
  ],
  related: [],
  model: "extractive",
  prompts: [],
  usage: null,
  timings: { queue_ms: 3, retrieve_ms: 4, generate_ms: 2 },
  warnings: [],
};
export const request_id_example = "6f1f2c0e-2f0b-4b7e-9f43-1d2a7c9b5e10";
export const poll_example: Static<typeof Poll> = {
  status: "COMPLETED",
  requestId: request_id_example,
  result: result_example,
};
export const message_example: Static<typeof MessageRecord> = {
  requestId: request_id_example,
  text: "How many days of leave do employees get?",
  status: "COMPLETED",
  created_at: "2026-03-01T09:31:00.000Z",
  completed_at: "2026-03-01T09:31:00.010Z",
  result: result_example,
  error: null,
  feedback: feedback_example,
};

export const AnswerEvent = ServerSentEvent("AnswerEvent", {
  event: OneOf(["status", "delta", "citation", "done", "error"]),
  data: t.Union([
    named("AnswerStatus", t.Object({ status: UnfinishedStatus })),
    named(
      "AnswerDelta",
      t.Object({ text: t.String({ description: "A further piece of the answer." }) }),
    ),
    Citation,
    AnswerResult,
    Failure,
  ]),
});
export const stream_description = [
  "The answer while it is being made, as server-sent events. Any number of clients may watch; " +
    "the poll stays the truth.",
  "",
  "| event | data |",
  "|---|---|",
  '| `status` | `{"status": "PENDING"}` or `{"status": "PROCESSING"}`: the state the message ' +
    "has. Every `status` begins the answer anew: drop the text and citations received before it. |",
  '| `delta` | `{"text": "…"}`: a further piece of the answer. The pieces since the last ' +
    "`status` make up the text. |",
  "| `citation` | A citation of the answer, as in `result.citations`. |",
  "| `done` | The `result`, the same JSON as in the poll, `related` included. The last event. |",
  '| `error` | `{"code": "answer_failed", "message": "…"}`: the request failed or was cancelled ' +
    "(`code` is `cancelled`). What was received before is void. The last event. |",
  "",
  "Ids grow within a message. With `Last-Event-ID` the stream goes on after that event, also " +
    "after a restart of the server;",
  "once the last event was received it answers 204, which tells browsers not to come back.",
  "An answer that had to be made again, after a fault or because a document it used was deleted, " +
    "begins with a new `status`.",
  "The end of an answer finished long ago is told anew in the same form, from a `status` on. " +
    "When the session is deleted or the server stops, the stream ends without `done`.",
].join("\n");
export const stream_example = {
  id: "3",
  event: "delta",
  data: JSON.stringify({ text: result_example.answer }),
};
