/** Exports documents to another server, and inserts those that come from one. */
import { pairsIn } from "../../../core/lib/text-pieces";
import { toNumber, type Db } from "../../../core/sdk";
import { DocumentCreated, DocumentFailed, DocumentSynced } from "../../events/contract";
import { requireAdmitted } from "../creation/admission";
import type { DocumentContext } from "../context";
import type { DocumentCopy, Documents, TextCopy } from "../contract";
import * as copyStore from "./copy-store";
import * as linkStore from "../links/link-store";
import { nameKey } from "../creation/names";
import * as store from "../store";
import type { DocumentRow, VersionRow } from "../store";
import { partsOf } from "../texts/text-store";

/** See `Documents.findCopy`. */
export async function findCopy(
  { db, reads }: Pick<DocumentContext, "db" | "reads">,
  document_id: string,
  folder_ids: ReadonlySet<string>,
): Promise<{ document: DocumentCopy; text: TextCopy | null } | undefined> {
  const row = await copyStore.findCurrent(db, document_id);
  if (row === undefined) return undefined;
  const containing_ids = (await linkStore.foldersOf(db, document_id)).filter((id) =>
    folder_ids.has(id),
  );
  if (containing_ids.length === 0) return undefined;
  const { text, ...columns } = row;
  const is_searchable = row.current_version > 0;
  const has_text = is_searchable || row.in_files === 0 || row.text_ready === 1;
  return {
    document: copyOf(columns, is_searchable ? "synced" : row.status, containing_ids),
    text: has_text
      ? {
          units: text.units,
          points: text.stored?.points ?? text.units - pairsIn(text.content ?? "").length,
          readParts: () => partsOf(reads, text),
        }
      : null,
  };
}

type CurrentRow = Omit<NonNullable<Awaited<ReturnType<typeof copyStore.findCurrent>>>, "text">;

function copyOf(
  row: CurrentRow,
  status: DocumentCopy["status"],
  folder_ids: readonly string[],
): DocumentCopy {
  const { id, name, source_kind, source_uri, version, sha256, media_type } = row;
  const { page_count, language, error_code, error_message, synced_at } = row;
  const spans = store.fromStoredSpans(row);
  return {
    id,
    name,
    source_kind,
    source_uri,
    version,
    sha256,
    media_type,
    page_count,
    language,
    size_bytes: toNumber(row.size_bytes),
    in_files: row.in_files === 1,
    text_ready: row.text_ready === 1,
    status,
    error:
      status !== "sync_failed" || error_code === null
        ? null
        : { code: error_code, message: error_message ?? "" },
    warnings: JSON.parse(row.warnings),
    created_at: toNumber(row.created_at),
    updated_at: toNumber(row.updated_at),
    synced_at: synced_at === null ? null : toNumber(synced_at),
    folder_ids,
    pages: spans.pages,
    headings: spans.headings ?? [],
    times: spans.times === null ? [] : JSON.parse(spans.times),
  };
}

/** See `Documents.insertCopy`. */
export async function insertCopy(
  ctx: Pick<DocumentContext, "folders" | "index">,
  tx: Db,
  owner_id: string,
  document: DocumentCopy,
  { root_id, text, prepared, admitted }: Parameters<Documents["insertCopy"]>[3],
): Promise<void> {
  requireAdmitted(admitted);
  const { id, folder_ids, name, size_bytes, version } = document;
  const row = rowOf(document, owner_id, root_id);
  await store.insertDocument(tx, row);
  await store.insertVersion(tx, await versionOf(document, text));
  const name_key = nameKey(name);
  for (const folder_id of folder_ids) {
    // An older upload may have the name, as after an overwrite in another folder.
    const is_free =
      row.source_kind === "upload" &&
      (await linkStore.findUploadNamed(tx, [folder_id], name_key, id)) === undefined;
    await linkStore.insertLink(tx, row, {
      folder_id,
      reserves_name: is_free ? 1 : 0,
      created_at: row.created_at,
    });
  }
  await ctx.folders.moveCounters(tx, [
    ...folder_ids.map((folder_id) => ({ folder_id, status: row.status, by: 1 })),
    { folder_id: row.held_by!, counter: "held_documents", by: 1 },
    { folder_id: row.held_by!, counter: "held_bytes", by: size_bytes },
  ]);
  if (prepared?.version === version) await ctx.index.publish(tx, prepared, folder_ids);
}

/** See `Documents.announce`. */
export async function announce(
  { emit }: Pick<DocumentContext, "emit">,
  tx: Db,
  document_ids: readonly string[],
): Promise<void> {
  const folders = await linkStore.foldersOfAll(tx, document_ids);
  for (const row of await copyStore.findAnnounced(tx, document_ids)) {
    const { id: document_id, owner_id, name, source_kind: kind, status, version } = row;
    const folder_ids = folders.get(document_id) ?? [];
    const [folder_id] = folder_ids;
    // Deleted meanwhile.
    if (folder_id === undefined) continue;
    await emit(tx, DocumentCreated, { owner_id, document_id, name, folder_id, kind });
    const settled = { owner_id, document_id, version, folder_ids };
    if (status === "synced") await emit(tx, DocumentSynced, settled);
    if (status !== "sync_failed" || row.error_code === null) continue;
    const error = { code: row.error_code, message: row.error_message ?? "" };
    await emit(tx, DocumentFailed, { ...settled, error });
  }
}

function rowOf(document: DocumentCopy, owner_id: string, root_id: string): DocumentRow {
  const { id, name, source_kind, source_uri, version, size_bytes, sha256, media_type } = document;
  const { status, error, page_count, language, created_at, updated_at, synced_at } = document;
  const is_synced = status === "synced";
  return {
    id,
    owner_id,
    name,
    source_kind,
    source_uri,
    source_run_id: null,
    version,
    size_bytes,
    sha256,
    media_type,
    page_count,
    language,
    created_at,
    updated_at,
    synced_at,
    current_version: is_synced ? version : 0,
    status,
    stage: is_synced ? "done" : "queued",
    progress: is_synced ? 1 : 0,
    attempts: 0,
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
    warnings: JSON.stringify(document.warnings),
    held_by: document.folder_ids.length === 1 ? document.folder_ids[0]! : root_id,
  };
}

async function versionOf(
  document: DocumentCopy,
  text: Parameters<Documents["insertCopy"]>[3]["text"],
): Promise<VersionRow> {
  const { id, version, sha256, size_bytes, media_type, in_files, text_ready } = document;
  const none = { text_id: null, text_units: null, text_points: null };
  return {
    document_id: id,
    version,
    sha256,
    size_bytes,
    media_type,
    in_files: in_files ? 1 : 0,
    text_ready: text_ready ? 1 : 0,
    ...store.toStoredSpans({
      pages: [...document.pages],
      headings: [...document.headings],
      times: await store.toStoredTimes(document.times),
    }),
    ...(text === null ? none : store.toTextColumns(text)),
    content: null,
  };
}
