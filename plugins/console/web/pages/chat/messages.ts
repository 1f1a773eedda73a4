/** Messages on their way to the server, and in the cache of the page. */
import { newRequestId, type Message } from "../../api/chats";
import { keys, queries } from "../../api/queries";
import type { Page } from "../../api/types";

/** A question on its way to the server; `error` is why it did not get there. */
export interface Outgoing {
  readonly message: Message;
  readonly error: unknown;
}

/** A question that the server does not know yet. */
export const newMessage = (text: string): Message => ({
  requestId: newRequestId(),
  text,
  status: "PENDING",
  created_at: new Date().toISOString(),
  completed_at: null,
  result: null,
  error: null,
  feedback: null,
});
/** A chat is named by the beginning of its first question, up to a whole word. */
export function chatNameFor(text: string): string {
  const line = text.trim().split("\n", 1)[0]!;
  if (line.length <= 60) return line;
  return `${line.slice(0, 60).replace(/\s+\S*$/, "")} …`;
}

/** All messages in the order they were asked: a page may repeat one of the page before. */
export function oldestFirst(pages: readonly Page<Message>[]): readonly Message[] {
  const by_id = new Map(
    pages.flatMap(({ data }) => data).map((message) => [message.requestId, message]),
  );
  return [...by_id.values()].reverse();
}

/** Adds a message that was just sent to those in the cache, so that it is shown at once. */
export function cacheMessage(chat_id: string, message: Message): void {
  queries.setQueryData<{ pages: Page<Message>[]; pageParams: unknown[] }>(
    keys.messages(chat_id),
    (known) => {
      const [first, ...rest] = known?.pages ?? [];
      const pagination = first?.pagination ?? {
        count: 1,
        total: 1,
        per_page: 50,
        total_pages: 1,
        next_page: null,
        previous_page: null,
      };
      return {
        pages: [{ data: [message, ...(first?.data ?? [])], pagination }, ...rest],
        pageParams: known?.pageParams ?? [1],
      };
    },
  );
}
