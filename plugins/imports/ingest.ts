/**
 * Makes a document of what an item brought: the document and the item's place in the run are
 * written in one transaction.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { HttpError, TaskFailure, type Db, type Isolate, type ReceivedFile } from "../../core/sdk";
import type { Documents, IngestRequest, ReadyText } from "../documents/contract";
import { ExtractionFailure, type Extraction } from "../extraction/contract";
import type { Folders } from "../folders/contract";
import type { PageOutput } from "./child/page";
import type { Ending } from "./runs";
import * as itemStore from "./item-store";
import * as store from "./store";
import type { ItemRow, RunState } from "./store";
import type { tasks } from "./child/tasks";

/** What an item is made of, on disk under a temporary name. */
export interface Brought {
  readonly received: ReceivedFile;
  /** Where it came from in the end; null when the item's own address says it. */
  readonly url: string | null;
  /** What to call it; null when it may say so itself. */
  readonly name: string | null;
  readonly media_type: string | null;
  readonly charset: string | null;
}
export interface TakingParts {
  readonly inTransaction: <R>(work: (tx: Db<any>) => Promise<R>) => Promise<R>;
  readonly isolate: Isolate<typeof tasks>;
  readonly newId: (prefix: string) => string;
  readonly temporary: string;
  readonly documents: Documents;
  readonly extraction: Extraction;
  readonly folders: Folders;
  readonly ending: Ending;
}

const page_limits = { timeout_ms: 10_000, memory_max_bytes: 600 * 2 ** 20 };
/** A larger page is read like any other file, with all that surrounds its text. */
const page_bytes_max = 8 * 2 ** 20;
const head_bytes = 4_096;
export const page_prefix = "page-";

/** The main text of a web page, with what it says of itself. */
interface Page extends Pick<PageOutput, "title"> {
  readonly canonical: string | null;
  readonly text: ReadyText;
}

export function createTaking({
  inTransaction,
  isolate,
  newId,
  temporary,
  documents,
  extraction,
  folders,
  ending,
}: TakingParts) {
  /**
   * Null when it is no web page, or one that can't be taken apart: then it is a file like any
   * other.
   */
  async function readPage(
    { received, url, media_type, charset }: Brought,
    signal: AbortSignal,
  ): Promise<Page | null> {
    if (received.size_bytes > page_bytes_max || !(await isPage(received.path, media_type)))
      return null;
    const output = join(temporary, `${page_prefix}${newId("pag")}`);
    try {
      const { title, canonical, base, written } = await isolate(
        "page",
        { path: received.path, charset, output },
        { ...page_limits, signal },
      );
      if (!written) return null;
      const {
        text,
        headings,
        media_type: type,
      } = await extraction.extract(
        {
          path: output,
          size_bytes: Bun.file(output).size,
          name: "page.html",
          declared_type: "text/html",
        },
        { signal, onProgress: () => undefined },
      );
      return {
        title,
        canonical: url === null ? null : canonicalOf(url, base, canonical),
        text: { content: text, media_type: type, times: [], ...(headings ? { headings } : {}) },
      };
    } catch (error) {
      signal.throwIfAborted();
      // Whatever a stranger's page does to its reader: the reader of files has limits of its own,
      // and says what is wrong.
      if (error instanceof ExtractionFailure || error instanceof TaskFailure) return null;
      throw error;
    } finally {
      await rm(output, { force: true });
    }
  }

  /**
   * By what the document is known: two items of a run never write one document. Null: another item
   * has brought it.
   */
  async function sourceFor(
    tx: Db<any>,
    item: ItemRow,
    uris: readonly string[],
  ): Promise<{ readonly uri: string } | { readonly bringer: ItemRow }> {
    for (const [index, uri] of uris.entries()) {
      const bringer = await itemStore.findBringer(tx, item.run_id, uri);
      if (!bringer || bringer.id === item.id) return { uri };
      if (index === uris.length - 1) return { bringer };
    }
    throw new Error("an item needs an address");
  }

  /** Another item of the run led to the same address. */
  async function joinTo(
    tx: Db<any>,
    item: ItemRow,
    { status, document_id, version, error_code, error }: ItemRow,
  ): Promise<void> {
    await itemStore.updatePending(tx, item.id, { document_id, version, joined: 1 });
    if (status === "failed")
      await ending.endItem(tx, item, {
        how: "failed",
        error: { code: error_code!, message: error! },
      });
    else if (status !== "pending") await ending.endItem(tx, item, { how: "unchanged" });
  }

  async function take(
    tx: Db<any>,
    before: RunState,
    item: ItemRow,
    brought: Brought,
    page: Page | null,
  ): Promise<void> {
    const run = await store.findUnfinished(tx, before.id);
    if (!run || !(await itemStore.updatePending(tx, item.id, { error: null }))) return;
    const own = brought.url ?? item.uri;
    const source = await sourceFor(
      tx,
      item,
      page?.canonical && page.canonical !== own ? [page.canonical, own] : [own],
    );
    if ("bringer" in source) return joinTo(tx, item, source.bringer);
    const folder = await folders.require(tx, run.owner_id, run.folder_id);
    const name = brought.name ?? page?.title ?? item.name ?? (page ? own : lastSegment(own));
    const nested = item.subfolder !== null && folder.parent_id === null;
    const incoming: IngestRequest = {
      folder_id: nested
        ? await folders.ensureChild(tx, run.owner_id, folder.id, folderName(item.subfolder!))
        : folder.id,
      name: item.subfolder !== null && !nested ? `${item.subfolder}/${name}` : name,
      origin: { kind: "import", uri: source.uri, run_id: run.id },
      file: brought.received,
      declared_type: page ? "text/html" : brought.media_type,
      overwrite: run.overwrite === 1,
      ...(page ? { text: page.text } : {}),
    };
    const { document_id, version, outcome } = await documents.ingest(tx, run.owner_id, incoming);
    await itemStore.updatePending(tx, item.id, { document_id, version, source_uri: source.uri });
    if (outcome === "unchanged") await ending.endItem(tx, item, { how: "unchanged" });
  }

  /** Ends when the document is taken in; the item ends when it is indexed. Releases the bytes. */
  return async (
    run: RunState,
    item: ItemRow,
    brought: Brought,
    signal: AbortSignal,
  ): Promise<void> => {
    const { received } = brought;
    try {
      const page = await readPage(brought, signal);
      await received.keep();
      await inTransaction((tx) => take(tx, run, item, brought, page));
    } catch (error) {
      if (!(error instanceof HttpError) || error.status >= 500) throw error;
      await inTransaction((tx) =>
        ending.endItem(tx, item, {
          how: "failed",
          error: { code: error.code, message: error.detail },
        }),
      );
    } finally {
      documents.removeFiles([received.sha256]);
      await received.release();
    }
  };
}
export type Taking = ReturnType<typeof createTaking>;

/** By its first characters; the server's word counts where they look like markup. */
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
 * Where a page says it belongs; believed only within its own host, so that no site can write
 * another's documents.
 */
function canonicalOf(url: string, base: string | null, canonical: string | null): string | null {
  if (canonical === null) return null;
  const from = base !== null && URL.canParse(base, url) ? new URL(base, url).href : url;
  if (!URL.canParse(canonical, from)) return null;
  const there = new URL(canonical, from);
  there.hash = "";
  return there.host === new URL(url).host && /^https?:$/.test(there.protocol) ? there.href : null;
}

/** What to call a file that says nothing of itself. */
function lastSegment(url: string): string {
  const segment = URL.canParse(url)
    ? new URL(url).pathname.split("/").findLast((one) => one !== "")
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
