/**
 * Creates documents, and new versions of existing ones, from texts, uploads, imports and
 * transcriptions.
 */
import { longTextOf } from "../../../core/lib/utf8-text";
import {
  conflict,
  isUnique,
  type BegunJob,
  type Db,
  type HttpError,
  type ReceivedFile,
} from "../../../core/sdk";
import { admitSent, requireAdmitted } from "./admission";
import { dropOtherVersions, emitChanged, moveStatus, type DocumentContext } from "../context";
import type { IngestRequest, IngestResult } from "../contract";
import { queued } from "../indexing/requeue";
import * as linkStore from "../links/link-store";
import { refuseTakenName } from "../links/link-service";
import { measureText, measureBytes } from "../texts/content-measures";
import { cleanedName, documentName, nameKey, nameOfLongText, nameOfText } from "./names";
import { DocumentInsertion } from "./document-insertion";
import {
  fileVersion,
  isText,
  not_extracted,
  repaired,
  textVersion,
  type Insertion,
  type NewVersion,
} from "./new-versions";
import { withVectors } from "../queries";
import type { Document } from "../record";
import * as store from "../store";
import type { DocumentRow } from "../store";
import * as textStore from "../texts/text-store";

/** A text to store as a document. Without a name, its first line is the name. */
export interface NewText {
  readonly folder_id: string;
  readonly name?: string | null;
  readonly content: string;
  /** The content in UTF-8 when it is long; `content` is empty then. */
  readonly long_text?: Uint8Array | undefined;
}
/** What a request says about an uploaded file. */
export interface Upload {
  readonly folder_id: string;
  readonly name: string;
  /** The media type that the client declared for the part, or null. */
  readonly declared_type: string | null;
  /** Whether to replace the newest document of that name. */
  readonly overwrite: boolean;
}

/** The origin of the newest version. */
type Source = Pick<DocumentRow, "source_kind" | "source_uri" | "source_run_id">;
const sentAs = (source_kind: "text" | "upload"): Source => ({
  source_kind,
  source_uri: null,
  source_run_id: null,
});
type NewDocument = Pick<DocumentRow, "owner_id" | "name"> & {
  readonly id?: string;
  readonly folder_id: string;
};

/** Properties that are unknown before a document is indexed. */
const not_indexed = { ...queued, warnings: "[]", page_count: null, language: null } as const;

/**
 * Stores a text as a document. @throws HttpError 400 on a bad name, 404 or 403 on the folder, 403
 * when a quota is reached, 507.
 */
export async function addText(
  ctx: DocumentContext,
  owner_id: string,
  new_text: NewText,
  signal?: AbortSignal,
): Promise<Document> {
  const { folder_id, content, long_text } = new_text;
  const name = await nameOf(new_text);
  const measure = long_text ? await measureBytes(long_text) : await measureText(content);
  if (long_text || content.length > large_text_units || ctx.before_intake.any)
    await requireAllowed(ctx, owner_id, folder_id, measure.size_bytes);
  const media_type = "text/plain";
  const sent = { owner_id, folder_id, name, media_type, from: long_text ?? content };
  await admitSent(ctx, "text", sent, signal);
  const text = long_text
    ? await ctx.texts.prepareLong(longTextOf(long_text))
    : await ctx.texts.prepare(content);
  const version: NewVersion = {
    ...not_extracted,
    ...measure,
    ...store.toTextColumns(text.stored),
    media_type,
    in_files: 0,
  };
  const document = { id: ctx.newId("doc"), owner_id, folder_id, name };
  // A long one is read from where it is stored.
  const fresh = long_text === undefined && {
    ...version,
    id: document.id,
    owner_id,
    name,
    version: 1,
    piece: content,
    text: { stored: text.stored, content, units: content.length },
  };
  try {
    return await ctx.early_indexing.run(fresh, (indexing) =>
      ctx.inTransaction(async (tx) => {
        await ctx.folders.require(tx, owner_id, folder_id);
        ctx.files.requireFreeSpace();
        await text.keep(tx);
        // Before the job that needs it starts.
        if (fresh && !indexing) ctx.afterCommit(() => ctx.fresh_texts.keep(fresh));
        return insert(ctx, tx, document, version, sentAs("text"), indexing);
      }),
    );
  } catch (error) {
    text.discard();
    throw error;
  }
}

async function nameOf({ name, content, long_text }: NewText): Promise<string> {
  if (name !== undefined && name !== null) return documentName(name, "/name");
  return long_text ? nameOfLongText(longTextOf(long_text)) : nameOfText(content);
}

