/**
 * Writes ZIP archives, always with ZIP64 fields: any size, any number of entries, one pass over the
 * data. The disk is written in small steps, so that others who use it don't wait for long.
 */
import { close, fdatasync, fsync, open, write } from "node:fs";
import { promisify } from "node:util";
import { Readable } from "node:stream";
import { crc32, createDeflateRaw } from "node:zlib";
import { WritePace } from "./paced-writer";
import { centralHeader, endRecords, localHeader, type ZipEntryKind } from "./zip-headers";

/** An entry that has been written. */
export interface ZipPart {
  readonly name: string;
  /** Before compression. */
  readonly bytes: number;
  /** SHA-256 of the uncompressed bytes, lower-case hex. */
  readonly sha256: string;
}
/** How an entry is stored. */
export interface AddOptions {
  /** Worth it for text; data that is compressed already is stored as is. */
  readonly deflated: boolean;
}

const openFile = promisify(open);
const closeFile = promisify(close);
const syncFile = promisify(fsync);
const syncData = promisify(fdatasync);

/** An archive in a new file. Call `finish` after the last entry, or `abandon` after an error. */
export class ZipWriter {
  private readonly directory: Buffer[] = [];
  private at = 0;
  private readonly pace = new WritePace();

  private constructor(private readonly file: number) {}

  /** Only the user of this process may read it. @throws Error when the file exists. */
  static async create(path: string): Promise<ZipWriter> {
    return new ZipWriter(await openFile(path, "wx", 0o600));
  }

  /** Writes an entry. Entries are written one after another. @throws what `chunks` throws */
  async add(
    name: string,
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    { deflated }: AddOptions,
  ): Promise<ZipPart> {
    const at = this.at;
    const kind: ZipEntryKind = { deflated, sizes_follow: false };
    const hash = new Bun.CryptoHasher("sha256");
    let bytes = 0;
    let crc = 0;
    const counted = async function* () {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        crc = crc32(chunk, crc);
        hash.update(chunk);
        yield chunk;
      }
    };
    // Zeros are overwritten at the end, when the sizes are known.
    await this.append(localHeader(name, kind, { bytes: 0, packed_bytes: 0, crc: 0 }));
    const data_at = this.at;
    const packed = deflated
      ? Readable.from(counted(), { objectMode: false }).compose(createDeflateRaw({ level: 1 }))
      : counted();
    for await (const chunk of packed as AsyncIterable<Uint8Array>) await this.append(chunk);
    const sizes = { bytes, packed_bytes: this.at - data_at, crc };
    await this.writeAt(localHeader(name, kind, sizes), at);
    this.directory.push(centralHeader(name, kind, sizes, at));
    return { name, bytes, sha256: hash.digest("hex") };
  }

  /** Writes the central directory; when it returns, the complete archive is on the disk. */
  async finish(): Promise<number> {
    const at = this.at;
    for (const header of this.directory) await this.append(header);
    await this.append(endRecords(this.directory.length, at, this.at - at));
    await syncFile(this.file);
    await closeFile(this.file);
    return this.at;
  }

  /** Closes it; the caller deletes the incomplete file. */
  async abandon(): Promise<void> {
    await closeFile(this.file).catch(() => {});
  }

  private async append(bytes: Uint8Array): Promise<void> {
    await this.writeAt(bytes, this.at);
    this.at += bytes.length;
    if (this.pace.add(bytes.length)) await this.pace.sync(() => syncData(this.file));
  }

  private async writeAt(bytes: Uint8Array, at: number): Promise<void> {
    for (let done = 0; done < bytes.length;)
      done += await writeFile(this.file, bytes, done, bytes.length - done, at + done);
  }
}

const writeFile = (
  file: number,
  bytes: Uint8Array,
  from: number,
  length: number,
  at: number,
): Promise<number> =>
  new Promise((resolve, reject) =>
    write(file, bytes, from, length, at, (error, written) =>
      error ? reject(error) : resolve(written),
    ),
  );
