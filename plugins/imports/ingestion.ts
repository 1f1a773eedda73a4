/**
 * Creates a document from the file of an item: the document and the item's state are written in one
 * transaction.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { check_failed, HttpError, TaskFailure, type Db, type ReceivedFile } from "../../core/sdk";
import type { Admitted, ReadyText } from "../documents/contract";
import { ExtractionFailure } from "../extraction/contract";
import type { AdmittedFolder } from "../folders/contract";
import type { PageOutput } from "./child/page";
import type { ImportContext } from "./context";
import * as itemStore from "./item-store";
import { endItem } from "./runs";
import * as store from "./store";
import type { ItemRow, RunState } from "./store";

/** The content of an item, on disk under a temporary name. */
export interface ItemFile {
  readonly received: ReceivedFile;
  /** The final address; null when it is the item's own. */
  readonly url: string | null;
  /** Its name; null when the content may provide one. */
  readonly name: string | null;
  readonly media_type: string | null;
  readonly charset: string | null;
}

const page_limits = { timeout_ms: 10_000, memory_max_bytes: 600 * 2 ** 20 };
/** A larger page is read like any other file, including what surrounds its text. */
const page_bytes_max = 8 * 2 ** 20;
const head_bytes = 4_096;
/** The prefix of temporary files. */
export const page_prefix = "page-";

/** The main text of a web page, with its own metadata. */
interface Page extends Pick<PageOutput, "title"> {
  readonly canonical: string | null;
  readonly text: ReadyText;
}

/** Resolves when the document is written; the item ends when it is indexed. Releases the file. */
export async function ingest(
  ctx: ImportContext,
  run: RunState,
  item: ItemRow,
  file: ItemFile,
  signal: AbortSignal,
): Promise<void> {
  const { documents, inTransaction } = ctx;
  const { received } = file;
  try {
    const page = await readPage(ctx, file, signal);
    const admitted = await admit(ctx, run, item, file, page, signal);
    await received.keep();
    await inTransaction((tx) => writeDocument(ctx, tx, run.id, item, { file, page, admitted }));
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    if (error.status >= 500 && error.code !== check_failed) throw error;
    const failure = { code: error.code, message: error.detail };
    await inTransaction((tx) => endItem(ctx, tx, item, { how: "failed", error: failure }));
  } finally {
    documents.removeFiles([received.sha256]);
    await received.release();
  }
}

/** An item that may become a document. */
interface ReadItem {
  readonly file: ItemFile;
  readonly page: Page | null;
  readonly admitted: { readonly document: Admitted; readonly folder: AdmittedFolder | null };
}

/** Runs the hooks for the document, and for the subfolder that it needs. */
async function admit(
  { db, documents, folders }: ImportContext,
  { id: run_id, owner_id, folder_id }: RunState,
  item: ItemRow,
  file: ItemFile,
  page: Page | null,
  signal: AbortSignal,
): Promise<ReadItem["admitted"]> {
  const { subfolder } = item;
  const own_folder =
    subfolder === null || (await folders.require(db, owner_id, folder_id)).parent_id !== null
      ? null
      : { owner_id, parent_id: folder_id, name: folderName(subfolder) };
  const folder = own_folder && (await folders.admitChild(own_folder, signal));
  const document = await documents.admit(
    {
      owner_id,
      folder_id,
      subfolder: own_folder?.name ?? null,
      name: nameOf(item, file, page),
      media_type: file.media_type,
      origin: { kind: "import", uri: file.url ?? item.uri, run_id },
      from: file.received,
    },
    signal,
  );
  return { document, folder };
}

const nameOf = (item: ItemRow, file: ItemFile, page: Page | null): string => {
  const url = file.url ?? item.uri;
  return file.name ?? page?.title ?? item.name ?? (page ? url : lastSegment(url));
};

async function writeDocument(
  ctx: ImportContext,
  tx: Db,
  run_id: string,
  item: ItemRow,
  { file, page, admitted }: ReadItem,
): Promise<void> {
  const run = await store.findUnfinished(tx, run_id);
  if (!run || !(await itemStore.updatePending(tx, item.id, { error: null }))) return;
  const url = file.url ?? item.uri;
  const uris = page?.canonical && page.canonical !== url ? [page.canonical, url] : [url];
  const source = await sourceFor(tx, item, uris);
  if ("duplicate_of" in source) return endDuplicate(ctx, tx, item, source.duplicate_of);
  const name = nameOf(item, file, page);
  const place = await placeIn(ctx, tx, run, item.subfolder, name, admitted.folder);
  const { document_id, version, outcome } = await ctx.documents.ingest(tx, run.owner_id, {
    ...place,
    origin: { kind: "import", uri: source.uri, run_id },
    file: file.received,
    declared_type: page ? "text/html" : file.media_type,
    overwrite: run.overwrite === 1,
    admitted: admitted.document,
    ...(page ? { text: page.text } : {}),
  });
  const { folder_id } = place;
  const source_uri = source.uri;
  await itemStore.updatePending(tx, item.id, { document_id, version, folder_id, source_uri });
  if (outcome === "unchanged") await endItem(ctx, tx, item, { how: "unchanged" });
}

