/** Chats, their messages and saved prompts: records, and what is asked of the server about them. */
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/preact-query";
import { api } from "./client";
import { fetchAll, keys, queries, refresh } from "./queries";
import type { Page, Passage } from "./types";

export interface Chat {
  readonly id: string;
  readonly name: string | null;
  readonly usedFolders: readonly string[];
  readonly usedPrompts: readonly string[];
  readonly message_count: number;
  readonly last_message_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}
/** `id` is the number in the answer's markers. */
export interface Citation extends Passage {
  readonly id: number;
}
export interface Answer {
  /** Markdown with `[1]` markers. */
  readonly answer: string;
  readonly outcome: "answered" | "no_answer";
  readonly grounded: boolean;
  readonly citations: readonly Citation[];
  readonly model: string;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}
export type MessageStatus = "PENDING" | "PROCESSING" | "COMPLETED" | "FAILED" | "CANCELLED";
export interface Message {
  readonly requestId: string;
  readonly text: string;
  readonly status: MessageStatus;
  readonly created_at: string;
  readonly completed_at: string | null;
  readonly result: Answer | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}
export interface Prompt {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly description: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export const isRunning = ({ status }: Pick<Message, "status">): boolean =>
  status === "PENDING" || status === "PROCESSING";

export const useChats = (page: number, deleted: boolean) =>
  useQuery({
    queryKey: keys.chats({ page, deleted }),
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => api<Page<Chat>>("/chats", { query: { page, deleted }, signal }),
  });
export const useChat = (id: string | null) =>
  useQuery({
    queryKey: keys.chat(id ?? ""),
    enabled: id !== null,
    queryFn: ({ signal }) => api<Chat>(`/chats/${id}`, { signal }),
  });
export const usePrompts = () =>
  useQuery({ queryKey: keys.prompts, queryFn: () => fetchAll<Prompt>("/prompts") });

/** The messages of a chat, page by page from the newest one back. */
export const useMessages = (chat_id: string | null) =>
  useInfiniteQuery({
    queryKey: keys.messages(chat_id ?? ""),
    enabled: chat_id !== null,
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      api<Page<Message>>(`/chats/${chat_id}/messages`, {
        query: { page: pageParam, per_page: 50 },
        signal,
      }),
    getNextPageParam: ({ pagination }) => pagination.next_page,
  });

export interface ChatChange {
  readonly name?: string | null;
  readonly usedFolders?: readonly string[];
  readonly usedPrompts?: readonly string[];
}

export async function createChat(body: ChatChange): Promise<Chat> {
  const chat = await api<Chat>("/chats", { method: "POST", body });
  queries.setQueryData(keys.chat(chat.id), chat);
  void refresh("chat");
  return chat;
}
export async function changeChat(id: string, body: ChatChange): Promise<void> {
  queries.setQueryData(keys.chat(id), await api<Chat>(`/chats/${id}`, { method: "PUT", body }));
  void refresh("chat");
}
export async function deleteChat(id: string): Promise<void> {
  await api(`/chats/${id}`, { method: "DELETE" });
  void refresh("chat");
}
export async function restoreChat(id: string): Promise<void> {
  await api(`/chats/${id}/restore`, { method: "POST" });
  void refresh("chat", "message");
}

/** `requestId` makes sending it twice harmless. */
export const sendMessage = (chat_id: string, text: string, requestId: string) =>
  api<Pick<Message, "requestId" | "status">>(`/chats/${chat_id}/messages`, {
    method: "POST",
    body: { text, requestId },
  });
export const cancelMessage = (chat_id: string, requestId: string) =>
  api(`/chats/${chat_id}/messages/${requestId}/cancel`, { method: "POST" });

export interface SearchRequest {
  readonly query: string;
  readonly folder_ids?: readonly string[];
  readonly limit?: number;
}
export const search = async (
  body: SearchRequest,
  signal?: AbortSignal,
): Promise<readonly Passage[]> =>
  (
    await api<{ data: readonly Passage[] }>("/search", {
      method: "POST",
      body,
      ...(signal ? { signal } : {}),
    })
  ).data;

/** A random UUID, on plain http too, where `crypto.randomUUID` is not there. */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
