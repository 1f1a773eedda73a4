/**
 * Streams the archive of a folder, part by part: memory does not grow with the folder, and a slow
 * reader holds nothing up.
 */
import { StepPauses } from "../../core/lib/chunked-work";
import { TextGone } from "../../core/lib/text-reader";
import { ZipStream, type Chunks } from "../../core/lib/zip-stream";
import type { ZipPart } from "../../core/lib/zip-writer";
import { commit, piecesOf, rfc3339, version, type Context } from "../../core/sdk";
import type { ChatCopy, Chats, MessageCopy } from "../chats/contract";
import type { DocumentPlace, Documents } from "../documents/contract";
import type { FolderCopy } from "../folders/contract";
import type { Prompts } from "../prompts/contract";
import type { Citation, RelatedPassage } from "../search/contract";
import { PublishedGone, type SearchIndex } from "../search-index/contract";
import { documentLines, linesOf } from "./document-lines";
import * as layout from "./layout";
import type { Counts, LeftOut, Manifest, Part } from "./layout";

/** What the writer needs besides `Context`. */
export interface WriterContext extends Pick<Context, "db" | "files" | "now_ms"> {
  readonly documents: Documents;
  readonly index: SearchIndex;
  readonly chats: Chats;
  readonly prompts: Prompts;
}
/** The folder to export, and whose it is. */
export interface ArchivedFolder {
  readonly owner_id: string;
  /** The folder, then its subfolders. */
  readonly tree: readonly FolderCopy[];
}

const places_at_once = 200;
const messages_at_once = 20;
/** How often a document is written again if it changes during the export. */
const tries_max = 3;

/** The source of an entry was deleted meanwhile. */
class Gone extends Error {}

