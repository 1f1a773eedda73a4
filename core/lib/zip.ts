/**
 * Reads ZIP archives, including ZIP64, from a file or from memory. Safe for hostile input: sizes in
 * headers are not trusted, and every inflated byte counts towards the caller's limit.
 */
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fstatSync,
  openSync,
  readSync,
} from "node:fs";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Loaded with the first archive, so that a server starts sooner. */
const zlib = () => process.getBuiltinModule("node:zlib");

/** Why an archive or an entry can't be read. */
export type ZipProblem =
  | "directory_too_large"
  | "encrypted"
  /** Compressed with a method other than deflate. */
  | "unsupported_method"
  /** Larger than the limit when inflated. */
  | "too_large"
  | "damaged";

/** Why an archive or an entry can't be read. Callers turn it into a message. */
export class ZipError extends Error {
  override readonly name = "ZipError";
  constructor(readonly problem: ZipProblem) {
    super(`ZIP archive: ${problem.replaceAll("_", " ")}`);
  }
}

/** An entry as its header describes it, which may be wrong. */
export interface ZipEntry {
  /** The whole path as stored in the archive, never safe to use as a path. Folders end in `/`. */
  readonly name: string;
  /** Offset of its local header, bytes. */
  readonly at: number;
  readonly packed_bytes: number;
  /** Size after inflating, as stated by the archive. */
  readonly bytes: number;
  readonly method: number;
  /** CRC-32 of the inflated bytes; null when unknown. */
  readonly crc: number | null;
  readonly encrypted: boolean;
  /** It is a symbolic link, as stored by Unix archivers. */
  readonly is_link: boolean;
}

/** The bytes of an archive. At the end, `read` returns fewer bytes than requested. */
export interface ZipSource {
  readonly size: number;
  readonly read: (offset: number, length: number) => Buffer;
}

/** The location of the central directory. */
export interface ZipDirectory {
  /** Offset as stated by the archive, bytes. Too small by `before`. */
  readonly offset: number;
  readonly size: number;
  /** Bytes in front of the archive, such as a self-extractor. */
  readonly before: number;
}

const local_signature = 0x04034b50;
const central_signature = 0x02014b50;
const end_signature = 0x06054b50;
const end64_signature = 0x06064b50;
const locator64_signature = 0x07064b50;
const local_bytes = 30;
const central_bytes = 46;
const end_bytes = 22;
const end64_bytes = 56;
const locator64_bytes = 20;
const comment_bytes_max = 65_535;
/** The default limit for the size of a central directory. */
export const directory_bytes_max = 64 * 2 ** 20;
/** The pieces in which an entry is inflated in memory: as few as its stated size allows. */
const inflated_chunk_min = 1024;
const inflated_chunk_max = 4 * 2 ** 20;
/** This value in a 32-bit field refers to the ZIP64 extra field. */
const in_zip64 = 0xffffffff;
const made_on_unix = 3;
const file_type_mask = 0o170000;
const symbolic_link = 0o120000;
const stored = 0;
const deflated = 8;

/** Reads from an open file descriptor, which the caller closes. */
export function fileSource(file: number): ZipSource {
  const { size } = fstatSync(file);
  const read: ZipSource["read"] = (offset, length) => {
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - offset)));
    for (let filled = 0; filled < buffer.length;) {
      const count = readSync(file, buffer, filled, buffer.length - filled, offset + filled);
      if (count === 0) return buffer.subarray(0, filled);
      filled += count;
    }
    return buffer;
  };
  return { size, read };
}

/** Reads an archive in memory, such as one inside another. */
export function memorySource(bytes: Uint8Array): ZipSource {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    size: archive.length,
    read: (offset, length) => archive.subarray(offset, offset + Math.max(0, length)),
  };
}

/** Finds the central directory by its end record; null when there is none. */
export function findDirectory(source: ZipSource): ZipDirectory | null {
  const start = Math.max(0, source.size - end_bytes - comment_bytes_max);
  const tail = source.read(start, source.size - start);
  for (let at = tail.length - end_bytes; at >= 0; at--) {
    if (tail[at] !== 0x50 || tail.readUInt32LE(at) !== end_signature) continue;
    const size = tail.readUInt32LE(at + 12);
    const offset = tail.readUInt32LE(at + 16);
    const wide = size === in_zip64 || offset === in_zip64;
    return (
      (wide ? findDirectory64(source, start + at) : null) ??
      directoryBefore(start + at, offset, size)
    );
  }
  return null;
}

