/** Calls for documents. Each throws an ApiProblem if it fails. */
import { api } from "./client";
import type { Answer, BodyOf, Document, Page } from "./types";

/** Which documents of a folder a list shows, as the API's query takes them. */
export interface DocumentFilter {
  readonly page: number;
  readonly name?: string;
  readonly status?: string;
  readonly type?: string;
  readonly deleted?: boolean;
  readonly sort?: string;
  readonly order?: string;
}
const page_size = 50;
/** The largest page, and the most documents per bulk call. */
export const batch_size = 200;

/** A page of 50 documents of a folder. */
export const listDocuments = (
  folder_id: string,
  { page, ...filter }: DocumentFilter,
  signal?: AbortSignal,
) =>
  api<Page<Document>>("/documents", {
    query: { folder_id, page, per_page: page_size, ...filter },
    ...(signal ? { signal } : {}),
  });
/** The record of a document, without its text. */
export const getDocument = (id: string, signal?: AbortSignal) =>
  api<Document>(`/documents/${id}`, { query: { content: false }, ...(signal ? { signal } : {}) });
/** Creates a document from text; without a name its first line is the name. */
export const createText = (folder_id: string, name: string, content: string) =>
  api<Document>("/documents", {
    method: "POST",
    body: { folder_id, content, ...(name.trim() ? { name } : {}) },
  });
export const renameDocument = (id: string, name: string) =>
  api<Document>(`/documents/${id}`, { method: "PATCH", body: { name } });
/** The body of a bulk action: the action and its documents. */
export type Batch = BodyOf<"changeDocuments">;
/** One action on at most `batch_size` documents. */
export const changeDocuments = (body: Batch) =>
  api<Answer<"changeDocuments">>("/documents/batch", { method: "POST", body });

/** For all documents of the folder that match the filter, in batches. */
export async function* documentIds(
  folder_id: string,
  filter: Readonly<Record<string, string>>,
  signal: AbortSignal,
): AsyncGenerator<readonly string[], void> {
  for (let after: string | undefined; ;) {
    const { ids, total } = await api<Answer<"listDocumentIds">>(
      `/folders/${folder_id}/document-ids`,
      { query: { ...filter, after }, signal },
    );
    yield ids;
    after = ids.at(-1);
    if (after === undefined || total <= ids.length) return;
  }
}
