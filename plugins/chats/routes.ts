/** The routes of chat sessions and messages: a schema in, one call to the service, a record out. */
import {
  badRequest,
  event_stream_headers,
  lastEventId,
  check_errors,
  PageOf,
  PageQuery,
  reply,
  route,
  t,
  LongPage,
  toPage,
  type HandlersOf,
} from "../../core/sdk";
import type { Message } from "./citations/citation-updates";
import type { ChatContext } from "./context";
import * as deletion from "./deletion/chat-deletion";
import {
  ChatBody,
  chat_example,
  chatRecord,
  ChatRecord,
  MessageBody,
  message_example,
  MessageRecord,
  messageRecord,
  MessageState,
  messageState,
  Poll,
  poll_example,
  request_id_example,
  stream_example,
  AnswerEvent,
  stream_description,
} from "./records";
import * as service from "./service";
import type { MessageRow } from "./store";
import type { AnswerStreams } from "./events/stream";

const tag = "Chats";
const errors = { 410: "The chat session has expired: it was deleted." };
const session = (description: string) => ({
  description,
  schema: ChatRecord,
  example: chat_example,
});
const search_length_max = 255;
const quota_reached = { quota_exceeded: "The quota of chats is reached; the detail names it." };
const named_unknown = "A folder or prompt that is named could not be found.";
const message_links = { sessionId: "$request.path.sessionId", requestId: "requestId" };
const started_headers = {
  location: "Path of what to poll.",
  "retry-after": "Seconds to wait before the first poll.",
};