function findDirectory64(source: ZipSource, end_at: number): ZipDirectory | null {
  if (end_at < locator64_bytes) return null;
  const locator = source.read(end_at - locator64_bytes, locator64_bytes);
  if (locator.readUInt32LE(0) !== locator64_signature) return null;
  const at = Number(locator.readBigUInt64LE(8));
  const record = source.read(at, end64_bytes);
  if (record.length < end64_bytes || record.readUInt32LE(0) !== end64_signature) return null;
  return directoryBefore(
    at,
    Number(record.readBigUInt64LE(48)),
    Number(record.readBigUInt64LE(40)),
  );
}

/** The directory ends where its end record begins; any surplus precedes the archive. */
const directoryBefore = (end_at: number, offset: number, size: number): ZipDirectory => ({
  offset,
  size,
  before: Math.max(0, end_at - size - offset),
});

/**
 * The entries listed in the central directory, in order, up to the first damaged one. Stop
 * iterating to limit their number. @throws ZipError `directory_too_large` above `bytes_max`
 */
export function* readDirectory(
  source: ZipSource,
  { offset, size, before }: ZipDirectory,
  bytes_max = directory_bytes_max,
): Generator<ZipEntry> {
  if (size > bytes_max) throw new ZipError("directory_too_large");
  for (const shift of new Set([before, 0])) {
    let is_found = false;
    for (const entry of entriesIn(source.read(offset + shift, size))) {
      is_found = true;
      yield shift === 0 ? entry : { ...entry, at: entry.at + shift };
    }
    if (is_found) return;
  }
}

function* entriesIn(directory: Buffer): Generator<ZipEntry> {
  for (
    let at = 0;
    at + central_bytes <= directory.length && directory.readUInt32LE(at) === central_signature;
  ) {
    const flags = directory.readUInt16LE(at + 8);
    const name_end = at + central_bytes + directory.readUInt16LE(at + 28);
    const extra_end = name_end + directory.readUInt16LE(at + 30);
    const [bytes, packed_bytes, offset] = zip64Numbers(directory.subarray(name_end, extra_end), [
      directory.readUInt32LE(at + 24),
      directory.readUInt32LE(at + 20),
      directory.readUInt32LE(at + 42),
    ]);
    yield {
      name: decodeName(directory.subarray(at + central_bytes, name_end), flags),
      at: offset!,
      packed_bytes: packed_bytes!,
      bytes: bytes!,
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      encrypted: (flags & 1) !== 0,
      is_link:
        directory[at + 5] === made_on_unix &&
        (directory.readUInt16LE(at + 40) & file_type_mask) === symbolic_link,
    };
    at = extra_end + directory.readUInt16LE(at + 32);
  }
}

/** Numbers that don't fit into 32 bits are in the extra field `0x0001`, in this order. */
function zip64Numbers(extra: Buffer, numbers: readonly number[]): readonly number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let from = at + 4;
    return numbers.map((number) => {
      if (number !== in_zip64 || from + 8 > extra.length) return number;
      from += 8;
      return Number(extra.readBigUInt64LE(from - 8));
    });
  }
  return numbers;
}

