/** Runs in the child: lists the files of a ZIP archive, and unpacks one of them within a limit. */
import { closeSync, openSync } from "node:fs";
import {
  directory_bytes_max,
  extractEntry,
  fileSource,
  findDirectory,
  readDirectory,
  ZipError,
  type ZipEntry,
} from "../../../core/lib/zip";
import { InvalidInput } from "./input";

/** The archive to list. */
export interface ZipListInput {
  readonly path: string;
  /** Further files are only counted. */
  readonly entries_max: number;
}
/** Its files, directories left out. */
export interface ZipListOutput {
  readonly entries: readonly ZipEntry[];
  /** The number of files beyond those. */
  readonly omitted: number;
}
/** The file to unpack. `bytes_max` is the most that is written. */
export interface UnzipInput {
  readonly path: string;
  readonly entry: ZipEntry;
  /** Path of the file to write. */
  readonly output: string;
  readonly bytes_max: number;
}

/** Lists files only, not folders. @throws with code `unfit` */
export async function listZip({ path, entries_max }: ZipListInput): Promise<ZipListOutput> {
  const file = openSync(path, "r");
  try {
    const source = fileSource(file);
    const directory = findDirectory(source);
    if (directory === null)
      throw new InvalidInput(
        "This is not a ZIP archive, or it is damaged: its directory can't be found.",
      );
    const entries: ZipEntry[] = [];
    let omitted = 0;
    for (const entry of readDirectory(source, directory)) {
      if (/[/\\]$/.test(entry.name)) continue;
      if (entries.length < entries_max) entries.push(entry);
      else omitted++;
    }
    return { entries, omitted };
  } catch (error) {
    throw toFailure(error, 0);
  } finally {
    closeSync(file);
  }
}

/** @throws with code `unfit` when the entry is encrypted, damaged or too large. */
export async function unzip({ path, entry, output, bytes_max }: UnzipInput): Promise<null> {
  try {
    await extractEntry(path, entry, output, bytes_max);
    return null;
  } catch (error) {
    throw toFailure(error, bytes_max);
  }
}

/** Describes the reader's errors in words. */
function toFailure(error: unknown, bytes_max: number): unknown {
  if (!(error instanceof ZipError)) return error;
  switch (error.problem) {
    case "directory_too_large":
      return new InvalidInput(
        `The directory of the archive is larger than the limit of ${directory_bytes_max} ` +
          "bytes.",
      );
    case "encrypted":
      return new InvalidInput("This file in the archive is protected by a password.");
    case "unsupported_method":
      return new InvalidInput("This file in the archive is compressed with an unsupported method.");
    case "too_large":
      return new InvalidInput(
        `Unpacked, this file in the archive is larger than the limit of ${bytes_max} bytes.`,
      );
    case "damaged":
      return new InvalidInput("This file in the archive is damaged.");
  }
}