export const routes = {
  list: route.get("/chats", {
    summary: "List chat sessions",
    tag,
    operation: "listChats",
    description: "The caller's chat sessions, newest first.",
    query: t.Composite([
      PageQuery,
      t.Object({
        deleted: t.Optional(
          t.Boolean({
            default: false,
            description: "`true` lists the deleted sessions instead: those that can be restored.",
          }),
        ),
        pinned: t.Optional(
          t.Boolean({ description: "`true` lists those that are pinned, `false` the others." }),
        ),
        q: t.Optional(
          t.String({
            maxLength: search_length_max,
            description: "Only sessions whose name, or one of whose questions, contains this.",
            examples: ["filter"],
          }),
        ),
      }),
    ]),
    answers: {
      200: {
        description: "One page of sessions.",
        schema: PageOf(ChatRecord),
        example: toPage([chat_example], 1, {}),
      },
    },
  }),
  create: route.post("/chats", {
    summary: "Create a chat session",
    tag,
    operation: "createChat",
    description:
      "Every field is optional, and so is the body. Lists that are absent are empty; an id given " +
      "twice counts once.",
    body: ChatBody,
    body_optional: true,
    example: { name: chat_example.name, usedFolders: chat_example.usedFolders },
    answers: {
      201: {
        ...session("The new session."),
        headers: { location: "Path of the new session." },
        links: {
          getChat: { sessionId: "id" },
          updateChat: { sessionId: "id" },
          deleteChat: { sessionId: "id" },
          sendMessage: { sessionId: "id" },
          listMessages: { sessionId: "id" },
        },
      },
    },
    errors: { 403: quota_reached, 404: named_unknown },
  }),
  get: route.get("/chats/:sessionId", {
    summary: "Get a chat session",
    tag,
    operation: "getChat",
    answers: { 200: session("The session.") },
    errors,
  }),
  change: route.put("/chats/:sessionId", {
    summary: "Change a chat session",
    tag,
    operation: "updateChat",
    description: "Replaces the fields that are given. Null takes the name away and empties a list.",
    body: ChatBody,
    example: { usedFolders: chat_example.usedFolders },
    answers: { 200: session("The session after the change.") },
    errors: { ...errors, 404: `There is no such session. ${named_unknown}` },
  }),
  remove: route.delete("/chats/:sessionId", {
    summary: "Delete a chat session",
    tag,
    operation: "deleteChat",
    description:
      "Reversible for 30 days (`chats.restore_for`): `POST /chats/{sessionId}/restore` brings it " +
      "back. Until then it counts against the quota. An answer that is being made is finished " +
      "meanwhile. With `permanent=true` the session goes for good, deleted before or not.",
    query: t.Object({
      permanent: t.Optional(
        t.Boolean({ default: false, description: "`true` deletes it for good." }),
      ),
    }),
    answers: { 204: { description: "It is deleted." } },
    errors: { 410: "It is deleted already, and `permanent` is not `true`." },
  }),
  restore: route.post("/chats/:sessionId/restore", {
    summary: "Restore a chat session",
    tag,
    operation: "restoreChat",
    description:
      "Brings a deleted session back with its messages. A session that is not deleted stays as " +
      "it is.",
    answers: { 200: session("The session.") },
    errors: { 403: quota_reached },
  }),
  send: route.post("/chats/:sessionId/messages", {
    summary: "Send a message",
    tag,
    operation: "sendMessage",
    description:
      "Starts an answer, which is read by polling. With a `requestId` of your own, sending the " +
      "same message again is harmless: it answers 202 with the state that the message has.",
    body: MessageBody,
    body_bytes_max: 256 * 1024,
    example: { text: message_example.text, requestId: request_id_example },
    answers: {
      202: {
        description: "The message is accepted.",
        schema: MessageState,
        headers: started_headers,
        links: {
          pollMessage: message_links,
          streamMessage: message_links,
          cancelMessage: message_links,
        },
        example: { requestId: request_id_example, status: "PENDING" },
      },
    },
    errors: {
      ...errors,
      ...check_errors,
      409: "The requestId was used in this session with another text.",
    },
  }),
  messages: route.get("/chats/:sessionId/messages", {
    summary: "List messages",
    tag,
    operation: "listMessages",
    description:
      "The messages of the session with their answers, newest first. Only here, and in the " +
      "answers to sending and cancelling, `status` may also read `FAILED` or `CANCELLED`.",
    query: PageQuery,
    answers: {
      200: {
        description: "One page of messages.",
        schema: PageOf(MessageRecord),
        example: toPage([message_example], 1, {}),
      },
    },
    errors,
  }),
  poll: route.get("/chats/:sessionId/messages/:requestId", {
    summary: "Poll an answer",
    tag,
    operation: "pollMessage",
    waits: true,
    description:
      "With `Prefer: wait=20` (RFC 7240, at most 30 s) it answers as soon as the status changes; " +
      "without it, at once.",
    answers: {
      200: {
        description: "The answer, or the state of the running request.",
        schema: Poll,
        example: poll_example,
        headers: {
          "retry-after": "Seconds to wait before the next poll, while it is running.",
          "preference-applied": "`wait=N`, the seconds in effect, when the request asked to wait.",
        },
      },
      500: {
        description: "The request failed or was cancelled. The body is the message alone.",
        schema: t.String(),
        media_type: "text/plain",
        example: "The answer was cancelled.",
      },
    },
    errors,
  }),
  stream: route.get("/chats/:sessionId/messages/:requestId/stream", {
    summary: "Watch an answer",
    tag,
    operation: "streamMessage",
    description: stream_description,
    request_headers: {
      "Last-Event-ID": {
        description:
          "The id of the last event that was received: the stream goes on after it. Without it, " +
          "or with an id that this message never gave, it begins with the first one.",
        pattern: "^[0-9]{0,15}$",
      },
    },
    answers: {
      200: {
        description:
          "The events, as they come; the schema is that of one. After `done` or `error` it ends.",
        schema: AnswerEvent,
        media_type: "text/event-stream",
        example: stream_example,
      },
      204: { description: "The last event was received before: there is nothing more." },
    },
    errors: {
      ...errors,
      429: { too_many_streams: "Too many answers of this account are being watched." },
    },
  }),
  cancel: route.post("/chats/:sessionId/messages/:requestId/cancel", {
    summary: "Cancel an answer",
    tag,
    operation: "cancelMessage",
    description:
      "Ends a running request. Polling it answers 500 `The answer was cancelled.` from then on.",
    answers: {
      202: {
        description: "It is cancelled.",
        schema: MessageState,
        headers: started_headers,
        example: { requestId: request_id_example, status: "CANCELLED" },
      },
    },
    errors: { ...errors, 409: "The message is finished." },
  }),
};

