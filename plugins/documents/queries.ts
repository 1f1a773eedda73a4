/**
 * Reading documents: one by one, as a list, as text and as the original bytes; and what other
 * plugins ask.
 */
import { requireAllOwned, requireOwned, type Db, type PageRequest } from "../../core/sdk";
import type { DocumentContext } from "./context";
import type { DocumentName, Documents } from "./contract";
import * as linkStore from "./link-store";
import * as listStore from "./list-store";
import { no_outline, outlineOf, type Document, type Outline } from "./record";
import * as store from "./store";
import type { DocumentRow } from "./store";

/** The bytes that were sent, with what is needed to send them back. */
export interface Original {
  readonly name: string;
  readonly media_type: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly bytes: Blob;
}

/** @throws HttpError 404 when there is no such document, 403 when it is another user's. */
export async function requireDocument(
  from: Db,
  owner_id: string,
  document_id: string,
): Promise<DocumentRow> {
  return requireOwned(await store.findDocument(from, document_id), owner_id, "document");
}

/** @throws HttpError 403 or 404. */
export async function getDocument(
  { db }: DocumentContext,
  owner_id: string,
  document_id: string,
): Promise<Document> {
  const row = await requireDocument(db, owner_id, document_id);
  return { row, folder_ids: await linkStore.foldersOf(db, document_id) };
}

/** @throws HttpError 403 or 404. */
export async function getWithContent(
  { db }: DocumentContext,
  owner_id: string,
  document_id: string,
): Promise<Document & { readonly content: string }> {
  const found = await store.findWithContent(db, document_id);
  const { content, ...row } = requireOwned(found, owner_id, "document");
  return { row, folder_ids: await linkStore.foldersOf(db, document_id), content: content ?? "" };
}

/** Where the pages and headings of the text that answers lie. @throws HttpError 403 or 404. */
export async function getOutline(
  { db }: DocumentContext,
  owner_id: string,
  document_id: string,
): Promise<Outline> {
  await requireDocument(db, owner_id, document_id);
  const row = await store.findCurrentText(db, document_id);
  return row ? outlineOf(row) : no_outline;
}

/** The documents of one folder, subfolders aside. @throws HttpError 403 or 404 on the folder. */
export async function listDocuments(
  { db, folders }: DocumentContext,
  owner_id: string,
  query: { readonly folder_id: string } & listStore.ListFilter & PageRequest,
): Promise<{ readonly documents: Document[]; readonly total: number }> {
  const folder = await folders.require(db, owner_id, query.folder_id);
  const { rows, total } = await listStore.listDocuments(db, folder, query, query);
  const folder_ids = await linkStore.foldersOfAll(
    db,
    rows.map((row) => row.id),
  );
  return { documents: rows.map((row) => ({ row, folder_ids: folder_ids.get(row.id)! })), total };
}

/** The original of the version that answers. @throws HttpError 403 or 404. */
export async function getOriginal(
  { db, files }: DocumentContext,
  owner_id: string,
  document_id: string,
): Promise<Original> {
  for (let first = true; ; first = false) {
    const { name, media_type, sha256, size_bytes, in_files, content } = requireOwned(
      await store.findOriginal(db, document_id),
      owner_id,
      "document",
    );
    if (in_files === 0) {
      const bytes = new Blob([content ?? ""]);
      return { name, media_type: `${media_type}; charset=utf-8`, sha256, size_bytes, bytes };
    }
    const bytes = await files.open(sha256);
    if (bytes) return { name, media_type, sha256, size_bytes, bytes };
    // The version may have been switched, and its file deleted, since its row was read: then there
    // is a newer row.
    if (!first) throw new Error(`the original ${sha256} is not in the file store`);
  }
}

/** What other plugins ask: every call says which database or transaction to read. */
export const documentQueries: Omit<Documents, "ingest" | "removeFiles" | "upload_bytes_max"> = {
  async require(from, owner_id, document_id) {
    const { id, name, current_version } = await requireDocument(from, owner_id, document_id);
    return { id, name, current_version };
  },

  async requireAll(from, owner_id, document_ids, pointer) {
    requireAllOwned(await store.findNames(from, document_ids), document_ids, owner_id, {
      what: "document",
      pointer,
    });
  },

  findNames: async (from, document_ids) => byId(await store.findNames(from, document_ids)),

  hasQuoteAt: (from, passage) => store.hasQuoteAt(from, passage),

  async findQuotes(from, document_id, quotes) {
    const content = (await store.findWithContent(from, document_id))?.content ?? "";
    return new Set(quotes.filter((quote) => content.includes(quote)));
  },

  async findSpans(from, version) {
    const found = await store.findSpans(from, version);
    if (found?.text == null) return undefined;
    const { pages, times = [] } = store.fromStoredSpans(found);
    return { text: found.text, pages, times };
  },

  findLinked: async (from, document_ids, folder_ids) =>
    byId(await linkStore.findLinked(from, document_ids, folder_ids)),
};

const byId = (names: readonly DocumentName[]): Map<string, DocumentName> =>
  new Map(names.map(({ id, name, current_version }) => [id, { id, name, current_version }]));
