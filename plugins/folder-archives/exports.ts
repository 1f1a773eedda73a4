/** Exports of folders: who may, how many at once, and the stream. */
import { Limiter, LimiterRefusal } from "../../core/lib/limiter";
import { pullStream, unavailable } from "../../core/sdk";
import type { Folders } from "../folders/contract";
import { archiveBytes, type WriterParts } from "./writer";

export interface ExportParts extends WriterParts {
  readonly folders: Folders;
}

/** Streams that are made at once; the others wait. */
const limits = { concurrency: 4, per_key: 2, waiting_max: 32, wait_ms_max: 30_000 };

export class ExportService {
  readonly #turns = new Limiter(limits);

  constructor(private readonly parts: ExportParts) {}

  /**
   * The archive of a folder and its subfolders, made while it is sent. @throws HttpError 404, 403,
   * 503 when too many are made
   */
  async open(
    owner_id: string,
    folder_id: string,
    signal: AbortSignal,
  ): Promise<{ readonly name: string; readonly stream: ReadableStream<Uint8Array> }> {
    const { db, folders } = this.parts;
    const tree = await folders.listTree(db, owner_id, folder_id);
    const leave = await this.#enter(owner_id, signal);
    const bytes = archiveBytes(this.parts, { owner_id, tree });
    const next = async (): Promise<Uint8Array | null> => {
      const piece = await bytes.next();
      return piece.done ? null : piece.value;
    };
    const end = (): void => {
      leave();
      signal.removeEventListener("abort", end);
      void bytes.return().catch(() => undefined);
    };
    signal.addEventListener("abort", end, { once: true });
    return { name: tree[0]!.name, stream: pullStream(next, end) };
  }

  async #enter(key: string, signal: AbortSignal): Promise<() => void> {
    try {
      return await this.#turns.enter({ key, signal });
    } catch (error) {
      if (!(error instanceof LimiterRefusal)) throw error;
      throw unavailable("Too many folders are being exported. Try again in a while.", 30);
    }
  }
}
