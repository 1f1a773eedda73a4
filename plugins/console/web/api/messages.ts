/** The messages of a chat, as far back as they have been scrolled to. */
import { replaceEqualDeep, useQuery } from "@tanstack/preact-query";
import { isRunning, type Message } from "./chats";
import { api } from "./client";
import { withNewest, withOlder, type FetchedMessages } from "./message-list";
import { changed_messages, keys, queries } from "./queries";
import type { Page } from "./types";

type Fetched = FetchedMessages<Message>;

/** Messages shown at first: each answer has a hundred elements. */
const page_size = 20;
/** Messages fetched on an update, once others are loaded. */
const newest_size = 10;

/** The messages of a chat that are loaded, newest first. */
export const useMessages = (chat_id: string) =>
  useQuery({
    queryKey: keys.messages(chat_id),
    structuralSharing: false,
    queryFn: ({ signal }) => fetchNewest(chat_id, signal),
  });

/** Fetches the messages before the loaded ones. */
export async function fetchEarlier(chat_id: string): Promise<void> {
  const page = await fetchPage(
    chat_id,
    1 + Math.floor(cachedMessages(chat_id).messages.length / page_size),
  );
  updateCache(chat_id, (before) => withOlder(before, page, replaceEqualDeep));
}

/** Adds a message that was just sent, so that it is shown at once. */
export function cacheMessage(chat_id: string, message: Message): void {
  // A running request may not include it.
  void queries.cancelQueries({ queryKey: keys.messages(chat_id) });
  updateCache(chat_id, ({ messages, total }) => ({
    messages: [message, ...messages],
    total: total + 1,
  }));
}

const no_messages: Fetched = { messages: [], total: 0 };
const cachedMessages = (chat_id: string): Fetched =>
  queries.getQueryData<Fetched>(keys.messages(chat_id)) ?? no_messages;
const updateCache = (chat_id: string, update: (before: Fetched) => Fetched): void =>
  void queries.setQueryData(keys.messages(chat_id), update(cachedMessages(chat_id)));

const fetchPage = (chat_id: string, page: number, signal?: AbortSignal, per_page = page_size) =>
  api<Page<Message>>(`/chats/${chat_id}/messages`, {
    query: { page, per_page },
    ...(signal ? { signal } : {}),
  });

async function fetchNewest(chat_id: string, signal: AbortSignal): Promise<Fetched> {
  const size = cachedMessages(chat_id).messages.length > newest_size ? newest_size : page_size;
  const newest = await fetchPage(chat_id, 1, signal, size);
  const merged = withNewest(cachedMessages(chat_id), newest, replaceEqualDeep);
  const pages = await Promise.all(
    pagesToFetch(merged.messages, newest.data.length).map((page) =>
      fetchPage(chat_id, page, signal),
    ),
  );
  const fetched = pages.reduce(
    (before, page) => withOlder(before, page, replaceEqualDeep),
    withNewest(cachedMessages(chat_id), newest, replaceEqualDeep),
  );
  for (const { requestId } of fetched.messages) changed_messages.delete(requestId);
  changed_messages.delete("all");
  return fetched;
}

/** Pages of older messages with known changes or with unfinished answers. */
function pagesToFetch(messages: readonly Message[], from: number): readonly number[] {
  const all_changed = changed_messages.has("all");
  const pages = messages.flatMap((message, index) =>
    index >= from && (all_changed || isRunning(message) || changed_messages.has(message.requestId))
      ? [1 + Math.floor(index / page_size)]
      : [],
  );
  return [...new Set(pages)];
}
