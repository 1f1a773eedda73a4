/** Queries for a document, its text and its outline. */
import { useQuery } from "@tanstack/preact-query";
import { api } from "../api/client";
import { keys } from "../api/queries";
import type { Answer, Document } from "../api/types";

/** The text of the current version; empty until there is one. Not fetched unless `enabled`. */
export const useContent = (
  { id, version, status }: Pick<Document, "id" | "version" | "status">,
  enabled = true,
) =>
  useQuery({
    queryKey: ["content", id, version, status],
    staleTime: Infinity,
    gcTime: 60_000,
    enabled,
    queryFn: async ({ signal }) =>
      (await api<Required<Answer<"getDocument">>>(`/documents/${id}`, { signal })).content,
  });

/** The record, without the text. */
export const useDocument = (id: string | null) =>
  useQuery({
    queryKey: keys.document(id ?? ""),
    enabled: id !== null,
    queryFn: ({ signal }) =>
      api<Document>(`/documents/${id}`, { query: { content: false }, signal }),
  });

/** Positions of pages and headings in the text, in code points. */
export type Outline = Answer<"getDocumentOutline">;

/**
 * Positions of pages and headings in the text; optional, the text is shown without them if they
 * can't be fetched. Not fetched unless `enabled`.
 */
export const useOutline = (
  { id, version, status }: Pick<Document, "id" | "version" | "status">,
  enabled = true,
) =>
  useQuery({
    queryKey: ["content", "outline", id, version, status],
    staleTime: Infinity,
    gcTime: 60_000,
    enabled,
    queryFn: ({ signal }) => api<Outline>(`/documents/${id}/outline`, { signal }),
  });
