/** Calls about documents. Each throws an ApiProblem when it fails. */
import { api } from "./client";
import type { Answer, Document, Page } from "./types";

export interface DocumentFilter {
  readonly page: number;
  readonly name?: string;
  readonly status?: string;
  readonly deleted?: boolean;
}
export const page_size = 50;

export const listDocuments = (
  folder_id: string,
  { page, name, status, deleted }: DocumentFilter,
  signal?: AbortSignal,
) =>
  api<Page<Document>>("/documents", {
    query: { folder_id, page, per_page: page_size, name, status, deleted },
    ...(signal ? { signal } : {}),
  });
export const getDocument = (id: string, signal?: AbortSignal) =>
  api<Document>(`/documents/${id}`, { query: { content: false }, ...(signal ? { signal } : {}) });
export const createText = (folder_id: string, name: string, content: string) =>
  api<Document>("/documents", {
    method: "POST",
    body: { folder_id, content, ...(name.trim() ? { name } : {}) },
  });
export const renameDocument = (id: string, name: string) =>
  api<Document>(`/documents/${id}`, { method: "PATCH", body: { name } });
export const reindexDocument = (id: string) =>
  api<Document>(`/documents/${id}/reindex`, { method: "POST" });
export const linkDocument = (id: string, folder_id: string) =>
  api<Document>(`/documents/${id}/links`, { method: "POST", body: { folder_id } });
export const unlinkDocument = (id: string, folder_id: string) =>
  api<undefined>(`/documents/${id}`, { method: "DELETE", query: { folder_id } });
export const restoreDocument = (id: string, folder_id: string) =>
  api<Document>(`/documents/${id}/restore`, { method: "POST", query: { folder_id } });

/** Passages for the query, the best first. */
export const search = (
  query: string,
  folder_ids: readonly string[],
  limit: number,
  signal?: AbortSignal,
) =>
  api<Answer<"search">>("/search", {
    method: "POST",
    body: { query, folder_ids, limit },
    ...(signal ? { signal } : {}),
  });
