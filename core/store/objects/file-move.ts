/**
 * Copies original files from one place to another. The source is only read; existing files are left
 * alone, so that an interrupted run can be resumed.
 */
import { mkdtemp, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { ulid } from "../../base/ids";
import { piecesOf, type ListedFile } from "../files";
import type { ObjectPlace } from "./place";

const concurrency = 4;

/** Files and bytes moved so far, including those that were there already, and all there are. */
export interface MoveProgress {
  readonly done: number;
  readonly total: number;
  readonly done_bytes: number;
  readonly total_bytes: number;
}
/** What a run has done. */
export interface Moved {
  readonly copied: number;
  readonly copied_bytes: number;
  /** Files that were there already. */
  readonly skipped: number;
  /** Files of the source whose bytes don't match their name, each with the reason: not copied. */
  readonly damaged: readonly { readonly sha256: string; readonly reason: string }[];
}
/** Which files are moved. */
export interface MoveOptions {
  readonly from: ObjectPlace;
  readonly to: ObjectPlace;
  /** For copies in progress. */
  readonly temporary: string;
  readonly onProgress: (progress: MoveProgress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Every copy has been read back, and has the hash and the size of its source. @throws FilesFault
 */
export async function moveFiles(options: MoveOptions): Promise<Moved> {
  const { from, to, onProgress, signal } = options;
  await to.probe();
  let total = 0;
  let total_bytes = 0;
  for await (const files of from.list()) {
    total += files.length;
    total_bytes += files.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  }
  const temporary = await mkdtemp(join(options.temporary, "moving-"));
  const moved = { copied: 0, copied_bytes: 0, skipped: 0 };
  const damaged: { sha256: string; reason: string }[] = [];
  let done_bytes = 0;
  const moveOne = async (file: ListedFile): Promise<void> => {
    if ((await to.size(file.sha256)) === file.size_bytes) moved.skipped++;
    else {
      const reason = await copyOne({ from, to, temporary }, file);
      if (reason !== null) damaged.push({ sha256: file.sha256, reason });
      else {
        moved.copied++;
        moved.copied_bytes += file.size_bytes;
      }
    }
    done_bytes += file.size_bytes;
    const done = moved.copied + moved.skipped + damaged.length;
    onProgress({ done, total, done_bytes, total_bytes });
  };
  try {
    for await (const files of from.list()) {
      const waiting = [...files];
      const work = async (): Promise<void> => {
        for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
          signal?.throwIfAborted();
          await moveOne(file);
        }
      };
      const results = await Promise.allSettled(Array.from({ length: concurrency }, work));
      const failure = results.find((result) => result.status === "rejected");
      if (failure) throw failure.reason;
    }
    return { ...moved, damaged };
  } finally {
    await rm(temporary, { force: true, recursive: true });
  }
}

type Places = Pick<MoveOptions, "from" | "to" | "temporary">;

/** Null, or what is wrong with the file of the source. @throws FilesFault */
async function copyOne({ from, to, temporary }: Places, file: ListedFile): Promise<string | null> {
  const { sha256, size_bytes } = file;
  const local = from.localPath(sha256);
  const path = local ?? join(temporary, ulid());
  try {
    const source_hash = await hashOf(from, sha256, local === undefined ? path : null);
    if (source_hash === undefined) return "it no longer exists";
    if (source_hash !== sha256) return "it does not match its SHA-256";
    await to.put(path, file);
    const target_hash =
      (await to.size(sha256)) === size_bytes ? await hashOf(to, sha256, null) : null;
    if (target_hash !== sha256)
      throw new Error(`${to.display_name} stored ${sha256} incorrectly. Run this again`);
    return null;
  } finally {
    if (local === undefined) await rm(path, { force: true });
  }
}

/** Undefined when there is no such file. `copy`: where to write its bytes, too. */
async function hashOf(
  place: ObjectPlace,
  sha256: string,
  copy: string | null,
): Promise<string | undefined> {
  const bytes = await place.open(sha256);
  if (!bytes) return undefined;
  const hash = new Bun.CryptoHasher("sha256");
  await using file = copy === null ? null : await open(copy, "wx");
  for await (const piece of piecesOf(bytes)) {
    hash.update(piece);
    await file?.writeFile(piece);
  }
  return hash.digest("hex");
}
