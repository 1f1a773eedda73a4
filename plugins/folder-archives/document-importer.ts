/** Imports the documents of an archive, each with its original, its text and its index. */
import { pieceCount, type StoredText } from "../../core/lib/text-pieces";
import type { ReceivedFile } from "../../core/sdk";
import type { Admitted, DocumentCopy } from "../documents/contract";
import type { Encoding, Prepared, SegmentCopy } from "../search-index/contract";
import type { NewText } from "../texts/contract";
import { readBytes, readText, type Line } from "./archive";
import type { ImportRun } from "./import-run";
import { originalPart, textPartOf, type DocumentLines } from "./layout";

type Lines = AsyncGenerator<Line, void>;
type Spans = Record<"pages" | "headings" | "times", object[]>;

/** Texts of more pieces are written while they are read; smaller ones are held in memory. */
const small_pieces_max = 24;

/** A document that has been read up to its index. */
interface Opened {
  readonly record: DocumentLines["document"];
  readonly spans: Spans;
  readonly index: DocumentLines["index"] | undefined;
}
/** Its text: already written, or in memory. */
interface OpenedText {
  readonly written: NewText;
  readonly content: string | null;
}

/** Stages the documents of a running import. */
export class DocumentImporter {
  /** Where the text of each document is stored, by its new id. */
  readonly texts = new Map<string, { readonly stored: StoredText; readonly version: number }>();

  constructor(private readonly run: ImportRun) {}

  /** @throws HttpError 507, or the reason of the signal */
  async importPart(part: string): Promise<void> {
    const { documents, files, inTransaction } = this.run.ctx;
    const { owner_id, root_id } = this.run;
    files.requireFreeSpace();
    const lines = this.run.lines(part);
    const opened = await open(lines);
    const document = this.copyOf(opened);
    const claims: Held = { text: null, prepared: null, original: null };
    try {
      claims.text = await this.readText(part, opened.record.text);
      if (claims.text && document.status === "synced")
        claims.prepared = await this.prepare(document, opened, claims.text, lines);
      claims.original = await this.receive(document);
      const { text, prepared } = claims;
      const admitted = await this.admit(part, document, claims);
      await inTransaction(async (tx) => {
        await text?.written.keep(tx);
        await documents.insertCopy(tx, owner_id, document, {
          root_id,
          text: text?.written.stored ?? null,
          prepared,
          admitted,
        });
        await this.run.keepRecord(tx, "document", opened.record.id);
      });
    } catch (error) {
      this.discard(claims);
      throw error;
    } finally {
      await lines.return();
      await claims.original?.release();
    }
    if (claims.text)
      this.texts.set(document.id, {
        stored: claims.text.written.stored,
        version: document.version,
      });
  }

  /** Converts it to this server's form. */
  private copyOf({ record: { text: _text, ...record }, spans }: Opened): DocumentCopy {
    const { ids, ctx } = this.run;
    const id = this.run.newId("document", record.id);
    const now = ctx.now_ms();
    const is_unread = record.status === "syncing";
    if (is_unread) this.run.unread.push(id);
    return {
      ...record,
      ...(spans as unknown as Pick<DocumentCopy, "pages" | "headings" | "times">),
      id,
      folder_ids: record.folder_ids.map((folder_id) => ids.folder.get(folder_id)!),
      created_at: Math.min(record.created_at, now),
      updated_at: Math.min(record.updated_at, now),
      synced_at: record.synced_at === null ? null : Math.min(record.synced_at, now),
      ...(is_unread ? not_read : {}),
    };
  }

  private async readText(
    part: string,
    text: DocumentLines["document"]["text"],
  ): Promise<OpenedText | null> {
    if (text === null) return null;
    const { entries, ctx, path, signal } = this.run;
    const name = textPartOf(part);
    const pieces = readText(name, readBytes(path, entries.get(name)!));
    if (pieceCount(text.units) > small_pieces_max)
      return {
        written: await ctx.texts.prepareLong({ units_max: text.units, parts: pieces }, signal),
        content: null,
      };
    const content = (await Array.fromAsync(pieces)).join("");
    return { written: await ctx.texts.prepare(content, signal), content };
  }

