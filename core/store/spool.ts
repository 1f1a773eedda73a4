/** Hashes incoming bytes and writes them to a temporary file on this machine. */
import { open, readdir, rm, type FileHandle } from "node:fs/promises";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { tooLarge, unavailable } from "../base/errors";
import { ulid } from "../base/ids";
import { limitInWords } from "../lib/byte-sizes";
import { requireDirectory } from "./file-directory";
import type { ReceiveFileOptions } from "./files";
import { freeSpaceOf, requireFreeSpace, FreeSpaceWatch } from "./free-space";
import { translateError } from "./storage-errors";

/**
 * How many bytes of an upload are written between two checks of the free space; less on a small
 * disk.
 */
const check_space_bytes_max = 4 * 2 ** 20;
/** Hashed and written at a time. */
const block_bytes = {
  /** Small files and slow senders need no more memory. */
  first: 2 ** 15,
  next: 2 ** 17,
};

/** A file that was received completely. */
export interface Spooled {
  /** Lower-case hex. */
  readonly sha256: string;
  readonly size_bytes: number;
  readonly path: string;
  /** Kept open so that it can be synced. */
  readonly file: FileHandle;
}

/** A directory of temporary files, which only this process uses. */
export class Spool {
  /** Temporary files of uploads that are not released. */
  private readonly arriving = new Set<string>();
  private readonly open_streams = new Set<Readable>();

  private readonly free_space: FreeSpaceWatch;

  constructor(private readonly directory: string) {
    this.free_space = new FreeSpaceWatch(directory);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  /** @throws HttpError 507, see `Files.requireFreeSpace` */
  requireFreeSpace(): void {
    this.free_space.require();
  }

  /** See `Files.receive`; the caller closes the file, and discards it. @throws HttpError */
  async receive(
    bytes: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
    options: ReceiveFileOptions,
  ): Promise<Spooled> {
    const path = join(this.directory, ulid());
    this.arriving.add(path);
    if (bytes instanceof Readable) this.open_streams.add(bytes);
    let file: FileHandle | undefined;
    try {
      file = await this.create(path);
      const written = await write(this.directory, file, bytes, options);
      return { ...written, path, file };
    } catch (error) {
      await file?.close();
      await this.discard(path);
      throw translateError(error);
    } finally {
      this.open_streams.delete(bytes as Readable);
    }
  }

  /**
   * Creates the directory again if somebody deleted it; but not its parent, which may be the mount
   * point of a missing disk.
   */
  private async create(path: string): Promise<FileHandle> {
    if (!existsSync(this.directory)) {
      requireDirectory(dirname(this.directory));
      mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    }
    return open(path, "wx");
  }

  /** The temporary file was renamed, or is gone. */
  forget(path: string): void {
    this.arriving.delete(path);
  }

  /** Deletes a temporary file. */
  async discard(path: string): Promise<void> {
    await rm(path, { force: true });
    this.arriving.delete(path);
  }

  /** Uploads in progress fail with 503. */
  abort(): void {
    for (const stream of this.open_streams)
      stream.destroy(
        unavailable("The server is stopping. Nothing was saved. Send the file again.", 5),
      );
  }

  /** Deletes leftovers of uploads of an earlier process. */
  async sweep(): Promise<void> {
    for (const name of await readdir(this.directory)) {
      const path = join(this.directory, name);
      if (!this.arriving.has(path)) await rm(path, { force: true, recursive: true });
    }
  }
}

/**
 * Writes one block at a time: the sender waits for the disk. A chunk may be as small as a packet,
 * which would take as long to write as a block, or have many megabytes.
 */
async function write(
  directory: string,
  file: FileHandle,
  bytes: AsyncIterable<Uint8Array>,
  { bytes_max, onCopied }: ReceiveFileOptions,
): Promise<{ sha256: string; size_bytes: number }> {
  const hash = new Bun.CryptoHasher("sha256");
  let block = new Uint8Array(block_bytes.first);
  let gathered_bytes = 0;
  let size_bytes = 0;
  let checked_bytes = -Infinity;
  const check_space_bytes = Math.min(check_space_bytes_max, freeSpaceOf(directory).reserve_bytes);
  const writeGathered = async (): Promise<void> => {
    const gathered = block.subarray(0, gathered_bytes);
    // A thread writes while this one hashes.
    const written = file.writeFile(gathered);
    hash.update(gathered);
    await written;
    gathered_bytes = 0;
  };
  for await (const chunk of bytes) {
    if (size_bytes - checked_bytes >= check_space_bytes) {
      requireFreeSpace(directory);
      checked_bytes = size_bytes;
    }
    size_bytes += chunk.byteLength;
    if (size_bytes > bytes_max)
      throw tooLarge(`The file is larger than the limit of ${limitInWords(bytes_max)}.`);
    for (let at = 0; at < chunk.byteLength;) {
      const part = chunk.subarray(at, at + block.length - gathered_bytes);
      block.set(part, gathered_bytes);
      gathered_bytes += part.byteLength;
      at += part.byteLength;
      if (gathered_bytes < block.length) continue;
      await writeGathered();
      if (block.length < block_bytes.next) block = new Uint8Array(block_bytes.next);
    }
    onCopied?.(chunk);
  }
  await writeGathered();
  return { sha256: hash.digest("hex"), size_bytes };
}
