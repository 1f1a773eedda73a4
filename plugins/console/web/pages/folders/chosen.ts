/** Documents that something is done with: some that are named, or all that a list finds. */
import { documentIds } from "../../api/documents";
import type { Document } from "../../api/types";
import type { Filter } from "./filter";

export interface Chosen {
  readonly count: number;
  /** Of a single one. */
  readonly name: string | null;
  /** The folders that have all of them already. */
  readonly folder_ids: readonly string[];
  /** In parts, asked for one after the other. */
  readonly ids: (
    signal: AbortSignal,
  ) => AsyncIterable<readonly string[]> | readonly [readonly string[]];
  /** What a ZIP file of them is asked with. */
  readonly query: Readonly<Record<string, string>>;
}

export function these(documents: readonly Document[]): Chosen {
  const ids = documents.map(({ id }) => id);
  const [only] = documents;
  return {
    count: ids.length,
    name: ids.length === 1 ? only!.name : null,
    folder_ids: ids.length === 1 ? only!.folder_ids : [],
    ids: () => [ids],
    query: { document_ids: ids.join(",") },
  };
}

export function allOf(
  folder_id: string,
  { query, status, type }: Pick<Filter, "query" | "status" | "type">,
  count: number,
): Chosen {
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