const strict_utf8 = new TextDecoder("utf-8", { fatal: true });
/** UTF-8 if the flag says so or the bytes are valid UTF-8, otherwise Latin-1. */
function decodeName(bytes: Buffer, flags: number): string {
  if ((flags & 0x800) !== 0) return bytes.toString("utf8");
  try {
    return strict_utf8.decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}

/**
 * The entries of an archive without a usable directory, such as a truncated one, found by their
 * local headers. Reads the whole source into memory.
 */
export function* scanEntries(source: ZipSource): Generator<ZipEntry> {
  const bytes = source.read(0, source.size);
  for (let at = bytes.indexOf("PK\x03\x04"); at >= 0 && at + local_bytes <= bytes.length;) {
    const flags = bytes.readUInt16LE(at + 6);
    const name_end = at + local_bytes + bytes.readUInt16LE(at + 26);
    const data_at = name_end + bytes.readUInt16LE(at + 28);
    // Sizes and checksum follow the data: the entry ends where the next one begins.
    const streamed = (flags & 8) !== 0;
    const packed_bytes = streamed ? 0 : bytes.readUInt32LE(at + 18);
    const next = bytes.indexOf("PK\x03\x04", data_at + packed_bytes);
    yield {
      name: decodeName(bytes.subarray(at + local_bytes, name_end), flags),
      at,
      packed_bytes: streamed
        ? Math.max(0, (next < 0 ? bytes.length : next) - data_at)
        : packed_bytes,
      bytes: bytes.readUInt32LE(at + 22),
      method: bytes.readUInt16LE(at + 8),
      crc: streamed ? null : bytes.readUInt32LE(at + 14),
      encrypted: (flags & 1) !== 0,
      is_link: false,
    };
    at = next;
  }
}

/**
 * The inflated bytes of an entry, in memory. `intact` is false when the checksum is wrong. @throws
 * ZipError `too_large` above `bytes_max`, `encrypted`, `unsupported_method`, `damaged`
 */
export function readEntry(
  source: ZipSource,
  entry: ZipEntry,
  bytes_max: number,
): { readonly bytes: Uint8Array; readonly intact: boolean } {
  const packed = packedBytes(source, entry, bytes_max);
  const bytes = entry.method === stored ? packed : inflate(packed, entry.bytes, bytes_max);
  return { bytes, intact: entry.crc === null || zlib().crc32(bytes) === entry.crc };
}

function packedBytes(source: ZipSource, entry: ZipEntry, bytes_max: number): Buffer {
  const { packed_bytes, method } = entry;
  const data_at = dataOffset(source, entry);
  if (data_at + packed_bytes > source.size) throw new ZipError("damaged");
  // Deflate adds little to incompressible data.
  if (packed_bytes > bytes_max + bytes_max / 1000 + 1024) throw new ZipError("too_large");
  if (method !== stored && method !== deflated) throw new ZipError("unsupported_method");
  return source.read(data_at, packed_bytes);
}

/** The offset of an entry's data, after its local header, bytes. */
function dataOffset(source: ZipSource, { encrypted, at }: ZipEntry): number {
  if (encrypted) throw new ZipError("encrypted");
  const header = source.read(at, local_bytes);
  if (header.length < local_bytes || header.readUInt32LE(0) !== local_signature)
    throw new ZipError("damaged");
  return at + local_bytes + header.readUInt16LE(26) + header.readUInt16LE(28);
}

/** `bytes` is the stated size, which may be wrong. A piece that is not full is the last one. */
function inflate(packed: Buffer, bytes: number, bytes_max: number): Uint8Array {
  const chunkSize = Math.min(Math.max(bytes + 1, inflated_chunk_min), inflated_chunk_max);
  try {
    return zlib().inflateRawSync(packed, { chunkSize, maxOutputLength: Math.max(1, bytes_max) });
  } catch (error) {
    const too_large = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw new ZipError(too_large ? "too_large" : "damaged");
  }
}

/**
 * The inflated bytes of an entry of the archive at `path`, piece by piece. @throws ZipError
 * `too_large` above `bytes_max`, `encrypted`, `unsupported_method`, `damaged`; `damaged` also when
 * it inflates to more than stated, or when the checksum is wrong
 */
export async function* entryPieces(
  path: string,
  entry: ZipEntry,
  bytes_max: number,
): AsyncGenerator<Buffer> {
  const { packed_bytes, method } = entry;
  const start = dataOffsetIn(path, entry);
  if (method !== stored && method !== deflated) throw new ZipError("unsupported_method");
  const meter = new Meter(entry.bytes, bytes_max);
  const packed =
    packed_bytes === 0
      ? Readable.from([Buffer.alloc(0)])
      : createReadStream(path, { start, end: start + packed_bytes - 1 });
  // An error in one destroys all of them; it is thrown where the last one is read.
  const passed =
    method === stored || packed_bytes === 0
      ? pipeline(packed, meter)
      : pipeline(packed, zlib().createInflateRaw(), meter);
  passed.catch(() => {});
  try {
    yield* meter;
  } catch (error) {
    throw error instanceof ZipError ? error : new ZipError("damaged");
  }
  if (entry.crc !== null && meter.crc !== entry.crc) throw new ZipError("damaged");
}

/**
 * Writes an entry of the archive at `path` into the new file `output`, which is incomplete after a
 * failure. @throws ZipError as `entryPieces`, Error when it can't be written.
 */
export const extractEntry = (
  path: string,
  entry: ZipEntry,
  output: string,
  bytes_max: number,
): Promise<void> => pipeline(entryPieces(path, entry, bytes_max), createWriteStream(output));

function dataOffsetIn(path: string, entry: ZipEntry): number {
  const file = openSync(path, "r");
  try {
    return dataOffset(fileSource(file), entry);
  } finally {
    closeSync(file);
  }
}

/** Counts bytes and stops at the first one above the limit. */
class Meter extends Transform {
  crc = 0;
  private bytes = 0;

  constructor(
    private readonly claimed_bytes: number,
    private readonly bytes_max: number,
  ) {
    super();
  }
  override _transform(
    chunk: Buffer,
    _encoding: string,
    done: (error: Error | null, chunk?: Buffer) => void,
  ): void {
    this.bytes += chunk.length;
    this.crc = zlib().crc32(chunk, this.crc);
    if (this.bytes > this.claimed_bytes) done(new ZipError("damaged"));
    else if (this.bytes > this.bytes_max) done(new ZipError("too_large"));
    else done(null, chunk);
  }
}