/**
 * The address that identifies the document: the first of `uris` that no other item of the run has
 * taken, because two items never write one document; or the item that has taken the last one.
 */
async function sourceFor(
  tx: Db,
  item: ItemRow,
  uris: readonly string[],
): Promise<{ readonly uri: string } | { readonly duplicate_of: ItemRow }> {
  for (const [index, uri] of uris.entries()) {
    const other = await itemStore.findBySource(tx, item.run_id, uri);
    if (!other || other.id === item.id) return { uri };
    if (index === uris.length - 1) return { duplicate_of: other };
  }
  throw new Error("an item needs an address");
}

/** Another item of the run led to the same address: this one ends with the same outcome. */
async function endDuplicate(
  ctx: ImportContext,
  tx: Db,
  item: ItemRow,
  { status, document_id, version, folder_id, error_code, error }: ItemRow,
): Promise<void> {
  await itemStore.updatePending(tx, item.id, { document_id, version, folder_id, joined: 1 });
  if (status === "failed")
    await endItem(ctx, tx, item, {
      how: "failed",
      error: { code: error_code!, message: error! },
    });
  else if (status !== "pending") await endItem(ctx, tx, item, { how: "unchanged" });
}

/** Folder and name of a document. A subfolder has no subfolders: they become part of the name. */
async function placeIn(
  { folders }: ImportContext,
  tx: Db,
  run: RunState,
  subfolder: string | null,
  name: string,
  admitted: AdmittedFolder | null,
): Promise<{ readonly folder_id: string; readonly name: string }> {
  const folder = await folders.require(tx, run.owner_id, run.folder_id);
  if (subfolder === null) return { folder_id: folder.id, name };
  if (folder.parent_id !== null) return { folder_id: folder.id, name: `${subfolder}/${name}` };
  const child = { parent_id: folder.id, name: folderName(subfolder), admitted: admitted! };
  return { folder_id: await folders.ensureChild(tx, run.owner_id, child), name };
}

/** Null when it is not a web page, or can't be parsed: then it is a file like any other. */
async function readPage(
  { extraction, isolate, newId, paths }: ImportContext,
  { received, url, media_type, charset }: ItemFile,
  signal: AbortSignal,
): Promise<Page | null> {
  if (received.size_bytes > page_bytes_max || !(await isPage(received.path, media_type)))
    return null;
  const output = join(paths.temporary, `${page_prefix}${newId("pag")}`);
  try {
    const input = { path: received.path, charset, output };
    const page = await isolate("page", input, { ...page_limits, signal });
    if (!page.written) return null;
    const file = {
      path: output,
      size_bytes: Bun.file(output).size,
      name: "page.html",
      declared_type: "text/html",
    };
    const extracted = await extraction.extract(file, { signal, onProgress: () => undefined });
    const { text: content, headings, media_type: type } = extracted;
    return {
      title: page.title,
      canonical: url === null ? null : canonicalOf(url, page.base, page.canonical),
      text: { content, media_type: type, times: [], ...(headings ? { headings } : {}) },
    };
  } catch (error) {
    signal.throwIfAborted();
    // A hostile page may make this reader fail; the extraction of files has its own limits, and
    // reports what is wrong.
    if (error instanceof ExtractionFailure || error instanceof TaskFailure) return null;
    throw error;
  } finally {
    await rm(output, { force: true });
  }
}

/** Judges by the first characters; the declared type counts if they look like markup. */
async function isPage(path: string, media_type: string | null): Promise<boolean> {
  const bytes = await Bun.file(path).slice(0, head_bytes).bytes();
  const head = Buffer.from(bytes)
    .toString("latin1")
    .replaceAll("\0", "")
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, "")
    .replace(/^(?:\s|<!--[^]*?-->|<\?xml[^>]*>)+/, "");
  if (/^<(?:!doctype\s+html|html|head|body)[\s>]/i.test(head)) return true;
  return (
    (media_type === "text/html" || media_type === "application/xhtml+xml") &&
    /^[^%]/.test(head) &&
    /<[a-z!]/i.test(head)
  );
}

/**
 * The page's canonical address; trusted only within its own host, so that no site can overwrite
 * another one's documents.
 */
function canonicalOf(url: string, base: string | null, canonical: string | null): string | null {
  if (canonical === null) return null;
  const from = base !== null && URL.canParse(base, url) ? new URL(base, url).href : url;
  if (!URL.canParse(canonical, from)) return null;
  const canonical_url = new URL(canonical, from);
  canonical_url.hash = "";
  return canonical_url.host === new URL(url).host && /^https?:$/.test(canonical_url.protocol)
    ? canonical_url.href
    : null;
}

/** The name of a file without metadata. */
function lastSegment(url: string): string {
  const segment = URL.canParse(url)
    ? new URL(url).pathname.split("/").findLast((segment) => segment !== "")
    : undefined;
  try {
    return decodeURIComponent(segment ?? url);
  } catch {
    return segment ?? url;
  }
}

const folder_name_max = 255;
const folderName = (name: string): string =>
  [...name.replaceAll(/\p{Cc}/gu, " ").trim()].slice(0, folder_name_max).join("") || "Untitled";
