/** The targets of an action: listed documents, or all that match a filter. */
import { documentIds } from "../../api/documents";
import type { Document } from "../../api/types";
import type { Filter } from "./filter";

/** Documents to act on, known by their ids or only by a filter. */
export interface DocumentSelection {
  readonly count: number;
  /** The name of a single document. */
  readonly name: string | null;
  /** The folders that contain all of them already. */
  readonly folder_ids: readonly string[];
  /** In batches, fetched one after the other. */
  readonly ids: (
    signal: AbortSignal,
  ) => AsyncIterable<readonly string[]> | readonly [readonly string[]];
  /** The request for a ZIP file of them. */
  readonly query: Readonly<Record<string, string>>;
}

/** These documents. */
export function selectionOf(documents: readonly Document[]): DocumentSelection {
  const ids = documents.map(({ id }) => id);
  const [first] = documents;
  return {
    count: ids.length,
    name: ids.length === 1 ? first!.name : null,
    folder_ids: ids.length === 1 ? first!.folder_ids : [],
    ids: () => [ids],
    query: { document_ids: ids.join(",") },
  };
}

/** All documents of a folder that match the filter; `count` as listed at the moment. */
export function selectionOfFilter(
  folder_id: string,
  { query, status, type }: Pick<Filter, "query" | "status" | "type">,
  count: number,
): DocumentSelection {
  const filter = Object.fromEntries(
    Object.entries({ name: query, status, type }).filter(([, value]) => value !== ""),
  );
  return {
    count,
    name: null,
    folder_ids: [],
    ids: (signal) => documentIds(folder_id, filter, signal),
    query: filter,
  };
}
