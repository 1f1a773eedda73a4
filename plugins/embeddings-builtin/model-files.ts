/**
 * The models on the disk. The one that the executable brings is copied into the data directory,
 * because only a file of its own can be mapped, and by all workers together.
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

/** A model as a file that should be there. */
export interface ModelFile {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256, hexadecimal. */
  readonly sha256: string;
  /** Where it can be copied from, in the executable; null for one that an operator added. */
  readonly source: string | null;
}
/** What is wrong with a file that is not there yet. */
export const missing = "is missing";
const copied_at_once = 4 * 2 ** 20;

/** What is wrong with the file, to follow its name; null when nothing is. */
export function problemOf(
  { path, bytes, sha256 }: ModelFile,
  { with_hash }: { with_hash: boolean },
): string | null {
  if (!existsSync(path)) return missing;
  const { size } = statSync(path);
  if (size !== bytes) return `is damaged: it has ${size} bytes, not ${bytes}`;
  return with_hash && hashOf(Bun.mmap(path)) !== sha256
    ? "is damaged: its SHA-256 is another one"
    : null;
}

export const hashOf = (data: Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(data).digest("hex");

/** Copies a file so that it is whole or absent under its name, whatever happens meanwhile. */
export async function copyModel(from: string, to: string): Promise<void> {
  const directory = dirname(to);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // What a process left behind that was killed while it copied.
  for (const left of readdirSync(directory))
    if (left.startsWith(`${basename(to)}.`) && left.endsWith(".part"))
      rmSync(join(directory, left), { force: true });
  const fresh = `${to}.${process.pid}.part`,
    file = openSync(fresh, "w", 0o600);
  try {
    for await (const part of partsOf(from))
      for (let at = 0; at < part.length;) at += writeSync(file, part, at);
    fsyncSync(file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(fresh, to);
  syncDirectory(directory);
}

/** The same for a short text. */
export function writeDurably(path: string, text: string): void {
  const fresh = `${path}.${process.pid}.part`,
    file = openSync(fresh, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(fresh, path);
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

/** The whole file in memory that workers share. */
export async function readShared(path: string): Promise<SharedArrayBuffer> {
  const shared = new SharedArrayBuffer(Bun.file(path).size),
    data = new Uint8Array(shared);
  let at = 0;
  for await (const part of partsOf(path)) {
    data.set(part, at);
    at += part.length;
  }
  return shared;
}

/** The file in parts: the whole of it would take its size in memory. */
async function* partsOf(path: string): AsyncGenerator<Uint8Array> {
  const file = Bun.file(path);
  for (let at = 0; at < file.size; at += copied_at_once)
    yield await file.slice(at, Math.min(at + copied_at_once, file.size)).bytes();
}
