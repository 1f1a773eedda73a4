/**
 * Runs in the child: reads streams of compound files (OLE2), the container of Office files before
 * 2007, which resembles a small file system.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { ExtractionFailure } from "../contract";

/** The first bytes of every compound file, in Latin-1. */
export const compound_signature = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

const header_bytes = 512;
const entry_bytes = 128;
/** Higher sector numbers are special values, such as the end of a chain or a free sector. */
const sectors_max = 0xfffffffa;
const no_entry = 0xffffffff;
const entries_max = 100_000;
/** Limits for a stream, and for the sector table. */
const stream_bytes_max = 256 * 1024 * 1024;

interface Entry {
  readonly name: string;
  readonly kind: number;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly start: number;
  readonly size: number;
}
/**
 * Sectors of one size: those of the file itself, or those of the mini stream, which holds small
 * streams. `next` is the sector table: which sector follows each.
 */
interface SectorSpace {
  readonly sector_bytes: number;
  readonly next: Uint32Array;
  readonly read: (sector: number, into: Uint8Array) => boolean;
}

/**
 * Access to the bytes of a file. `read` fills the buffer from this position as far as possible, and
 * returns the number of bytes.
 */
interface Source {
  readonly size_bytes: number;
  readonly read: (into: Uint8Array, position: number) => number;
}

/** Streams by name. A damaged directory or chain yields what can be read. */
export class CompoundFile {
  private readonly size_bytes: number;
  private readonly header: DataView;
  private readonly large: SectorSpace;
  private readonly entries: readonly Entry[];
  private small: SectorSpace | undefined;

  /** @throws ExtractionFailure `corrupt` */
  constructor(source: Source) {
    this.size_bytes = source.size_bytes;
    this.header = new DataView(new ArrayBuffer(header_bytes));
    if (source.read(new Uint8Array(this.header.buffer), 0) < header_bytes) throw damagedFile();
    const shift = this.header.getUint16(30, true);
    if (shift !== 9 && shift !== 12) throw damagedFile();
    const sector_bytes = 1 << shift;
    const read: SectorSpace["read"] = (sector, into) =>
      source.read(into, (sector + 1) * sector_bytes) > 0;
    this.large = {
      sector_bytes,
      read,
      next: readSectorTable(
        this.header,
        { sector_bytes, read },
        Math.ceil(this.size_bytes / sector_bytes),
      ),
    };
    this.entries = entriesOf(
      this.chain(this.large, this.header.getUint32(48, true), entries_max * entry_bytes),
    );
    if (this.entries[0]?.kind !== 5) throw damagedFile();
  }

  /** The names in the root. */
  names(): string[] {
    return this.root().map(({ name }) => name);
  }
  /** Whether the root has this name, ignoring case. */
  has(name: string): boolean {
    return this.root().some((entry) => sameName(entry.name, name));
  }

  /**
   * The bytes of a stream in the root, or in a folder of it; null if there is none.
   * @throws ExtractionFailure `corrupt`, `too_large`
   */
  stream(name: string, folder?: string): Uint8Array | null {
    const place =
      folder === undefined
        ? this.entries[0]
        : this.root().find((entry) => entry.kind === 1 && sameName(entry.name, folder));
    const found =
      place &&
      this.entriesIn(place).find((entry) => entry.kind === 2 && sameName(entry.name, name));
    if (found === undefined) return null;
    if (found.size > stream_bytes_max)
      throw found.size > this.size_bytes
        ? damagedFile()
        : new ExtractionFailure(
            "too_large",
            "This file contains more text and tables than can be read.",
          );
    const small = found.size < this.header.getUint32(56, true);
    return this.chain(small ? this.miniSpace() : this.large, found.start, found.size);
  }

