/** The text that children have written to files. A long one is read in parts. */
import { open } from "node:fs/promises";
import type { ExtractionOptions } from "../contract";

/** The first `bytes` of a file, UTF-8. */
export interface WrittenFile {
  readonly path: string;
  readonly bytes: number;
}

/** A text of more bytes is long. */
const long_bytes_min = 2 ** 20;
const part_bytes = 256 * 1024;

/** How a text is handed over. */
export interface HandOverOptions {
  readonly takeLong: ExtractionOptions["takeLong"];
  /** Separator between two files. */
  readonly separator?: string;
  /** Turns a chunk into text. */
  readonly shorten?: (parts: AsyncIterable<string>) => AsyncIterable<string>;
}

/** The text of these files; empty if it is long and was passed on in parts. */
export async function handOver(
  files: readonly WrittenFile[],
  { takeLong, separator = "", shorten = (parts) => parts }: HandOverOptions,
): Promise<string> {
  const units_max = files.reduce((sum, { bytes }) => sum + bytes + separator.length, 0);
  const parts = shorten(partsOf(files, separator));
  if (takeLong !== undefined && units_max > long_bytes_min) {
    await takeLong({ units_max, parts });
    return "";
  }
  return (await Array.fromAsync(parts)).join("");
}

async function* partsOf(
  files: readonly WrittenFile[],
  separator: string,
): AsyncGenerator<string, void> {
  const buffer = new Uint8Array(part_bytes);
  for (const [index, { path, bytes }] of files.entries()) {
    if (index > 0) yield separator;
    await using file = await open(path);
    const utf8 = decoder();
    for (let at = 0; at < bytes;) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(part_bytes, bytes - at), at);
      if (bytesRead === 0) break;
      at += bytesRead;
      yield utf8.decode(buffer.subarray(0, bytesRead), { stream: true });
    }
    yield utf8.decode();
  }
}

/** A leading U+FEFF is kept, because readers report positions in their text. */
const decoder = (): TextDecoder => new TextDecoder("utf-8", { ignoreBOM: true });
