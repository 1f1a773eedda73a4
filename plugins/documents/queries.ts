/** Reads documents: one, a list, their text and original bytes; also for other plugins. */
import { TextGone } from "../../core/lib/text-reader";
import {
  requireAllOwned,
  requireOwned,
  type Db,
  type PageRequest,
  type StoredBytes,
} from "../../core/sdk";
import type { TimeSpan } from "../extraction/contract";
import type { DocumentContext } from "./context";
import type { DocumentInFolder, DocumentName, Documents } from "./contract";
import * as linkStore from "./links/link-store";
import * as listStore from "./lists/list-store";
import type { Document, VectorsState } from "./record";
import { overviewOf } from "./overview";
import * as store from "./store";
import type { DocumentRow } from "./store";
import { findKnownQuotes } from "./texts/known-quotes";
import { spansBetween } from "./texts/span-search";
import { TextBytes } from "./texts/text-bytes";
import * as textStore from "./texts/text-store";

/** The bytes that were sent, with what is needed to send them back. */
export interface Original {
  readonly name: string;
  readonly media_type: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly bytes: StoredBytes | TextBytes;
}

/** @throws HttpError 404 when there is no such document, 403 when it is another user's. */
export async function requireDocument(
  db: Db,
  owner_id: string,
  document_id: string,
): Promise<DocumentRow> {
  return requireOwned(await store.findDocument(db, document_id), owner_id, "document");
}

/** @throws HttpError 403 or 404. */
export async function getDocument(
  ctx: DocumentContext,
  owner_id: string,
  document_id: string,
): Promise<Document> {
  const row = await requireDocument(ctx.db, owner_id, document_id);
  return withVectors(ctx, ctx.db, {
    row,
    folder_ids: await linkStore.foldersOf(ctx.db, document_id),
  });
}

/** The owner's documents after one of them, in a folder or in all. */
export const listOwned: Documents["listOwned"] = async (
  db,
  owner_id,
  { after, ...page },
  folder_id,
) => {
  const place = after === null ? null : await requireDocument(db, owner_id, after);
  return folder_id === undefined
    ? listStore.listOwned(db, owner_id, place, page)
    : listStore.listOfFolder(db, folder_id, place, page);
};

type WithoutVectors = Omit<Document, "vectors">;
/** Adds the state of the vectors. */
export async function withVectors<D extends WithoutVectors>(
  ctx: Pick<DocumentContext, "index">,
  db: Db,
  document: D,
): Promise<D & Document> {
  return (await allWithVectors(ctx, db, [document]))[0]!;
}
async function allWithVectors<D extends WithoutVectors>(
  { index }: Pick<DocumentContext, "index">,
  db: Db,
  documents: readonly D[],
): Promise<(D & Document)[]> {
  const indexed = documents.filter(({ row }) => row.current_version > 0);
  const lacking_ids = await index.lackingVectors(
    db,
    indexed.map(({ row }) => row.id),
  );
  const stateOf = ({ id, current_version }: DocumentRow): VectorsState => {
    if (lacking_ids === null || current_version === 0) return "none";
    return lacking_ids.has(id) ? "pending" : "ready";
  };
  return documents.map((document) => ({ ...document, vectors: stateOf(document.row) }));
}

/** A longer text is sent while it is read. */
const whole_units_max = 16 * 16_384;

/** With its text: whole, or in parts that are read one by one. @throws HttpError 403 or 404. */
export async function getWithContent(
  ctx: DocumentContext,
  owner_id: string,
  document_id: string,
): Promise<Document & { readonly content: string | AsyncGenerator<string> }> {
  const { db, reads } = ctx;
  return rereadIfGone(async () => {
    const { row, text } = requireOwned(
      withOwner(await textStore.findWithText(db, document_id)),
      owner_id,
      "document",
    );
    const folder_ids = await linkStore.foldersOf(db, document_id);
    const document = await withVectors(ctx, db, { row, folder_ids });
    if (text.units > whole_units_max)
      return { ...document, content: textStore.partsOf(reads, text) };
    return { ...document, content: await textStore.wholeOf(db, text) };
  });
}
const withOwner = <R extends { readonly row: DocumentRow }>(found: R | undefined) =>
  found && { ...found, owner_id: found.row.owner_id };

/**
 * Repeats `read` when the text was deleted meanwhile: by then another version is current, or the
 * document is gone.
 */
export async function rereadIfGone<R>(read: () => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt++)
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof TextGone) || attempt === attempts_max) throw error;
    }
}
const attempts_max = 3;

