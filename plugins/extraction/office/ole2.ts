/** The names in the directory of an OLE2 file: an Office document with a password is such a file, whatever is in it. */
import { closeSync, openSync, readSync } from "node:fs";

const mark = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
export const isOle2 = (head: Uint8Array): boolean => Buffer.from(head.buffer, head.byteOffset, Math.min(8, head.length)).toString("latin1") === mark;

const directory_sectors_max = 64;
/** An Office document since 2007 that is protected by a password. False for everything else. */
export function isEncryptedPackage(path: string): boolean {
  const file = openSync(path, "r");
  try {
    return [...directorySectors(file)].some((sector) => sector.includes(Buffer.from("EncryptedPackage", "utf16le")));
  } finally {
    closeSync(file);
  }
}

/** Follows the chain of sectors that holds the directory. The first 109 parts of the allocation table are named in the header, enough for files of some megabytes; a directory stands near the beginning. */
function* directorySectors(file: number): Generator<Buffer> {
  const header = readAt(file, 0, 512);
  if (header.length < 512) return;
  const shift = header.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) return;
  const bytes = 1 << shift;
  let sector = header.readUInt32LE(48);
  for (let count = 0; count < directory_sectors_max && sector < 0xfffffff0; count++) {
    yield readAt(file, (sector + 1) * bytes, bytes);
    const table = Math.floor(sector / (bytes / 4));
    if (table >= 109) return;
    const next = readAt(file, (header.readUInt32LE(76 + 4 * table) + 1) * bytes + sector % (bytes / 4) * 4, 4);
    if (next.length < 4) return;
    sector = next.readUInt32LE(0);
  }
}
function readAt(file: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(file, buffer, 0, length, position));
}