/** A longer text is written ahead of its document only after checking that nothing refuses it. */
const large_text_units = 2 ** 18;
async function requireAllowed(
  { db, folders, quotas }: DocumentContext,
  owner_id: string,
  folder_id: string,
  size_bytes: number,
): Promise<void> {
  await folders.require(db, owner_id, folder_id);
  await quotas.require(db, owner_id, "documents", 1);
  await quotas.require(db, owner_id, "storage", size_bytes);
}

/**
 * Refuses an upload that `addUpload` would refuse, before its bytes are read. `size_bytes`: as far
 * as known from the request. @throws HttpError 403, 404 or 409.
 */
export async function checkUpload(
  { db, folders, quotas }: DocumentContext,
  owner_id: string,
  { folder_id, name, overwrite }: Upload,
  size_bytes: number,
): Promise<void> {
  await folders.require(db, owner_id, folder_id);
  const namesake = await linkStore.findNamesake(db, folder_id, nameKey(name));
  const replaced = overwrite ? namesake : undefined;
  // A reached quota comes before the conflict, as in the order of all refusals.
  if (!replaced) await quotas.require(db, owner_id, "documents", 1);
  await quotas.require(db, owner_id, "storage", size_bytes - (replaced?.size_bytes ?? 0));
  if (namesake && !overwrite) throw nameTaken();
}

/**
 * Creates a document from the received bytes, or the next version of the document with that name,
 * and releases them. @throws HttpError 403, 404, 409 or 507.
 */
export async function addUpload(
  ctx: DocumentContext,
  owner_id: string,
  { folder_id, name, declared_type, overwrite }: Upload,
  received: ReceivedFile,
  signal?: AbortSignal,
): Promise<{ readonly document: Document; readonly replaced: boolean }> {
  const version = fileVersion(received, declared_type);
  const source = sentAs("upload");
  try {
    const sent = { owner_id, folder_id, name, media_type: declared_type, from: received };
    await admitSent(ctx, "upload", sent, signal);
    await received.keep();
    return await ctx.inTransaction(async (tx) => {
      await ctx.folders.require(tx, owner_id, folder_id);
      const existing = await findReplaceable(tx, folder_id, name, overwrite);
      const document = existing
        ? await replace(ctx, tx, existing, folder_id, version, source)
        : await insert(ctx, tx, { owner_id, folder_id, name }, version, source);
      return { document, replaced: existing !== undefined };
    });
  } catch (error) {
    ctx.removeFiles([received.sha256]);
    // Of two concurrent uploads with one name, the unique index decides, not the look-up.
    throw isUnique(error) ? nameTaken() : error;
  } finally {
    await received.release();
  }
}

/** See `Documents.ingest`. */
export async function ingest(
  ctx: DocumentContext,
  tx: Db,
  owner_id: string,
  request: IngestRequest,
): Promise<IngestResult> {
  const { folder_id, origin, file, declared_type, text } = request;
  requireAdmitted(request.admitted);
  await ctx.folders.require(tx, owner_id, folder_id);
  ctx.files.requireFreeSpace();
  const name = cleanedName(request.name);
  const content = text && repaired(text.content);
  const version = text
    ? await textVersion({ ...text, content: content! }, file, declared_type)
    : fileVersion(file, declared_type);
  const source: Source = {
    source_kind: origin.kind,
    source_uri: origin.uri,
    source_run_id: origin.run_id,
  };
  const existing = await findExisting(tx, name, request);
  const withText = async (): Promise<NewVersion> =>
    content === undefined
      ? version
      : { ...version, ...store.toTextColumns(await ctx.texts.insert(tx, content)) };
  if (!existing) {
    const { row } = await insert(ctx, tx, { owner_id, folder_id, name }, await withText(), source);
    return { document_id: row.id, version: row.version, outcome: "created" };
  }
  const may_be_same = origin.kind === "import" && !request.overwrite;
  if (may_be_same && (await isUnchanged(tx, existing, version, content)))
    return { document_id: existing.id, version: existing.version, outcome: "unchanged" };
  const { row } = await replace(ctx, tx, existing, folder_id, await withText(), source);
  return { document_id: row.id, version: row.version, outcome: "replaced" };
}

/** The document that the new version belongs to. @throws HttpError 409 */
async function findExisting(
  tx: Db,
  name: string,
  { folder_id, origin: { kind, uri }, overwrite = false }: IngestRequest,
): Promise<DocumentRow | undefined> {
  if (kind === "upload") return findReplaceable(tx, folder_id, name, overwrite);
  return kind === "import" && uri !== null ? linkStore.findImported(tx, folder_id, uri) : undefined;
}

