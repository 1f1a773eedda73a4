/** Chats, their messages and saved prompts: records, queries and calls. */
import { useQuery } from "@tanstack/preact-query";
import { api } from "./client";
import { changed_messages, fetchAll, keys, queries, refresh } from "./queries";
import type { Answer, BodyOf, Page, RowOf } from "./types";

/** `first_question` is its beginning, of a chat without a name. */
export type Chat = Answer<"getChat"> & { readonly first_question?: string | undefined };
export type Message = RowOf<"listMessages">;
export type MessageStatus = Message["status"];
/** The answer of a message: Markdown with markers such as `[1]`. */
export type MessageResult = NonNullable<Message["result"]>;
/** `id` is the number in the answer's markers. */
export type Citation = MessageResult["citations"][number];
export type Prompt = RowOf<"listPrompts">;

/** The answer is still waiting or being written. */
export const isRunning = ({ status }: Pick<Message, "status">): boolean =>
  status === "PENDING" || status === "PROCESSING";

/** Chats without a name are shown under their first question. */
async function withFirstQuestions(
  chats: readonly Chat[],
  signal?: AbortSignal,
): Promise<readonly Chat[]> {
  const unnamed = chats.filter(({ name, message_count }) => name === null && message_count > 0);
  if (unnamed.length === 0) return chats;
  const questions = await api<Answer<"listFirstQuestions">>("/first-questions", {
    query: { chat_ids: unnamed.map(({ id }) => id).join() },
    ...(signal && { signal }),
  });
  const text_of = new Map(questions.map(({ chat_id, text }) => [chat_id, text]));
  return chats.map((chat) => ({ ...chat, first_question: text_of.get(chat.id) }));
}
/** A chat, with its first question when it has no name. @throws ApiProblem */
export async function fetchChat(id: string, signal?: AbortSignal): Promise<Chat> {
  const chat = await api<Chat>(`/chats/${id}`, signal && { signal });
  return (await withFirstQuestions([chat], signal))[0]!;
}

const listsSameState = (key: readonly unknown[] | undefined, deleted: boolean): boolean =>
  (key?.at(-1) as { readonly deleted?: boolean } | undefined)?.deleted === deleted;

/** Which chats a list shows, and which page of them. */
export interface ChatFilter {
  readonly page: number;
  readonly deleted: boolean;
  /** Pinned chats, or the others; undefined for both. */
  readonly pinned?: boolean;
  /** Words of the name or of a question. */
  readonly q?: string;
}
export const useChats = ({ page, deleted, pinned, q = "" }: ChatFilter) =>
  useQuery<Page<Chat>>({
    queryKey: keys.chats({ page, pinned, q, deleted }),
    // While a page loads, another page of the same list stands in for it.
    placeholderData: (previous, query) =>
      listsSameState(query?.queryKey, deleted) ? previous : undefined,
    queryFn: async ({ signal }) => {
      const chats = await api<Page<Chat>>("/chats", {
        query: { page, deleted, ...(pinned === undefined ? {} : { pinned }), ...(q && { q }) },
        signal,
      });
      return { ...chats, data: await withFirstQuestions(chats.data, signal) };
    },
  });
export const useChat = (id: string | null) =>
  useQuery({
    queryKey: keys.chat(id ?? ""),
    enabled: id !== null,
    queryFn: ({ signal }) => fetchChat(id!, signal),
  });
export const usePrompts = () =>
  useQuery({ queryKey: keys.prompts, queryFn: () => fetchAll<Prompt>("/prompts") });

/** The configured answerers, which practically never change. */
export const useAnswering = () =>
  useQuery({
    queryKey: keys.answering,
    staleTime: 60_000,
    queryFn: ({ signal }) => api<Answer<"getAnswering">>("/answering", { signal }),
  });
/** Suggested first questions; null asks every folder. */
export const useSuggestions = (folders: readonly string[] | null) =>
  useQuery({
    queryKey: keys.suggestions(folders),
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (
        await api<Answer<"suggestQuestions">>("/suggested-questions", {
          query: folders === null ? {} : { folder_ids: folders.join() },
          signal,
        })
      ).data,
  });

/** Creates a chat and caches it. @throws ApiProblem */
export async function createChat(body: BodyOf<"createChat">): Promise<Chat> {
  const chat = await api<Chat>("/chats", { method: "POST", body });
  queries.setQueryData(keys.chat(chat.id), chat);
  void refresh("chat");
  return chat;
}
/** Changes a chat on the server and in the cache. @throws ApiProblem */
export async function changeChat(id: string, body: BodyOf<"updateChat">): Promise<void> {
  queries.setQueryData(keys.chat(id), await api<Chat>(`/chats/${id}`, { method: "PUT", body }));
  void refresh("chat");
}
/** Moves a chat to the deleted ones, where it can be restored. @throws ApiProblem */
export async function deleteChat(id: string): Promise<void> {
  await api(`/chats/${id}`, { method: "DELETE" });
  void refresh("chat");
}
/** Deletes a chat permanently. @throws ApiProblem */
export async function deleteChatForGood(id: string): Promise<void> {
  await api(`/chats/${id}`, { method: "DELETE", query: { permanent: true } });
  void refresh("chat", "message");
}
/** Restores a deleted chat. @throws ApiProblem */
export async function restoreChat(id: string): Promise<void> {
  await api(`/chats/${id}/restore`, { method: "POST" });
  void refresh("chat", "message");
}

/** Idempotent by `requestId`. */
export const sendMessage = (chat_id: string, text: string, requestId: string) =>
  api<Answer<"sendMessage">>(`/chats/${chat_id}/messages`, {
    method: "POST",
    body: { text, requestId },
  });
/** Stops the answer of a message. @throws ApiProblem */
export const cancelMessage = (chat_id: string, requestId: string) =>
  api(`/chats/${chat_id}/messages/${requestId}/cancel`, { method: "POST" });

export type Feedback = NonNullable<Message["feedback"]>;
const feedbackPath = (chat_id: string, requestId: string) =>
  `/chats/${chat_id}/messages/${requestId}/feedback`;
/** Rates an answer, or replaces the rating. @throws ApiProblem */
export async function giveFeedback(
  chat_id: string,
  requestId: string,
  body: BodyOf<"giveFeedback">,
): Promise<void> {
  await api(feedbackPath(chat_id, requestId), { method: "PUT", body });
  await refreshFeedback(requestId);
}
/** Removes the rating of an answer. @throws ApiProblem */
export async function withdrawFeedback(chat_id: string, requestId: string): Promise<void> {
  await api(feedbackPath(chat_id, requestId), { method: "DELETE" });
  await refreshFeedback(requestId);
}
function refreshFeedback(requestId: string): Promise<unknown> {
  changed_messages.add(requestId);
  return refresh("message", "feedback");
}

/** A random UUID, also on plain HTTP, where browsers have no `crypto.randomUUID`. */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