/** The bytes of the archive. @throws Error when reading fails, and the signal's reason. */
export const archiveBytes = (
  ctx: WriterContext,
  folder: ArchivedFolder,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> => new FolderWriter(ctx, folder, signal).write();

class FolderWriter {
  private readonly zip = new ZipStream();
  private readonly written: Part[] = [];
  /** Documents in the archive, and those that were deleted before they were written. */
  private readonly originals = new Map<string, "written" | "gone">();
  private readonly folder_ids: ReadonlySet<string>;
  private readonly counts: Counts = {
    folders: 0,
    documents: 0,
    originals: 0,
    passages: 0,
    prompts: 0,
    chats: 0,
    messages: 0,
  };
  private readonly left_out: LeftOut = { documents: 0, chats: 0, messages: 0 };
  /** Per document in the archive. */
  private readonly versions = new Map<string, number>();
  /** Of the document started last. */
  private number = 0;

  constructor(
    private readonly ctx: WriterContext,
    private readonly folder: ArchivedFolder,
    private readonly signal: AbortSignal,
  ) {
    this.folder_ids = new Set(folder.tree.map(({ id }) => id));
  }

  async *write(): AsyncGenerator<Uint8Array, void> {
    const { tree } = this.folder;
    for (const document_id of await this.documentIds()) yield* this.document(document_id);
    yield* this.chats();
    // The root's own parent is not exported.
    const folders = tree.map((folder, at) => (at === 0 ? { ...folder, parent_id: null } : folder));
    this.counts.folders = folders.length;
    yield* this.lines(layout.folders_part, folders);
    yield* this.zip.add(layout.manifest_part, [Buffer.from(JSON.stringify(this.manifest()))], {
      deflated: true,
    });
    yield* this.zip.finish();
  }

  private manifest(): Manifest {
    const { id, name } = this.folder.tree[0]!;
    return {
      format: layout.format,
      format_version: layout.format_version,
      dossier: { version, commit },
      made_at: rfc3339(this.ctx.now_ms()),
      folder: { id, name },
      counts: this.counts,
      left_out: this.left_out,
      parts: this.written,
    };
  }

  /** Each document once, even if several of the folders contain it. */
  private async documentIds(): Promise<string[]> {
    const { db, documents, index } = this.ctx;
    const ids = new Set<string>();
    const pauses = new StepPauses();
    for (const folder_id of this.folder_ids)
      for (let after: DocumentPlace | null = null; ;) {
        await pauses.pause();
        this.signal.throwIfAborted();
        const places: DocumentPlace[] = await documents.listPlaces(
          db,
          folder_id,
          after,
          places_at_once,
        );
        for (const { document_id } of places) ids.add(document_id);
        if (places.length < places_at_once) break;
        after = places.at(-1)!;
      }
    // Keeps the order, so that equal passages are also found in the same order after the import.
    return index.inOrder(db, [...ids], this.signal);
  }

  private async *document(document_id: string): AsyncGenerator<Uint8Array, void> {
    for (let tries = 0; tries < tries_max; tries++) {
      const copy = await this.ctx.documents.findCopy(document_id, this.folder_ids);
      // It was deleted, so the archive need not contain it.
      if (copy === undefined) return;
      const written = yield* this.attempt(copy);
      if (!written) continue;
      this.counts.documents++;
      this.versions.set(document_id, copy.document.version);
      return;
    }
    this.left_out.documents++;
  }

  /** False when something was deleted meanwhile: then the parts written belong to no record. */
  private async *attempt({
    document,
    text,
  }: NonNullable<Awaited<ReturnType<Documents["findCopy"]>>>): AsyncGenerator<Uint8Array, boolean> {
    const number = ++this.number;
    const { in_files, sha256, status } = document;
    if (in_files && !(yield* this.original(sha256))) return false;
    let text_sha256: string | null = null;
    const written: LeftOutPart[] = [];
    if (text !== null) {
      const part = yield* this.add(layout.textPart(number), encoded(text.readParts()));
      written.push(part);
      text_sha256 = part.sha256;
    }
    const index =
      status === "synced" ? await this.ctx.index.findCopy(this.ctx.db, document.id) : undefined;
    const known =
      text && text_sha256 !== null
        ? { units: text.units, points: text.points, sha256: text_sha256 }
        : null;
    // It was indexed again after the text was read: then the importing server indexes it again.
    const current = index?.version === document.version ? index : undefined;
    written.push(
      yield* this.add(
        layout.documentPart(number),
        linesOf(documentLines(document, known, current)),
      ),
    );
    if (!written.some(({ left_out }) => left_out)) {
      this.counts.passages += current?.chunks ?? 0;
      return true;
    }
    for (const part of written) part.left_out = true;
    return false;
  }

  /** False when it is gone. */
  private async *original(sha256: string): AsyncGenerator<Uint8Array, boolean> {
    if (!this.originals.has(sha256)) {
      const part = yield* this.add(layout.originalPart(sha256), this.originalBytes(sha256), {
        deflated: false,
      });
      if (part.sha256 !== sha256) part.left_out = true;
      this.originals.set(sha256, part.left_out ? "gone" : "written");
      if (!part.left_out) this.counts.originals++;
    }
    return this.originals.get(sha256) === "written";
  }

  private async *originalBytes(sha256: string): AsyncGenerator<Uint8Array, void> {
    const bytes = await this.ctx.files.open(sha256);
    if (bytes === undefined) throw new Gone();
    // Only the place itself can fail: originals deleted elsewhere are kept for a while.
    if (!(bytes instanceof Blob)) return yield* bytes.pieces();
    try {
      yield* piecesOf(bytes);
    } catch {
      throw new Gone();
    }
  }

  private async *chats(): AsyncGenerator<Uint8Array, void> {
    const { chats, db, prompts } = this.ctx;
    const { owner_id } = this.folder;
    const asking = await chats.findAsking(db, owner_id, [...this.folder_ids]);
    this.left_out.chats = asking.mixed_count;
    for (const [at, chat] of asking.chats.entries()) {
      yield* this.add(layout.chatPart(at + 1), linesOf(this.chatLines(chat)));
      this.counts.chats++;
      this.left_out.messages += await chats.countUnfinished(db, chat.id);
    }
    const used = new Set(asking.chats.flatMap(({ prompt_ids }) => prompt_ids));
    const copies = await prompts.findCopies(db, [...used]);
    this.counts.prompts = copies.length;
    yield* this.lines(layout.prompts_part, copies);
  }

  private async *chatLines({ id, ...chat }: ChatCopy): AsyncGenerator<unknown, void> {
    const { chats } = this.ctx;
    yield { kind: "chat", id, ...chat };
    for (let after: Awaited<ReturnType<Chats["listEnded"]>>["last"] = null; ;) {
      const { messages, last }: Awaited<ReturnType<Chats["listEnded"]>> = await chats.listEnded(
        id,
        after,
        messages_at_once,
      );
      for (const message of messages) {
        this.counts.messages++;
        yield {
          kind: "message",
          ...message,
          result: await this.withExistingEvidence(message.result),
        };
      }
      if (messages.length < messages_at_once) return;
      after = last;
    }
  }

  /**
   * The answer with quotes only from documents in the archive: its other citations are stale, like
   * those of deleted documents.
   */
  private async withExistingEvidence(
    result: MessageCopy["result"],
  ): Promise<MessageCopy["result"]> {
    if (result === null) return null;
    const citations: Citation[] = [];
    const related: RelatedPassage[] = [];
    for (const citation of result.citations) citations.push(await this.heldOne(citation));
    for (const passage of result.related) related.push(await this.heldOne(passage));
    return { ...result, citations, related };
  }

  private async heldOne<P extends RelatedPassage>(cited: P): Promise<P> {
    const archived = this.versions.get(cited.document_id);
    if (archived === undefined) return { ...cited, quote: "", stale: true };
    if (cited.stale || archived !== cited.document_version) return cited;
    const holds = await this.ctx.documents.hasQuoteAt(this.ctx.db, cited);
    return { ...cited, stale: !holds };
  }

  private lines(name: string, lines: readonly object[]): AsyncGenerator<Uint8Array, LeftOutPart> {
    return this.add(name, linesOf(lines));
  }

  /** An entry that ends early if its source is gone; it is left out then. */
  private async *add(
    name: string,
    chunks: Chunks,
    { deflated } = { deflated: true },
  ): AsyncGenerator<Uint8Array, LeftOutPart> {
    let is_gone = false;
    const untilGone = async function* () {
      try {
        yield* chunks;
      } catch (error) {
        if (!(error instanceof Gone || error instanceof TextGone || error instanceof PublishedGone))
          throw error;
        is_gone = true;
      }
    };
    const written: ZipPart = yield* this.zip.add(name, untilGone(), { deflated });
    const part: LeftOutPart = { ...written, ...(is_gone ? { left_out: true } : {}) };
    this.written.push(part);
    return part;
  }
}

type LeftOutPart = { -readonly [K in keyof Part]: Part[K] };

async function* encoded(parts: AsyncIterable<string>): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  for await (const part of parts) yield encoder.encode(part);
}