/** The documents of one folder, without subfolders. @throws HttpError 403 or 404 on the folder. */
export async function listDocuments(
  ctx: DocumentContext,
  owner_id: string,
  query: { readonly folder_id: string } & listStore.ListQuery & PageRequest,
  signal: AbortSignal,
): Promise<{ readonly documents: Document[]; readonly total: number }> {
  const { db, folders } = ctx;
  const folder = await folders.require(db, owner_id, query.folder_id);
  const { rows, total } = await ctx.lists.list(folder, query, query, signal);
  const folder_ids = await linkStore.foldersOfAll(
    db,
    rows.map((row) => row.id),
  );
  const documents = rows.map((row) => ({ row, folder_ids: folder_ids.get(row.id)! }));
  return { documents: await allWithVectors(ctx, db, documents), total };
}

/** The original of the current version. @throws HttpError 403 or 404. */
export const getOriginal = (
  ctx: DocumentContext,
  owner_id: string,
  document_id: string,
): Promise<Original> => rereadIfGone(() => openOriginal(ctx, owner_id, document_id));

async function openOriginal(
  { db, files, reads }: DocumentContext,
  owner_id: string,
  document_id: string,
): Promise<Original> {
  for (let first = true; ; first = false) {
    const { name, media_type, sha256, size_bytes, in_files, text } = requireOwned(
      await textStore.findOriginal(db, document_id),
      owner_id,
      "document",
    );
    if (in_files === 0) {
      const bytes =
        text.units > whole_units_max
          ? new TextBytes(() => textStore.partsOf(reads, text))
          : new Blob([await textStore.wholeOf(db, text)]);
      return { name, media_type: `${media_type}; charset=utf-8`, sha256, size_bytes, bytes };
    }
    const bytes = await files.open(sha256);
    if (bytes) return { name, media_type, sha256, size_bytes, bytes };
    // The version may have been replaced, and its file deleted, since its row was read: then there
    // is a newer row.
    if (!first) throw new Error(`the original ${sha256} is not in the file store`);
  }
}

/** For other plugins. */
export const documentQueries: Pick<
  Documents,
  | "require"
  | "requireAll"
  | "findNames"
  | "findStates"
  | "findSyncedPlaces"
  | "findLinked"
  | "findPageLabels"
  | "findQuotes"
  | "findSpans"
  | "hasQuoteAt"
  | "overview"
> = {
  overview: (db, folder_ids, limits) => rereadIfGone(() => overviewOf(db, folder_ids, limits)),

  async require(db, owner_id, document_id) {
    const { id, name, current_version } = await requireDocument(db, owner_id, document_id);
    return { id, name, current_version };
  },

  async findStates(db, document_ids) {
    const rows = await store.findStates(db, document_ids);
    return new Map(
      rows.map(({ id, version, status, error_code: code, error_message: message }) => [
        id,
        { version, status, error: code === null ? null : { code, message: message ?? "" } },
      ]),
    );
  },

  async requireAll(db, owner_id, document_ids, pointer) {
    requireAllOwned(await store.findNames(db, document_ids), document_ids, owner_id, {
      what: "document",
      pointer,
    });
  },

  findNames: async (db, document_ids) => byId(await store.findNames(db, document_ids)),

  hasQuoteAt: (db, passage) => textStore.hasQuoteAt(db, passage),

  findQuotes: (db, document_id, quotes) =>
    rereadIfGone(async () => {
      const document = await textStore.findWithText(db, document_id);
      return document ? findKnownQuotes(db, document, quotes) : new Set();
    }),

  findSpans: (db, version, places) =>
    rereadIfGone(async () => {
      const spans = await textStore.findSpans(db, version);
      if (spans === undefined) return undefined;
      const units = textStore.placesIn(db, spans.text);
      const converted: { start: number; end: number }[] = [];
      for (const { start, end } of places)
        converted.push({ start: await units.unitAt(start), end: await units.unitAt(end) });
      // Read last, because they may take megabytes: nothing is waited for with them in memory.
      const times = await textStore.findTimes(db, version);
      return converted.map(({ start, end }) => ({
        start,
        end,
        pages: spans.pages,
        times: times === null ? [] : spansBetween<TimeSpan>(times, start, end),
      }));
    }),

  findPageLabels: async (db, document_ids) =>
    new Map(
      (await textStore.findPageLabels(db, document_ids)).map(({ id, page_labels }) => [
        id,
        store.fromStoredLabels(page_labels),
      ]),
    ),

  findLinked: async (db, document_ids, folder_ids) =>
    byId(await linkStore.findLinked(db, document_ids, folder_ids)),

  findSyncedPlaces: async (db, places) => {
    const links = await linkStore.syncedLinks(
      db,
      places.map(({ document_id }) => document_id),
    );
    const keyOf = (place: DocumentInFolder) => `${place.document_id} ${place.folder_id}`;
    const keys = new Set(links.map(keyOf));
    return (place) => keys.has(keyOf(place));
  },
};

const byId = (names: readonly DocumentName[]): Map<string, DocumentName> =>
  new Map(names.map(({ id, name, current_version }) => [id, { id, name, current_version }]));
