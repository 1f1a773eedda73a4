/**
 * The model files on disk. The bundled model is unpacked into the data directory, because only a
 * separate file can be mapped, and shared by all workers.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { packedParts } from "../../core/lib/packed-file";

/** A model file that should exist. */
export interface ModelFile {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256, hexadecimal. */
  readonly sha256: string;
  /** Its packed source in the executable; null for a model that an operator added. */
  readonly source: string | null;
}
/** The problem when a file is missing. */
export const missing = "is missing";
const copy_bytes = 4 * 2 ** 20;

/** The problem of a file, phrased to follow its name; null if there is none. */
export function problemOf(
  { path, bytes, sha256 }: ModelFile,
  { with_hash }: { with_hash: boolean },
): string | null {
  if (!existsSync(path)) return missing;
  const { size } = statSync(path);
  if (size !== bytes) return `is damaged: it has ${size} bytes, not ${bytes}`;
  return with_hash && hashOf(Bun.mmap(path)) !== sha256
    ? "is damaged: its SHA-256 does not match"
    : null;
}

/** SHA-256, as hexadecimal digits. */
export const hashOf = (data: Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(data).digest("hex");

/** The copy is complete or absent afterwards. */
export const copyModel = (from: string, to: string): Promise<void> => writeModel(partsOf(from), to);

/** The same for the bundled model. */
export const unpackModel = (from: string, to: string): Promise<void> =>
  writeModel(packedParts(from), to);

async function writeModel(parts: AsyncIterable<Uint8Array>, to: string): Promise<void> {
  const directory = dirname(to);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // Left by a process that was killed while copying.
  for (const leftover of readdirSync(directory))
    if (leftover.startsWith(`${basename(to)}.`) && leftover.endsWith(".part"))
      rmSync(join(directory, leftover), { force: true });
  const temporary = `${to}.${process.pid}.part`;
  const file = openSync(temporary, "w", 0o600);
  try {
    for await (const part of parts)
      for (let at = 0; at < part.length;) at += writeSync(file, part, at);
    fsyncSync(file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(temporary, to);
  syncDirectory(directory);
}

/** The same for a short text. */
export function writeDurably(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.part`;
  const file = openSync(temporary, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  syncDirectory(dirname(path));
}

function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** The whole bundled model in shared memory of the workers. */
export async function unpackShared(path: string, bytes: number): Promise<SharedArrayBuffer> {
  const shared = new SharedArrayBuffer(bytes);
  const data = new Uint8Array(shared);
  let at = 0;
  for await (const part of packedParts(path)) {
    data.set(part, at);
    at += part.length;
  }
  return shared;
}

/** Read in parts: at once, the file would take its size in memory. */
async function* partsOf(path: string): AsyncGenerator<Uint8Array> {
  const file = Bun.file(path);
  for (let at = 0; at < file.size; at += copy_bytes)
    yield await file.slice(at, Math.min(at + copy_bytes, file.size)).bytes();
}
