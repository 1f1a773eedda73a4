/**
 * Reads single entries of a ZIP archive, within limits that no header can talk its way around;
 * finds entries again when the directory is lost.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32, inflateRawSync } from "node:zlib";
import { wideNumbers } from "../../../core/sdk";
import { ExtractionFailure } from "../contract";

export interface ZipLimits {
  readonly entries_max: number;
  /** Inflated, for one entry and for all that are read. */
  readonly entry_bytes_max: number;
  readonly total_bytes_max: number;
}
export const zip_limits: ZipLimits = {
  entries_max: 20_000,
  entry_bytes_max: 64 * 1024 * 1024,
  total_bytes_max: 128 * 1024 * 1024,
};

interface Entry {
  readonly name: string;
  readonly encrypted: boolean;
  readonly method: number;
  /** Null when it was not written down. */
  readonly crc: number | null;
  readonly packed_bytes: number;
  /** Where its local header begins. */
  readonly offset: number;
}
export interface Archive {
  /** In the order of the directory; with `/` between folders and none in front. */
  readonly names: readonly string[];
  /** The directory is lost: these entries were found one by one. */
  readonly salvaged: boolean;
  /** The entries that `read` found damaged. */
  readonly damaged: ReadonlySet<string>;
  readonly has: (name: string) => boolean;
  /**
   * Null when there is no such entry, or when it is damaged. Upper and lower case count as the same
   * where nothing fits exactly. @throws ExtractionFailure `encrypted`, `too_large`,
   * `unsupported_type`
   */
  readonly read: (name: string) => Uint8Array | null;
  readonly close: () => void;
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
const directory_bytes_max = 64 * 1024 * 1024;
/** An archive without its directory is searched up to this size. */
const salvage_bytes_max = 256 * 1024 * 1024;
/** What reading an entry counts at least, so that naming the same one a million times ends too. */
const charge_bytes_min = 4096;

/**
 * @throws ExtractionFailure `corrupt` when no entry can be found, `too_large` when there are too
 * many
 */
export function openZip(path: string, limits: ZipLimits = zip_limits): Archive {
  const file = openSync(path, "r");
  try {
    return archiveOf(readerOf(file), () => closeSync(file), limits);
  } catch (error) {
    closeSync(file);
    throw error;
  }
}
/** An archive that lies inside another. @throws ExtractionFailure as above */
export function openZipIn(archive: Uint8Array, limits: ZipLimits): Archive {
  const all = Buffer.from(archive.buffer, archive.byteOffset, archive.length);
  return archiveOf(
    {
      size: all.length,
      at: (offset, length) => all.subarray(offset, offset + Math.max(0, length)),
    },
    () => {},
    limits,
  );
}

interface Bytes {
  readonly size: number;
  readonly at: (offset: number, length: number) => Buffer;
}
/** Reads what is there; less than asked for at the end of the file. */
function readerOf(file: number): Bytes {
  const { size } = fstatSync(file);
  const at: Bytes["at"] = (offset, length) => {
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - offset)));
    for (let have = 0; have < buffer.length;) {
      const read = readSync(file, buffer, have, buffer.length - have, offset + have);
      if (read === 0) return buffer.subarray(0, have);
      have += read;
    }
    return buffer;
  };
  return { size, at };
}

function archiveOf(bytes: Bytes, close: () => void, limits: ZipLimits): Archive {
  const listed = directoryOf(bytes, limits);
  const entries = listed ?? salvage(bytes, limits);
  if (entries.length === 0)
    throw new ExtractionFailure("corrupt", "This file is damaged and can't be opened.");
  const exact = new Map(entries.map((entry) => [entry.name, entry]));
  const folded = new Map(entries.map((entry) => [entry.name.toLowerCase(), entry]));
  const damaged = new Set<string>();
  let left_bytes = limits.total_bytes_max;
  const find = (name: string): Entry | undefined =>
    exact.get(name) ?? folded.get(name.toLowerCase());
  const read: Archive["read"] = (name) => {
    const entry = find(name);
    if (!entry) return null;
    const inflated = contentOf(entry, bytes, Math.min(limits.entry_bytes_max, left_bytes));
    left_bytes -= Math.max(charge_bytes_min, inflated?.length ?? 0);
    if (left_bytes < 0) throw tooLarge();
    if (inflated === null || (entry.crc !== null && crc32(inflated) !== entry.crc))
      damaged.add(entry.name);
    return inflated;
  };
  return {
    names: [...exact.keys()],
    salvaged: listed === null,
    damaged,
    has: (name) => find(name) !== undefined,
    read,
    close,
  };
}

const tooLarge = (): ExtractionFailure =>
  new ExtractionFailure("too_large", "Unpacked, this file is too large to be read.");