  /** Vectors of the same model are imported; others are computed again. */
  private prepare(
    { id: document_id, name: title, version, pages, headings, times }: DocumentCopy,
    { index }: Opened,
    { written, content }: OpenedText,
    lines: Lines,
  ): Promise<Prepared> {
    const { ctx, owner_id, signal } = this.run;
    const spoken = times.length === 0 ? null : JSON.stringify(times);
    const input = { owner_id, document_id, version, title, headings, times: spoken };
    const { stored } = written;
    if (index?.title === title && isSame(index.encoding, ctx.index.encoding))
      return ctx.index.takeOver(
        { ...input, stored, vectors: index.vectors, segments: segmentsOf(lines) },
        signal,
      );
    return ctx.index.prepare({ ...input, text: content, stored, pages }, signal);
  }

  private async receive({
    in_files,
    sha256,
    size_bytes,
  }: DocumentCopy): Promise<ReceivedFile | null> {
    if (!in_files) return null;
    const { entries, ctx, path } = this.run;
    const bytes = readBytes(path, entries.get(originalPart(sha256))!);
    const received = await ctx.files.receive(bytes, { bytes_max: size_bytes });
    try {
      await received.keep();
      return received;
    } catch (error) {
      await received.release();
      throw error;
    }
  }

  /** Runs the hooks that may refuse it, with its original, or the text if there is no original. */
  private admit(
    part: string,
    { name, media_type, size_bytes, folder_ids, source_uri: uri }: DocumentCopy,
    { original, text }: Held,
  ): Promise<Admitted> {
    const { entries, owner_id, ctx, path, root_id, row, signal } = this.run;
    const textPart = textPartOf(part);
    const written = {
      size_bytes,
      bytes: () => encoded(readText(textPart, readBytes(path, entries.get(textPart)!))),
    };
    const from = original ?? text?.content ?? (text === null ? "" : written);
    const origin = { kind: "archive", uri, run_id: row.id } as const;
    const folder_id = folder_ids[0] ?? root_id;
    return ctx.documents.admit({ owner_id, folder_id, name, media_type, origin, from }, signal);
  }

  private discard({ text, prepared, original }: Held): void {
    const { documents, index } = this.run.ctx;
    text?.written.discard();
    if (prepared) index.discard(prepared);
    if (original) documents.removeFiles([original.sha256]);
  }
}

/** Data that belongs to nobody until the commit. */
interface Held {
  text: OpenedText | null;
  prepared: Prepared | null;
  original: ReceivedFile | null;
}

/** The state of a document that the exporting server had not read yet. */
const not_read = {
  status: "sync_failed",
  error: {
    code: "cancelled",
    message: "The document had not been indexed yet when its folder was exported. Index it again.",
  },
} as const;

async function open(lines: Lines): Promise<Opened> {
  const { value: first } = await lines.next();
  const spans: Spans = { pages: [], headings: [], times: [] };
  const opened = (index: Opened["index"]): Opened => ({
    record: first!.value as DocumentLines["document"],
    spans,
    index,
  });
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const line = next.value.value as DocumentLines["pages"] | DocumentLines["index"];
    if (line.kind === "index") return opened(line);
    spans[line.of].push(...line.spans);
  }
  return opened(undefined);
}

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

/** The segments that follow an index, each with its vectors. */
async function* segmentsOf(lines: Lines): AsyncGenerator<SegmentCopy, void> {
  let segment: DocumentLines["segment"] | undefined;
  let vectors: Buffer[] = [];
  const copy = (): SegmentCopy => ({
    chunks: segment!.passages,
    data: Buffer.from(segment!.data, "base64"),
    vectors: vectors.length === 0 ? null : Buffer.concat(vectors),
  });
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const line = next.value.value as DocumentLines["segment"] | DocumentLines["vectors"];
    if (line.kind === "vectors") {
      vectors.push(Buffer.from(line.data, "base64"));
      continue;
    }
    if (segment) yield copy();
    segment = line;
    vectors = [];
  }
  if (segment) yield copy();
}

const isSame = (a: Encoding, b: Encoding): boolean =>
  a.analyzer === b.analyzer && a.chunker === b.chunker && a.segment_format === b.segment_format;