  private root(): Entry[] {
    return this.entriesIn(this.entries[0]!);
  }
  private entriesIn({ child }: Entry): Entry[] {
    const entries: Entry[] = [];
    const visited = new Set<number>();
    const left = [child];
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      const entry = this.entries[at];
      if (entry === undefined || visited.has(at)) continue;
      visited.add(at);
      entries.push(entry);
      for (const next of [entry.left, entry.right]) if (next !== no_entry) left.push(next);
    }
    return entries;
  }

  private miniSpace(): SectorSpace {
    if (this.small) return this.small;
    const table = this.chain(
      this.large,
      this.header.getUint32(60, true),
      Math.min(stream_bytes_max, this.size_bytes),
    );
    const { start, size } = this.entries[0]!;
    const bytes = this.chain(this.large, start, Math.min(size, this.size_bytes));
    const sector_bytes = 64;
    const read: SectorSpace["read"] = (sector, into) => {
      const from = sector * sector_bytes;
      into.set(bytes.subarray(from, from + sector_bytes));
      return from < bytes.length;
    };
    return (this.small = { sector_bytes, next: numbersOf(table), read });
  }

  /**
   * The bytes of a chain of sectors, at most `size`.
   * @throws ExtractionFailure `corrupt` when the chain leaves the file
   */
  private chain(
    { sector_bytes, next, read }: SectorSpace,
    start: number,
    size: number,
  ): Uint8Array {
    const longest = Math.min(Math.ceil(size / sector_bytes), next.length);
    const sectors: number[] = [];
    for (
      let sector = start;
      sectors.length < longest && sector < sectors_max;
      sector = next[sector] ?? no_entry
    ) {
      sectors.push(sector);
    }
    const bytes = new Uint8Array(sectors.length * sector_bytes);
    sectors.forEach((sector, at) => {
      if (!read(sector, bytes.subarray(at * sector_bytes, (at + 1) * sector_bytes)))
        throw damagedFile();
    });
    return bytes.subarray(0, Math.min(size, bytes.length));
  }
}

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Opens a file while `use` runs. */
export function withCompoundFile<T>(path: string, use: (compound: CompoundFile) => T): T {
  const file = openSync(path, "r");
  const read: Source["read"] = (into, position) => readSync(file, into, 0, into.length, position);
  try {
    return use(new CompoundFile({ size_bytes: fstatSync(file).size, read }));
  } finally {
    closeSync(file);
  }
}
/** A compound file in memory. @throws ExtractionFailure `corrupt` */
export const openCompoundFile = (bytes: Uint8Array): CompoundFile =>
  new CompoundFile({
    size_bytes: bytes.length,
    read: (into, position) => {
      const sector = bytes.subarray(position, position + into.length);
      into.set(sector);
      return sector.length;
    },
  });

/** The failure of a file whose streams can't be found. */
export const damagedFile = (): ExtractionFailure =>
  new ExtractionFailure("corrupt", "This file is damaged: its contents can't be found.");

/** The sector table. Its own sectors are listed in the header, and then in a chain. */
function readSectorTable(
  header: DataView,
  { sector_bytes, read }: Pick<SectorSpace, "sector_bytes" | "read">,
  file_sectors: number,
): Uint32Array {
  const needed = Math.ceil(file_sectors / (sector_bytes / 4));
  const places: number[] = [];
  const add = (place: number): void => {
    if (place < sectors_max && places.length < needed) places.push(place);
  };
  for (let at = 76; at < header_bytes; at += 4) add(header.getUint32(at, true));
  const list = new Uint8Array(sector_bytes);
  let sector = header.getUint32(68, true);
  for (
    let turns = 0;
    turns < needed && places.length < needed && sector < sectors_max && read(sector, list);
    turns++
  ) {
    const numbers = numbersOf(list);
    numbers.subarray(0, -1).forEach(add);
    sector = numbers.at(-1)!;
  }
  const table = new Uint8Array(places.length * sector_bytes);
  places.forEach((place, at) => {
    if (!read(place, table.subarray(at * sector_bytes, (at + 1) * sector_bytes)))
      throw damagedFile();
  });
  return numbersOf(table);
}

function numbersOf(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Uint32Array.from({ length: bytes.length >> 2 }, (_, at) => view.getUint32(4 * at, true));
}

function entriesOf(bytes: Uint8Array): Entry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const decoder = new TextDecoder("utf-16le");
  return Array.from({ length: Math.floor(bytes.length / entry_bytes) }, (_, index) => {
    const at = index * entry_bytes;
    const name_bytes = Math.min(64, Math.max(2, view.getUint16(at + 64, true))) - 2;
    const number = (offset: number): number => view.getUint32(at + offset, true);
    return {
      name: decoder.decode(bytes.subarray(at, at + name_bytes)),
      kind: bytes[at + 66]!,
      left: number(68),
      right: number(72),
      child: number(76),
      start: number(116),
      size: number(120),
    };
  });
}