/** The inflated bytes; null when they are damaged. */
function contentOf(entry: Entry, bytes: Bytes, bytes_max: number): Uint8Array | null {
  if (entry.encrypted)
    throw new ExtractionFailure("encrypted", "This file is protected by a password.");
  const header = bytes.at(entry.offset, local_bytes);
  if (header.length < local_bytes || header.readUInt32LE(0) !== local_header) return null;
  const start = entry.offset + local_bytes + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (start + entry.packed_bytes > bytes.size) return null;
  if (entry.packed_bytes > bytes_max + bytes_max / 1000 + 1024) throw tooLarge();
  const packed = bytes.at(start, entry.packed_bytes);
  if (entry.method === 0) return packed;
  if (entry.method !== 8)
    throw new ExtractionFailure(
      "unsupported_type",
      "This file is packed in a way that can't be read. Save it again with the program it comes " +
        "from.",
    );
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, bytes_max) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
    return null;
  }
}

/** The entries that the directory at the end lists; null when there is no sound directory. */
function directoryOf(bytes: Bytes, limits: ZipLimits): Entry[] | null {
  const end = endOf(bytes);
  if (end === null || end.size > bytes.size) return null;
  if (end.size > directory_bytes_max) throw tooMany();
  // Something may stand before the archive: then every offset is too small by as much.
  const before = Math.max(0, end.at - end.size - end.offset);
  for (const shift of new Set([0, before])) {
    const entries = entriesOf(bytes.at(end.offset + shift, end.size), shift, limits);
    if (entries.length > 0) return entries;
  }
  return null;
}
const tooMany = (): ExtractionFailure =>
  new ExtractionFailure("too_large", "This file has too many parts to be read.");

/** Where the directory lies: `at` is where its end record begins. */
function endOf(bytes: Bytes): { at: number; offset: number; size: number } | null {
  const start = Math.max(0, bytes.size - end_bytes - comment_bytes_max);
  const tail = bytes.at(start, bytes.size - start);
  for (let at = tail.length - end_bytes; at >= 0; at--) {
    if (tail[at] !== 0x50 || tail.readUInt32LE(at) !== end_record) continue;
    const [size, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
    return (
      (size === 0xffffffff || offset === 0xffffffff ? end64Of(bytes, start + at) : null) ?? {
        at: start + at,
        offset,
        size,
      }
    );
  }
  return null;
}
function end64Of(bytes: Bytes, end: number): { at: number; offset: number; size: number } | null {
  const locator = bytes.at(end - 20, 20);
  if (end < 20 || locator.length < 20 || locator.readUInt32LE(0) !== end64_locator) return null;
  const at = Number(locator.readBigUInt64LE(8));
  const record = bytes.at(at, 56);
  if (record.length < 56 || record.readUInt32LE(0) !== end64_record) return null;
  return {
    at,
    size: Number(record.readBigUInt64LE(40)),
    offset: Number(record.readBigUInt64LE(48)),
  };
}

function entriesOf(directory: Buffer, shift: number, { entries_max }: ZipLimits): Entry[] {
  const entries: Entry[] = [];
  for (
    let at = 0;
    at + central_bytes <= directory.length && directory.readUInt32LE(at) === central_header;
  ) {
    const [name_bytes, extra_bytes, comment_bytes] = [
      directory.readUInt16LE(at + 28),
      directory.readUInt16LE(at + 30),
      directory.readUInt16LE(at + 32),
    ];
    const extra_at = at + central_bytes + name_bytes;
    const wide = wideNumbers(directory.subarray(extra_at, extra_at + extra_bytes), [
      directory.readUInt32LE(at + 24),
      directory.readUInt32LE(at + 20),
      directory.readUInt32LE(at + 42),
    ]);
    entries.push({
      name: nameOf(directory.subarray(at + central_bytes, extra_at)),
      encrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      packed_bytes: wide[1]!,
      offset: wide[2]! + shift,
    });
    if (entries.length > entries_max) throw tooMany();
    at = extra_at + extra_bytes + comment_bytes;
  }
  return entries;
}
/** Old writers name entries in CP437; the parts of documents have ASCII names. */
const nameOf = (bytes: Buffer): string =>
  bytes.toString("utf8").replaceAll("\\", "/").replace(/^\/+/, "");

/**
 * Every entry whose own header can be found, although the directory is lost, as in a file that was
 * cut off.
 */
function salvage(bytes: Bytes, { entries_max }: ZipLimits): Entry[] {
  if (bytes.size > salvage_bytes_max) return [];
  const all = bytes.at(0, bytes.size);
  const entries: Entry[] = [];
  for (let at = all.indexOf("PK\x03\x04"); at >= 0 && at + local_bytes <= all.length;) {
    const flags = all.readUInt16LE(at + 6);
    const name_end = at + local_bytes + all.readUInt16LE(at + 26);
    const data = name_end + all.readUInt16LE(at + 28);
    const unknown = (flags & 8) !== 0; // The size stands behind the data.
    const next = all.indexOf("PK\x03\x04", unknown ? data : data + all.readUInt32LE(at + 18));
    entries.push({
      name: nameOf(all.subarray(at + local_bytes, name_end)),
      encrypted: (flags & 1) === 1,
      method: all.readUInt16LE(at + 8),
      crc: unknown ? null : all.readUInt32LE(at + 14),
      packed_bytes: unknown
        ? Math.max(0, (next < 0 ? all.length : next) - data)
        : all.readUInt32LE(at + 18),
      offset: at,
    });
    if (entries.length > entries_max) throw tooMany();
    at = next;
  }
  return entries;
}
