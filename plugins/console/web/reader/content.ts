/** A document, and its text, fetched when somebody looks at them. */
import { useQuery } from "@tanstack/preact-query";
import { api } from "../api/client";
import { keys } from "../api/queries";
import type { Document, DocumentWithContent } from "../api/types";

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
      (await api<DocumentWithContent>(`/documents/${id}`, { signal })).content,
  });

/** The record, without the text. */
export const useDocument = (id: string | null) =>
  useQuery({
    queryKey: keys.document(id ?? ""),
    enabled: id !== null,
    queryFn: ({ signal }) =>
      api<Document>(`/documents/${id}`, { query: { content: false }, signal }),
  });

/** Code points into the text. */
export interface Outline {
  readonly pages: readonly { readonly page: number; readonly start: number }[];
  readonly headings: readonly {
    readonly start: number;
    readonly end: number;
    readonly level: number;
  }[];
}

/** Where pages and headings of the text lie: it is read without them when they don't come. */
export const useOutline = ({ id, version, status }: Pick<Document, "id" | "version" | "status">) =>
  useQuery({
    queryKey: ["content", "outline", id, version, status],
    staleTime: Infinity,
    gcTime: 60_000,
    queryFn: ({ signal }) => api<Outline>(`/documents/${id}/outline`, { signal }),
  });
