/** The headers of ZIP archives, always with ZIP64 fields. */

const descriptor_bytes = 24;
const local_bytes = 30;
const central_bytes = 46;
const local_extra_bytes = 20;
const central_extra_bytes = 28;
const end64_bytes = 56;
const locator64_bytes = 20;
const end_bytes = 22;
/** Requires a reader with ZIP64. */
const version_needed = 45;
const utf8_names = 0x800;
/** A constant date, the first of the format: archives with the same content are identical. */
const first_day = 0x21;
const in_zip64 = 0xffffffff;
const count_in_zip64 = 0xffff;

/** What a header says about the data of an entry. */
export interface ZipSizes {
  /** Before compression. */
  readonly bytes: number;
  readonly packed_bytes: number;
  /** CRC-32 of the uncompressed bytes. */
  readonly crc: number;
}

/** How the data of an entry is stored. */
export interface ZipEntryKind {
  readonly deflated: boolean;
  /** Sizes and checksum follow the data in a descriptor, because they are not known before. */
  readonly sizes_follow: boolean;
}
const sizes_follow_flag = 8;

/** The header in front of an entry's data. Its length doesn't depend on the sizes. */
export function localHeader(name: string, kind: ZipEntryKind, sizes: ZipSizes): Buffer {
  const name_bytes = Buffer.from(name, "utf8");
  const head = Buffer.alloc(local_bytes + local_extra_bytes);
  head.write("PK\x03\x04", 0, "latin1");
  head.writeUInt16LE(version_needed, 4);
  writeKind(head, 6, kind, kind.sizes_follow ? 0 : sizes.crc);
  head.writeUInt16LE(name_bytes.length, 26);
  head.writeUInt16LE(local_extra_bytes, 28);
  writeExtra(head, local_bytes, [sizes.bytes, sizes.packed_bytes]);
  return Buffer.concat([head.subarray(0, local_bytes), name_bytes, head.subarray(local_bytes)]);
}

/** The header of an entry in the central directory. `at` is the offset of its local header. */
export function centralHeader(
  name: string,
  kind: ZipEntryKind,
  sizes: ZipSizes,
  at: number,
): Buffer {
  const name_bytes = Buffer.from(name, "utf8");
  const head = Buffer.alloc(central_bytes + central_extra_bytes);
  head.write("PK\x01\x02", 0, "latin1");
  head.writeUInt16LE(version_needed, 4);
  head.writeUInt16LE(version_needed, 6);
  writeKind(head, 8, kind, sizes.crc);
  head.writeUInt16LE(name_bytes.length, 28);
  head.writeUInt16LE(central_extra_bytes, 30);
  head.writeUInt32LE(in_zip64, 42);
  writeExtra(head, central_bytes, [sizes.bytes, sizes.packed_bytes, at]);
  return Buffer.concat([head.subarray(0, central_bytes), name_bytes, head.subarray(central_bytes)]);
}

/** The fields from the flags to the sizes, which both headers share. */
function writeKind(
  head: Buffer,
  at: number,
  { deflated, sizes_follow }: ZipEntryKind,
  crc: number,
): void {
  head.writeUInt16LE(utf8_names | (sizes_follow ? sizes_follow_flag : 0), at);
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

/** Follows the data of an entry when sizes are not known before. */
export function descriptor({ bytes, packed_bytes, crc }: ZipSizes): Buffer {
  const head = Buffer.alloc(descriptor_bytes);
  head.write("PK\x07\x08", 0, "latin1");
  head.writeUInt32LE(crc, 4);
  head.writeBigUInt64LE(BigInt(packed_bytes), 8);
  head.writeBigUInt64LE(BigInt(bytes), 16);
  return head;
}

/**
 * The records after the central directory: of `count` entries in `size` bytes, at the offset `at`.
 */
export function endRecords(count: number, at: number, size: number): Buffer {
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
