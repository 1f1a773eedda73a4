/**
 * Runs in the child: the parts of a document that is a ZIP archive, by name, with limits on their
 * inflated size. Recovers parts if the directory of the archive is lost.
 */
import { closeSync, openSync } from "node:fs";
import {
  directory_bytes_max,
  fileSource,
  findDirectory,
  memorySource,
  readDirectory,
  readEntry,
  scanEntries,
  ZipError,
  type ZipEntry,
  type ZipSource,
} from "../../../core/lib/zip";
import { ExtractionFailure } from "../contract";

/** Limits of one file. */
export interface ArchiveLimits {
  readonly entries_max: number;
  /** Inflated size of one part, and of all parts read together. */
  readonly entry_bytes_max: number;
  readonly total_bytes_max: number;
}
const file_limits: ArchiveLimits = {
  entries_max: 20_000,
  entry_bytes_max: 64 * 2 ** 20,
  total_bytes_max: 128 * 2 ** 20,
};
/** An archive without a directory is searched for parts up to this size. */
const salvage_bytes_max = 256 * 2 ** 20;
/** Reading a part counts as at least this much, so that reading one a million times ends too. */
const charge_bytes_min = 4096;

/**
 * @throws ExtractionFailure `corrupt` when no part can be found, `too_large` when there are too
 * many
 */
export function openArchive(path: string): Archive {
  const file = openSync(path, "r");
  const close = (): void => closeSync(file);
  try {
    return new Archive(fileSource(file), file_limits, close);
  } catch (error) {
    close();
    throw error;
  }
}

/** An archive inside another one. @throws ExtractionFailure as above */
export const openEmbeddedArchive = (bytes: Uint8Array, limits: ArchiveLimits): Archive =>
  new Archive(memorySource(bytes), limits, () => {});

/** The parts are inflated when they are read, within the limits. */
export class Archive {
  /** In directory order; folders end in `/`, and none begins with one. */
  readonly names: readonly string[];
  /** The directory is lost: these parts were found by their own headers. */
  readonly salvaged: boolean;
  /** The parts that `read` found damaged. */
  readonly damaged = new Set<string>();
  private readonly entries: ReadonlyMap<string, ZipEntry>;
  private readonly entries_lower_case: ReadonlyMap<string, ZipEntry>;
  private bytes_left: number;

  constructor(
    private readonly source: ZipSource,
    private readonly limits: ArchiveLimits,
    readonly close: () => void,
  ) {
    const listed = listEntries(source, limits);
    const entries = listed ?? salvageEntries(source, limits);
    if (entries.length === 0)
      throw new ExtractionFailure("corrupt", "This file is damaged and can't be opened.");
    this.salvaged = listed === null;
    this.entries = new Map(entries.map((entry) => [entry.name, entry]));
    this.entries_lower_case = new Map(entries.map((entry) => [entry.name.toLowerCase(), entry]));
    this.names = [...this.entries.keys()];
    this.bytes_left = limits.total_bytes_max;
  }

  /** Whether there is a part of this name. */
  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  /**
   * The inflated bytes of a part; null if there is no such part, or it is damaged. Without an exact
   * match, case is ignored.
   * @throws ExtractionFailure `encrypted`, `too_large`, `unsupported_type`
   */
  read(name: string): Uint8Array | null {
    const entry = this.find(name);
    if (entry === undefined) return null;
    const bytes = this.inflate(entry);
    this.bytes_left -= Math.max(charge_bytes_min, bytes?.length ?? 0);
    if (this.bytes_left < 0) throw tooLarge();
    return bytes;
  }

  private find(name: string): ZipEntry | undefined {
    return this.entries.get(name) ?? this.entries_lower_case.get(name.toLowerCase());
  }

  private inflate(entry: ZipEntry): Uint8Array | null {
    const bytes_max = Math.min(this.limits.entry_bytes_max, this.bytes_left);
    try {
      const { bytes, intact } = readEntry(this.source, entry, bytes_max);
      if (!intact) this.damaged.add(entry.name);
      return bytes;
    } catch (error) {
      if (!(error instanceof ZipError)) throw error;
      if (error.problem !== "damaged") throw toFailure(error);
      this.damaged.add(entry.name);
      return null;
    }
  }
}

/** The entries of the directory; null if it is missing or damaged. */
function listEntries(source: ZipSource, { entries_max }: ArchiveLimits): ZipEntry[] | null {
  const directory = findDirectory(source);
  if (directory === null || directory.size > source.size) return null;
  if (directory.size > directory_bytes_max) throw tooManyParts();
  const entries = collect(readDirectory(source, directory), entries_max);
  return entries.length === 0 ? null : entries;
}

const salvageEntries = (source: ZipSource, { entries_max }: ArchiveLimits): ZipEntry[] =>
  source.size > salvage_bytes_max ? [] : collect(scanEntries(source), entries_max);

function collect(found: Iterable<ZipEntry>, entries_max: number): ZipEntry[] {
  const entries: ZipEntry[] = [];
  for (const entry of found) {
    entries.push({ ...entry, name: entry.name.replaceAll("\\", "/").replace(/^\/+/, "") });
    if (entries.length > entries_max) throw tooManyParts();
  }
  return entries;
}

const tooManyParts = (): ExtractionFailure =>
  new ExtractionFailure("too_large", "This file has too many parts.");
const tooLarge = (): ExtractionFailure =>
  new ExtractionFailure("too_large", "This file is too large when unpacked.");

function toFailure({ problem }: ZipError): ExtractionFailure {
  if (problem === "encrypted")
    return new ExtractionFailure("encrypted", "This file is protected by a password.");
  if (problem === "too_large") return tooLarge();
  return new ExtractionFailure(
    "unsupported_type",
    "This file is compressed with an unsupported method. Save it again in the program that " +
      "created it.",
  );
}
