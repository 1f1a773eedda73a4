/** Queries for a document, its text and its outline. */
import { useQuery } from "@tanstack/preact-query";
import { api } from "../api/client";
import { keys } from "../api/queries";
import type { Answer, Document } from "../api/types";

/**
 * Of the version that answers; empty until there is text. Not asked for while it is not `wanted`.
 */
export const useContent = (
  { id, version, status }: Pick<Document, "id" | "version" | "status">,
  wanted = true,
) =>
  useQuery({
    queryKey: ["content", id, version, status],
    staleTime: Infinity,
    gcTime: 60_000,
    enabled: wanted,
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

/** Where pages and headings lie in the text, in code points. */
export type Outline = Answer<"getDocumentOutline">;

/**
 * Where pages and headings of the text lie: it is read without them when they don't come. Not asked
 * for while it is not `wanted`.
 */
export const useOutline = (
  { id, version, status }: Pick<Document, "id" | "version" | "status">,
  wanted = true,
) =>
  useQuery({
    queryKey: ["content", "outline", id, version, status],
    staleTime: Infinity,
    gcTime: 60_000,
    enabled: wanted,
    queryFn: ({ signal }) => api<Outline>(`/documents/${id}/outline`, { signal }),
  });
