/** Every job of chats: the function that runs it, how often it is tried, how many at once. */
import { inParts } from "../../core/lib/chunked-work";
import { every, handle, job, t, type Context, type Db, type JobHandler } from "../../core/sdk";
import { purgeOfUser } from "../accounts/contract";
import { answerMessage, failMessage } from "./answers/answer";
import type { ChatContext } from "./context";
import { expireChats, purgeChat, removeChatsOf } from "./deletion/chat-deletion";
import { deleteEvents, messagesWithOldEvents } from "./events/event-store";

const minute_ms = 60_000;
const hour_ms = 60 * minute_ms;

const AnswerMessage = job("chats.answer", t.Object({ message_id: t.String() }));
/**
 * Concurrent answers, in total and per owner: those that are worked on, wait for a model, or wait
 * for a permit (answer-limiter.ts).
 */
const answers_max = 256;
const answers_of_owner_max = 8;

/** Deletes the events of answers finished a while ago. */
export const PruneEvents = job("chats.prune", t.Object({}));
/** Deletes sessions for good that were not restored in time. */
const ExpireChats = job("chats.expire", t.Object({}));
/** Deletes the rows of a session that is gone for good. */
const PurgeChat = job("chats.purge", t.Object({ chat_id: t.String() }));

/** There is one such job at a time, for the session that expires next. */
const expiry = "chats.expire";

/** The functions that enqueue or cancel the jobs of chats. */
export const enqueuers = ({
  cancelJobs,
  enqueue,
}: Pick<Context, "cancelJobs" | "enqueue">): Pick<
  ChatContext,
  "enqueuePurge" | "enqueueExpiry" | "cancelExpiry"
> => ({
  enqueuePurge: (tx, { id, owner_id }) =>
    enqueue(
      tx,
      PurgeChat,
      { chat_id: id },
      { key: id, owner: owner_id, queue: `chats.purge:${owner_id}`, queue_concurrency: 1 },
    ),
  enqueueExpiry: (tx, at_ms) =>
    enqueue(tx, ExpireChats, {}, { key: expiry, subject: expiry, run_at_ms: at_ms }),
  cancelExpiry: (tx) => cancelJobs(tx, [expiry]),
});

/** The jobs with their limits. */
export const chatJobs = (ctx: ChatContext): readonly JobHandler[] => [
  handle(AnswerMessage, ({ message_id }, run) => answerMessage(ctx, message_id, run), {
    attempts_max: 3,
    // Includes the time in queues; work and calls have limits of their own.
    timeout_ms: hour_ms,
    concurrency: answers_max,
    each_process: true,
    io_bound: true,
    onExhausted: (tx, { message_id }, reason) => failMessage(ctx, tx, message_id, reason),
  }),
  handle(PruneEvents, (_payload, { signal }) => pruneFinished(ctx, signal), {
    attempts_max: 3,
    timeout_ms: 10 * minute_ms,
    uses_reserve: true,
  }),
  handle(ExpireChats, (_payload, { signal }) => expireChats(ctx, signal), {
    attempts_max: 20,
    crashes_max: Number.MAX_SAFE_INTEGER,
    timeout_ms: 10 * minute_ms,
    uses_reserve: true,
  }),
  purgeOfUser((user_id, signal) => removeChatsOf(ctx, user_id, signal)),
  handle(PurgeChat, ({ chat_id }, { signal }) => purgeChat(ctx, chat_id, signal), {
    attempts_max: 20,
    // Every start continues it.
    crashes_max: Number.MAX_SAFE_INTEGER,
    timeout_ms: 6 * hour_ms,
    // It takes no slot from jobs that somebody is waiting for, and a large one delays no small one.
    io_bound: true,
    concurrency: 8,
    uses_reserve: true,
  }),
];

/** Events of finished answers are deleted every ten minutes. */
export const schedules = [every("*/10 * * * *", PruneEvents, {})];

/** Answers of one owner share a queue, so that a busy one leaves room for the others. */
export const enqueueAnswer = (
  { enqueue }: Pick<Context, "enqueue">,
  tx: Db,
  message_id: string,
  owner_id: string,
): Promise<void> =>
  enqueue(
    tx,
    AnswerMessage,
    { message_id },
    {
      subject: message_id,
      owner: owner_id,
      queue: `chats.answer:${owner_id}`,
      queue_concurrency: answers_of_owner_max,
    },
  );

/** Longer than any client takes to reconnect to a stream. */
export const events_kept_ms = hour_ms;
/** The size of one part: messages examined, and approximate rows deleted. */
const messages_per_part = 20;
const events_per_part = 500;

/** Once the events of a finished message are deleted, its result replaces them. */
export function pruneFinished(
  { inDeletion, now_ms }: Pick<Context, "inDeletion" | "now_ms">,
  signal: AbortSignal,
): Promise<void> {
  const ended_before = now_ms() - events_kept_ms;
  return inParts(
    () =>
      inDeletion(async (tx) => {
        const ids = await messagesWithOldEvents(tx, ended_before, messages_per_part);
        return (await deleteEvents(tx, ids, events_per_part)).length > 0;
      }),
    signal,
  );
}
