/**
 * The originals of several documents as one ZIP file, written while it is sent: memory does not
 * grow with its size.
 */
import { ZipStream } from "../../../core/lib/zip-stream";
import type { Folder } from "../../folders/contract";
import { ArchiveStreams, badRequest, HttpError, piecesOf } from "../../../core/sdk";
import type { DocumentContext } from "../context";
import { EntryNames } from "./entry-names";
import type { ListFilter } from "../lists/list-store";
import * as linkStore from "../links/link-store";
import { getOriginal } from "../queries";
import { TextBytes } from "../texts/text-bytes";
import { fileType } from "../../../core/lib/file-types";

/** The most documents in one archive. */
export const documents_max = 50_000;

/** The documents whose originals the archive contains. */
export interface OriginalsSelection extends ListFilter {
  readonly folder_id: string;
  /** Only these of the folder. */
  readonly document_ids: readonly string[] | null;
}

/** Streams archives, a few at a time. */
export class OriginalsZip {
  private readonly streams = new ArchiveStreams(
    "Too many archives are being created at the moment. Try again later.",
  );

  constructor(private readonly ctx: DocumentContext) {}

  /**
   * @throws HttpError 400 when there are none or too many, 403 or 404 on the folder or a document,
   * 503 when too many archives are in progress
   */
  async open(
    owner_id: string,
    selection: OriginalsSelection,
    signal: AbortSignal,
  ): Promise<{ readonly name: string; readonly stream: ReadableStream<Uint8Array> }> {
    const { db, folders } = this.ctx;
    const folder = await folders.require(db, owner_id, selection.folder_id);
    const createZip = async (closed: AbortSignal): Promise<AsyncIterable<Uint8Array>> => {
      const { ids, total } = await this.ids(folder, selection, closed);
      if (total === 0) throw new HttpError(404, "not_found", "No document in the folder matches.");
      if (total > documents_max)
        throw badRequest(
          `An archive can hold at most ${documents_max} documents, and these are ${total}. ` +
            "Choose fewer, or export the folder.",
          "?folder_id",
        );
      return zipOf(this.ctx, owner_id, ids);
    };
    return { name: folder.name, stream: await this.streams.open(owner_id, createZip, signal) };
  }

  private async ids(
    folder: Folder,
    { folder_id, document_ids, ...filter }: OriginalsSelection,
    signal: AbortSignal,
  ): Promise<{ readonly ids: string[]; readonly total: number }> {
    const { db, lists } = this.ctx;
    if (document_ids === null) return lists.ids(folder, filter, documents_max, signal);
    const present_ids = await linkStore.findHere(db, document_ids, folder_id);
    const missing = document_ids.find((id) => !present_ids.has(id));
    if (missing !== undefined)
      throw new HttpError(404, "not_found", `The document ${missing} is not in this folder.`);
    const ids = [...new Set(document_ids)];
    return { ids, total: ids.length };
  }
}

/** File types that are compressed already. */
const compressed_types = new Set([
  "pdf",
  "word",
  "spreadsheet",
  "presentation",
  "picture",
  "recording",
]);

async function* zipOf(
  ctx: DocumentContext,
  owner_id: string,
  ids: readonly string[],
): AsyncGenerator<Uint8Array, void> {
  const zip = new ZipStream();
  const names = new EntryNames();
  const missing: string[] = [];
  for (const id of ids) {
    const original = await getOriginal(ctx, owner_id, id).catch((error: unknown) => {
      // It was deleted meanwhile, or its file is lost: the others are sent nevertheless.
      missing.push(`${id}: ${error instanceof HttpError ? error.message : "It can't be read."}`);
      if (!(error instanceof HttpError))
        ctx.log.error("an original is left out of an archive", {
          document: id,
          error: String(error),
        });
      return null;
    });
    if (original === null) continue;
    const { name, media_type, bytes, size_bytes } = original;
    yield* zip.add(names.add(name, media_type), bytesOf(bytes, size_bytes), {
      deflated: !compressed_types.has(fileType(media_type)),
    });
  }
  if (missing.length > 0)
    yield* zip.add(
      names.add("not included.txt", "text/plain"),
      [Buffer.from(missing.join("\n") + "\n")],
      { deflated: true },
    );
  yield* zip.finish();
}

type Bytes = Awaited<ReturnType<typeof getOriginal>>["bytes"];
const bytesOf = (bytes: Bytes, size_bytes: number): AsyncIterable<Uint8Array> =>
  bytes instanceof TextBytes ? bytes.slice(0, size_bytes) : piecesOf(bytes);
