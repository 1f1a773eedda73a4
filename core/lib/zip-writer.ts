/**
 * Writes ZIP archives, always with ZIP64 fields: any size, any number of entries, one pass over the
 * data. What is written reaches the disk in small steps, so that others who wait for the same disk
 * don't wait for long.
 */
import { close, fdatasync, fsync, open, write } from "node:fs";
import { promisify } from "node:util";
import { Readable } from "node:stream";
import { crc32, createDeflateRaw } from "node:zlib";
import { WritePace } from "./paced-writing";

export interface ZipPart {
  readonly name: string;
  /** Before deflating. */
  readonly bytes: number;
  /** Of the bytes before deflating, lower-case hex. */
  readonly sha256: string;
}
export interface AddOptions {
  /** Worth it for text; what is compressed already is stored as it is. */
  readonly deflated: boolean;
}

const openFile = promisify(open),
  closeFile = promisify(close),
  syncFile = promisify(fsync),
  syncData = promisify(fdatasync);

const local_bytes = 30,
  central_bytes = 46,
  local_extra_bytes = 20,
  central_extra_bytes = 28,
  end64_bytes = 56,
  locator64_bytes = 20,
  end_bytes = 22;
/** Readers must know ZIP64. */
const version_needed = 45;
const utf8_names = 0x800;
/** The first day that the format knows: archives of the same content are the same. */
const first_day = 0x21;
const in_zip64 = 0xffffffff,
  count_in_zip64 = 0xffff;

interface Sizes {
  readonly bytes: number;
  readonly packed_bytes: number;
  readonly crc: number;
}

export class ZipWriter {
  readonly #directory: Buffer[] = [];
  #at = 0;
  readonly #pace = new WritePace();

  private constructor(private readonly file: number) {}

  /** Only the user of this process may read it. @throws Error when the file is there already. */
  static async create(path: string): Promise<ZipWriter> {
    return new ZipWriter(await openFile(path, "wx", 0o600));
  }

  /** Where the next byte goes: the size so far. */
  get bytes(): number {
    return this.#at;
  }

  async add(
    name: string,
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    { deflated }: AddOptions,
  ): Promise<ZipPart> {
    const at = this.#at;
    const hash = new Bun.CryptoHasher("sha256");
    let bytes = 0,
      crc = 0;
    const counted = async function* () {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        crc = crc32(chunk, crc);
        hash.update(chunk);
        yield chunk;
      }
    };
    // The sizes are known at the end, and written over these.
    await this.#append(localHeader(name, deflated, { bytes: 0, packed_bytes: 0, crc: 0 }));
    const data_at = this.#at;
    const packed = deflated
      ? Readable.from(counted(), { objectMode: false }).compose(createDeflateRaw({ level: 1 }))
      : counted();
    for await (const chunk of packed as AsyncIterable<Uint8Array>) await this.#append(chunk);
    const sizes = { bytes, packed_bytes: this.#at - data_at, crc };
    await this.#writeAt(localHeader(name, deflated, sizes), at);
    this.#directory.push(centralHeader(name, deflated, sizes, at));
    return { name, bytes, sha256: hash.digest("hex") };
  }

  /** Writes the directory; the archive is whole and on the disk when this returns. */
  async finish(): Promise<number> {
    const at = this.#at;
    for (const header of this.#directory) await this.#append(header);
    await this.#append(endRecords(this.#directory.length, at, this.#at - at));
    await syncFile(this.file);
    await closeFile(this.file);
    return this.#at;
  }

  /** Gives up; the unfinished file is the caller's to delete. */
  async abandon(): Promise<void> {
    await closeFile(this.file).catch(() => {});
  }

  async #append(bytes: Uint8Array): Promise<void> {
    await this.#writeAt(bytes, this.#at);
    this.#at += bytes.length;
    if (this.#pace.add(bytes.length)) await this.#pace.sync(() => syncData(this.file));
  }

  async #writeAt(bytes: Uint8Array, at: number): Promise<void> {
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

function localHeader(name: string, deflated: boolean, sizes: Sizes): Buffer {
  const name_bytes = Buffer.from(name, "utf8");
  const head = Buffer.alloc(local_bytes + local_extra_bytes);
  head.write("PK\x03\x04", 0, "latin1");
  head.writeUInt16LE(version_needed, 4);
  writeKind(head, 6, deflated, sizes.crc);
  head.writeUInt16LE(name_bytes.length, 26);
  head.writeUInt16LE(local_extra_bytes, 28);
  writeExtra(head, local_bytes, [sizes.bytes, sizes.packed_bytes]);
  return Buffer.concat([head.subarray(0, local_bytes), name_bytes, head.subarray(local_bytes)]);
}

function centralHeader(name: string, deflated: boolean, sizes: Sizes, at: number): Buffer {
  const name_bytes = Buffer.from(name, "utf8");
  const head = Buffer.alloc(central_bytes + central_extra_bytes);
  head.write("PK\x01\x02", 0, "latin1");
  head.writeUInt16LE(version_needed, 4);
  head.writeUInt16LE(version_needed, 6);
  writeKind(head, 8, deflated, sizes.crc);
  head.writeUInt16LE(name_bytes.length, 28);
  head.writeUInt16LE(central_extra_bytes, 30);
  head.writeUInt32LE(in_zip64, 42);
  writeExtra(head, central_bytes, [sizes.bytes, sizes.packed_bytes, at]);
  return Buffer.concat([head.subarray(0, central_bytes), name_bytes, head.subarray(central_bytes)]);
}

/** From the flags to the sizes, which are the same in both headers. */
function writeKind(head: Buffer, at: number, deflated: boolean, crc: number): void {
  head.writeUInt16LE(utf8_names, at);
  head.writeUInt16LE(deflated ? 8 : 0, at + 2);
  head.writeUInt16LE(first_day, at + 6);
  head.writeUInt32LE(crc, at + 8);
  head.writeUInt32LE(in_zip64, at + 12);
  head.writeUInt32LE(in_zip64, at + 16);
}

function writeExtra(head: Buffer, at: number, numbers: readonly number[]): void {
  head.writeUInt16LE(1, at);
  head.writeUInt16LE(8 * numbers.length, at + 2);
  for (const [place, number] of numbers.entries())
    head.writeBigUInt64LE(BigInt(number), at + 4 + 8 * place);
}

function endRecords(count: number, at: number, size: number): Buffer {
  const end = Buffer.alloc(end64_bytes + locator64_bytes + end_bytes);
  end.write("PK\x06\x06", 0, "latin1");
  end.writeBigUInt64LE(BigInt(end64_bytes - 12), 4);
  end.writeUInt16LE(version_needed, 12);
  end.writeUInt16LE(version_needed, 14);
  for (const [place, number] of [count, count, size, at].entries())
    end.writeBigUInt64LE(BigInt(number), 24 + 8 * place);
  end.write("PK\x06\x07", end64_bytes, "latin1");
  end.writeBigUInt64LE(BigInt(at + size), end64_bytes + 8);
  end.writeUInt32LE(1, end64_bytes + 16);
  const last = end64_bytes + locator64_bytes;
  end.write("PK\x05\x06", last, "latin1");
  end.writeUInt16LE(count_in_zip64, last + 8);
  end.writeUInt16LE(count_in_zip64, last + 10);
  end.writeUInt32LE(in_zip64, last + 12);
  end.writeUInt32LE(in_zip64, last + 16);
  return end;
}