/** The document that an upload of this name replaces. @throws HttpError 409 without `overwrite`. */
async function findReplaceable(
  db: Db,
  folder_id: string,
  name: string,
  overwrite: boolean,
): Promise<DocumentRow | undefined> {
  const namesake = await linkStore.findNamesake(db, folder_id, nameKey(name));
  if (namesake && !overwrite) throw nameTaken();
  return namesake;
}

/**
 * Whether the current version is the same already: the same text where that is given, otherwise the
 * same bytes.
 */
async function isUnchanged(
  tx: Db,
  existing: DocumentRow,
  { sha256 }: NewVersion,
  content: string | undefined,
): Promise<boolean> {
  if (existing.status !== "synced") return false;
  if (content === undefined) return existing.sha256 === sha256;
  const current = await textStore.findWithText(tx, existing.id);
  return current !== undefined && textStore.isText(tx, current.text, content);
}

const nameTaken = (): HttpError =>
  conflict(
    "A document with the same file name already exists; pass overwrite=true to replace it.",
    "name_taken",
  );

/**
 * Writes a document with its first version, charges the quotas and enqueues its indexing, unless
 * that has started already. Returns the document as created, even if it is indexed by then.
 */
async function insert(
  ctx: DocumentContext,
  tx: Db,
  { id = ctx.newId("doc"), folder_id, owner_id, name }: NewDocument,
  version: NewVersion,
  source: Source,
  indexing?: BegunJob<Insertion>,
): Promise<Document> {
  const now = ctx.now_ms();
  const { sha256, size_bytes, media_type } = version;
  const row: DocumentRow = {
    id,
    owner_id,
    name,
    ...source,
    sha256,
    size_bytes,
    media_type,
    ...not_indexed,
    version: 1,
    current_version: 0,
    created_at: now,
    updated_at: now,
    synced_at: null,
    held_by: folder_id,
  };
  await ctx.quotas.chargeAll(tx, owner_id, { documents: 1, storage: size_bytes });
  const insertion = new DocumentInsertion(ctx, tx, { row, version, folder_id });
  // An index that is done already writes the document, as synced, together with itself.
  await indexing?.enqueue(tx, insertion);
  if (!insertion.is_written) await insertion.write();
  if (!indexing) await ctx.enqueueIndexing(tx, row, isText(version));
  return { row, folder_ids: [folder_id], vectors: "none" };
}

/**
 * Writes the next version and enqueues its indexing. The current version stays until then; a
 * version that was still being indexed is dropped.
 */
async function replace(
  ctx: DocumentContext,
  tx: Db,
  before: DocumentRow,
  folder_id: string,
  version: NewVersion,
  source: Source,
): Promise<Document> {
  const { sha256, size_bytes, media_type } = version;
  const values = {
    sha256,
    size_bytes,
    media_type,
    ...not_indexed,
    ...source,
    version: before.version + 1,
    updated_at: ctx.now_ms(),
  };
  const row: DocumentRow = { ...before, ...values };
  const growth_bytes = size_bytes - before.size_bytes;
  await ctx.quotas.charge(tx, row.owner_id, "storage", growth_bytes);
  if (row.held_by !== null)
    await ctx.folders.moveCounters(tx, [
      { folder_id: row.held_by, counter: "held_bytes", by: growth_bytes },
    ]);
  if (before.status === "syncing") await ctx.cancelJobs(tx, [row.id]);
  await dropOtherVersions(ctx, tx, row.id, [before.current_version]);
  await store.insertVersion(tx, { document_id: row.id, version: row.version, ...version });
  await store.updateDocument(tx, row.id, values);
  await linkStore.setLinkContent(tx, row.id, values);
  const folder_ids = await linkStore.foldersOf(tx, row.id);
  if (row.source_kind === "upload" && before.source_kind !== "upload") {
    // In this folder it is the newest with its name; elsewhere another upload may have the name.
    const others = folder_ids.filter((id) => id !== folder_id);
    await refuseTakenName(tx, others, nameKey(row.name), row.id);
    await linkStore.reserveName(tx, row.id);
  }
  await moveStatus(ctx, tx, row, folder_ids, { from: before.status, to: row.status });
  await ctx.enqueueIndexing(tx, row, isText(version));
  await emitChanged(ctx, tx, row, { changed: "content", folder_ids });
  // The dropped version may have been a text that was never shown.
  ctx.afterCommit(ctx.truncateWal);
  return withVectors(ctx, tx, { row, folder_ids });
}
