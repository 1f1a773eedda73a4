/** The text of a document, fetched when somebody looks at it. */
import { useQuery } from "@tanstack/preact-query";
import { api } from "../api/client";
import type { Document, DocumentWithContent } from "../api/types";

/** Of the version that answers; empty until there is text. Not asked for while it is not `wanted`. */
export const useContent = ({ id, version, status }: Pick<Document, "id" | "version" | "status">, wanted = true) => useQuery({
  queryKey: ["content", id, version, status], staleTime: Infinity, gcTime: 60_000, enabled: wanted,
  queryFn: async ({ signal }) => (await api<DocumentWithContent>(`/documents/${id}`, { signal })).content,
});
