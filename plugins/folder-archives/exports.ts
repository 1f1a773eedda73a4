/** Exports of folders: permission and the stream. */
import { ArchiveStreams } from "../../core/sdk";
import type { Folders } from "../folders/contract";
import { archiveBytes, type WriterContext } from "./writer";

/** Exports folders, a few at a time. */
export class ExportService {
  private readonly streams = new ArchiveStreams(
    "Too many folders are being exported at the moment. Try again later.",
  );

  constructor(private readonly ctx: WriterContext & { readonly folders: Folders }) {}

  /**
   * The archive of a folder and its subfolders, generated while it is sent. @throws HttpError 404,
   * 403, 503 when too many are being generated
   */
  async open(
    owner_id: string,
    folder_id: string,
    signal: AbortSignal,
  ): Promise<{ readonly name: string; readonly stream: ReadableStream<Uint8Array> }> {
    const { db, folders } = this.ctx;
    const { name } = await folders.require(db, owner_id, folder_id);
    // A tree can be large: it is read when it is the turn of this export.
    const stream = await this.streams.open(
      owner_id,
      async (left) => {
        const tree = await folders.listTree(db, owner_id, folder_id);
        return archiveBytes(this.ctx, { owner_id, tree }, left);
      },
      signal,
    );
    return { name, stream };
  }
}