export const chatHandlers = (
  ctx: ChatContext,
  streams: AnswerStreams,
): HandlersOf<typeof routes> => ({
  list: async ({ caller, query, request: { signal } }) => {
    const { owner_id } = caller;
    const { deleted = false, pinned, q: words } = query;
    const listing = { deleted, pinned, words };
    const listed = await service.listChats(ctx, owner_id, listing, query, signal);
    return new LongPage(listed, query, chatRecord);
  },
  create: async ({ caller, body }) => {
    const chat = await service.createChat(ctx, caller.owner_id, body);
    return reply(201, chatRecord(chat), { location: `/api/dev/v1/chats/${chat.id}` });
  },
  get: async ({ caller, params }) =>
    chatRecord(await service.getChat(ctx, caller.owner_id, params.sessionId)),
  change: async ({ caller, params, body }) =>
    chatRecord(await service.changeChat(ctx, caller.owner_id, params.sessionId, body)),
  remove: async ({ caller, params, query }) => {
    const remove = query.permanent ? deletion.removeChatForGood : deletion.removeChat;
    await remove(ctx, caller.owner_id, params.sessionId);
    return reply(204);
  },
  restore: async ({ caller, params }) =>
    chatRecord(await deletion.restoreChat(ctx, caller.owner_id, params.sessionId)),
  send: async ({ caller, params, body, request: { signal } }) =>
    acceptedReply(
      await service.submitMessage(ctx, caller.owner_id, params.sessionId, body, signal),
    ),
  messages: async ({ caller, params, query }) => {
    const listed = await service.listMessages(ctx, caller.owner_id, params.sessionId, query);
    return new LongPage(listed, query, ({ message, feedback }) => messageRecord(message, feedback));
  },
  poll: async ({ caller, params, request, stopping, wait_ms }) => {
    const wait = { timeout_ms: wait_ms, signals: [request.signal, stopping] };
    const { sessionId, requestId } = params;
    const message = await service.pollMessage(ctx, caller.owner_id, sessionId, requestId, wait);
    return pollReply(message, wait_ms);
  },
  stream: async ({ caller, params, request, request_id, stopping }) => {
    const last_seen = lastEventOf(request);
    const message = await service.messageProgress(
      ctx,
      caller.owner_id,
      params.sessionId,
      params.requestId,
    );
    const signals = [request.signal, stopping];
    const stream = await streams.open(caller.owner_id, message, last_seen, signals, request_id);
    return stream ? new Response(stream, { headers: event_stream_headers }) : reply(204);
  },
  cancel: async ({ caller, params }) =>
    acceptedReply(
      await service.cancelMessage(ctx, caller.owner_id, params.sessionId, params.requestId),
    ),
});

/** @throws HttpError 400 when it is not an id given by streams. */
function lastEventOf(request: Request): number {
  const id = lastEventId(request) ?? "";
  if (id === "") return 0;
  if (!/^\d{1,15}$/.test(id))
    throw badRequest("The header Last-Event-ID must be the id of an event of this stream.");
  return Number(id);
}

const acceptedReply = (message: MessageRow) =>
  reply(202, messageState(message), {
    location: `/api/dev/v1/chats/${message.chat_id}/messages/${message.request_id}`,
    "retry-after": "1",
  });

function pollReply(message: Message, wait_ms: number) {
  const applied: Record<string, string> =
    wait_ms > 0 ? { "preference-applied": `wait=${wait_ms / 1_000}` } : {};
  const { status, request_id: requestId, result } = message;
  if (status === "COMPLETED") return reply(200, { status, requestId, result }, applied);
  if (status === "PENDING" || status === "PROCESSING")
    return reply(200, { status, requestId }, { ...applied, "retry-after": "1" });
  return new Response(message.error_message, {
    status: 500,
    headers: { ...applied, "content-type": "text/plain; charset=utf-8" },
  });
}
