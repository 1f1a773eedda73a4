/**
 * The child's part of reading a ZIP archive: lists its entries, and unpacks one of them within a
 * limit that no header can talk its way around.
 */
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fstatSync,
  openSync,
  readSync,
} from "node:fs";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32, createInflateRaw } from "node:zlib";
import { wideNumbers } from "../../../core/sdk";

export interface ZipListInput {
  readonly path: string;
  readonly entries_max: number;
}
export interface ZipEntry {
  /** Its whole path, as it is written. */
  readonly name: string;
  /** Where its own header begins, and what the directory says of it. */
  readonly at: number;
  readonly packed_bytes: number;
  readonly bytes: number;
  readonly method: number;
  readonly crc: number;
  readonly encrypted: boolean;
}
export interface ZipListOutput {
  readonly entries: readonly ZipEntry[];
  readonly left: number;
}
export interface UnzipInput {
  readonly path: string;
  readonly entry: ZipEntry;
  readonly output: string;
  readonly bytes_max: number;
}

class Unfit extends Error {
  readonly code = "unfit";
}

const local_header = 0x04034b50,
  central_header = 0x02014b50,
  end_record = 0x06054b50,
  end64_record = 0x06064b50,
  end64_locator = 0x07064b50;
const local_bytes = 30,
  central_bytes = 46,
  end_bytes = 22,
  comment_bytes_max = 65_535;
const directory_bytes_max = 64 * 2 ** 20;

/** Files only; folders are no entries of their own. @throws with code `unfit` */
export async function listZip({ path, entries_max }: ZipListInput): Promise<ZipListOutput> {
  const file = openSync(path, "r");
  try {
    const size = fstatSync(file).size;
    const at = (offset: number, length: number): Buffer =>
      readAt(file, offset, Math.max(0, Math.min(length, size - offset)));
    const end = endOf(at, size);
    if (end === null)
      throw new Unfit("This is not a ZIP archive, or it is damaged: its directory can't be found.");
    if (end.bytes > directory_bytes_max)
      throw new Unfit(
        `The directory of the archive is larger than ${directory_bytes_max} bytes, the most that is read.`,
      );
    // Something may stand before the archive: then every offset is too small by as much.
    const before = Math.max(0, end.at - end.bytes - end.offset);
    return entriesOf(at(end.offset + before, end.bytes), before, entries_max);
  } finally {
    closeSync(file);
  }
}

type At = (offset: number, length: number) => Buffer;
function readAt(file: number, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  let have = 0;
  for (let read = 1; have < length && read > 0; have += read)
    read = readSync(file, buffer, have, length - have, offset + have);
  return buffer.subarray(0, have);
}

/** Where the directory lies; `at` is where the record behind it begins. */
function endOf(
  at: At,
  size: number,
): { readonly at: number; readonly offset: number; readonly bytes: number } | null {
  const start = Math.max(0, size - end_bytes - comment_bytes_max);
  const tail = at(start, size - start);
  for (let from = tail.length - end_bytes; from >= 0; from--) {
    if (tail.readUInt32LE(from) !== end_record) continue;
    const [bytes, offset] = [tail.readUInt32LE(from + 12), tail.readUInt32LE(from + 16)];
    const locator = at(start + from - 20, 20);
    if (
      (bytes === 0xffffffff || offset === 0xffffffff) &&
      start + from >= 20 &&
      locator.readUInt32LE(0) === end64_locator
    ) {
      const wide_at = Number(locator.readBigUInt64LE(8));
      const record = at(wide_at, 56);
      if (record.length === 56 && record.readUInt32LE(0) === end64_record)
        return {
          at: wide_at,
          bytes: Number(record.readBigUInt64LE(40)),
          offset: Number(record.readBigUInt64LE(48)),
        };
    }
    return { at: start + from, offset, bytes };
  }
  return null;
}

function entriesOf(directory: Buffer, before: number, entries_max: number): ZipListOutput {
  const entries: ZipEntry[] = [];
  let left = 0;
  for (
    let at = 0;
    at + central_bytes <= directory.length && directory.readUInt32LE(at) === central_header;
  ) {
    const [flags, method] = [directory.readUInt16LE(at + 8), directory.readUInt16LE(at + 10)];
    const name_end = at + central_bytes + directory.readUInt16LE(at + 28);
    const extra_end = name_end + directory.readUInt16LE(at + 30);
    const name = nameOf(directory.subarray(at + central_bytes, name_end), (flags & 0x800) !== 0);
    const [bytes, packed_bytes, offset] = wideNumbers(directory.subarray(name_end, extra_end), [
      directory.readUInt32LE(at + 24),
      directory.readUInt32LE(at + 20),
      directory.readUInt32LE(at + 42),
    ]);
    if (!/[/\\]$/.test(name)) {
      if (entries.length < entries_max)
        entries.push({
          name,
          at: offset! + before,
          packed_bytes: packed_bytes!,
          bytes: bytes!,
          method,
          crc: directory.readUInt32LE(at + 16),
          encrypted: (flags & 1) === 1,
        });
      else left++;
    }
    at = extra_end + directory.readUInt16LE(at + 32);
  }
  return { entries, left };
}

/** UTF-8 where it says so or reads so; what old programs wrote otherwise reads as Latin. */
function nameOf(bytes: Buffer, is_utf8: boolean): string {
  if (is_utf8) return bytes.toString("utf8");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}

/** @throws with code `unfit` when it is protected, damaged or too large. */
export async function unzip({ path, entry, output, bytes_max }: UnzipInput): Promise<null> {
  if (entry.encrypted) throw new Unfit("This file of the archive is protected by a password.");
  if (entry.method !== 0 && entry.method !== 8)
    throw new Unfit("This file of the archive is packed in a way that can't be read.");
  const file = openSync(path, "r");
  const header = readAt(file, entry.at, local_bytes);
  closeSync(file);
  if (header.length < local_bytes || header.readUInt32LE(0) !== local_header) throw damaged();
  const start = entry.at + local_bytes + header.readUInt16LE(26) + header.readUInt16LE(28);
  let [bytes, crc] = [0, 0];
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      crc = crc32(chunk, crc);
      if (bytes > entry.bytes) return done(damaged());
      done(
        bytes > bytes_max
          ? new Unfit(
              `Unpacked, this file of the archive is larger than ${bytes_max} bytes, the most that is accepted.`,
            )
          : null,
        chunk,
      );
    },
  });
  const to = createWriteStream(output);
  try {
    if (entry.packed_bytes === 0) await pipeline([Buffer.alloc(0)], counting, to);
    else {
      const from = createReadStream(path, { start, end: start + entry.packed_bytes - 1 });
      await (entry.method === 0
        ? pipeline(from, counting, to)
        : pipeline(from, createInflateRaw(), counting, to));
    }
  } catch (error) {
    throw error instanceof Unfit ? error : damaged();
  }
  if (crc !== entry.crc) throw damaged();
  return null;
}

const damaged = (): Unfit => new Unfit("This file of the archive is damaged.");
