/** Every job of chats: the function that runs it, how often it is tried, how many at once. */
import { every, handle, job, t, type Context, type Db, type JobHandler } from "../../core/sdk";
import { answerMessage, failMessage } from "./answer";
import type { ChatContext } from "./context";
import { pruneEvents } from "./event-store";

const minute_ms = 60_000;

export const AnswerMessage = job("chats.answer", t.Object({ message_id: t.String() }));
/** Answers that are made at the same time, in all and of one owner. */
const answers_max = 4;
const answers_of_owner_max = 3;

/** Deletes the events of answers that have been finished for a while. */
export const PruneEvents = job("chats.prune", t.Object({}));

export const chatJobs = (ctx: ChatContext): readonly JobHandler[] => [
  handle(AnswerMessage, ({ message_id }, run) => answerMessage(ctx, message_id, run), {
    attempts_max: 3,
    timeout_ms: 5 * minute_ms,
    concurrency: answers_max,
    onExhausted: (tx, { message_id }, reason) => failMessage(ctx, tx, message_id, reason),
  }),
  handle(PruneEvents, (_payload, { signal }) => pruneFinished(ctx, signal), {
    attempts_max: 3,
    timeout_ms: 10 * minute_ms,
  }),
];

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

/** Longer than any client that was cut off from a stream stays away. */
export const events_kept_ms = 60 * minute_ms;
const messages_at_once = 200;

/** Once the events of a finished message are deleted, its result stands in for them. */
export async function pruneFinished(
  { inTransaction, now_ms }: Pick<Context, "inTransaction" | "now_ms">,
  signal: AbortSignal,
): Promise<void> {
  const ended_before = now_ms() - events_kept_ms;
  for (;;) {
    const pruned = await inTransaction((tx) => pruneEvents(tx, ended_before, messages_at_once));
    if (pruned < messages_at_once) return;
    signal.throwIfAborted();
  }
}
