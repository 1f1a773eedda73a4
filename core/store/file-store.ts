/**
 * Original files in a directory of this machine. Each is written under a temporary name, synced and
 * renamed to its SHA-256.
 */
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { mkdirSync } from "node:fs";
import { Readable } from "node:stream";
import { dirname, join } from "node:path";
import { tooLarge, unavailable } from "../base/errors";
import { ulid } from "../base/ids";
import { nextTurn } from "../lib/parts";
import type { Files, FindUsed, ReceivedFile, StillUsed } from "./files";
import { freeSpaceOf, requireFreeSpace, RoomWatch } from "./free-space";
import { Mutex } from "./mutex";
import { translateError } from "./storage-errors";

const temporary = "tmp";
/** Files that a sweep asks about together. */
const swept_at_once = 500;
const folder_pattern = /^[0-9a-f]{2}$/;
const name_pattern = /^[0-9a-f]{64}$/;

/**
 * How many bytes of an upload are written between two checks of the free space; less where the
 * disk is small.
 */
const check_space_bytes_max = 4 * 2 ** 20;

/** What is decided about one hash, one decision at a time. */
interface Guard {
  readonly mutex: Mutex;
  /** Decisions under way. */
  users: number;
  /** Uploads that keep the file until their release. */
  pins: number;
  /** Asked for while the file was pinned. */
  removal: StillUsed | undefined;
}

/**
 * There must be only one of these for a directory, and no other process may use it: pins and locks
 * are held in memory.
 */
export class FileStore implements Files {
  readonly #guards = new Map<string, Guard>();
  /** Temporary files of uploads that are not released. */
  readonly #arriving = new Set<string>();
  readonly #open_streams = new Set<Readable>();
  readonly #room: RoomWatch;

  constructor(private readonly directory: string) {
    this.#room = new RoomWatch(directory);
    mkdirSync(join(directory, temporary), { recursive: true });
  }

  /** Where the file lies, or would. */
  path(sha256: string): string {
    return join(this.directory, sha256.slice(0, 2), sha256);
  }

  requireFreeSpace(): void {
    this.#room.require();
  }

  async open(sha256: string): Promise<Blob | undefined> {
    const file = Bun.file(this.path(sha256));
    return (await file.exists()) ? file : undefined;
  }

  withLocalFile<R>(sha256: string, use: (path: string) => Promise<R>): Promise<R> {
    return use(this.path(sha256));
  }

  async receive(
    bytes: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
    { bytes_max }: { readonly bytes_max: number },
  ): Promise<ReceivedFile> {
    const path = join(this.directory, temporary, ulid());
    this.#arriving.add(path);
    if (bytes instanceof Readable) this.#open_streams.add(bytes);
    let file: FileHandle | undefined;
    try {
      file = await open(path, "wx");
      const chunks = bytes as AsyncIterable<Uint8Array>;
      const { sha256, size_bytes } = await write(this.directory, file, chunks, bytes_max);
      return new Upload(this, sha256, size_bytes, path, file);
    } catch (error) {
      await file?.close();
      await this.discard(path);
      throw translateError(error);
    } finally {
      this.#open_streams.delete(bytes as Readable);
    }
  }

  abortUploads(): void {
    for (const stream of this.#open_streams)
      stream.destroy(
        unavailable("The server is stopping. Nothing was saved; send the file again.", 5),
      );
  }

  async remove(sha256s: readonly string[], stillUsed: StillUsed): Promise<void> {
    for (const sha256 of new Set(sha256s)) await this.#removeOne(sha256, stillUsed);
  }

  async sweep(stillUsed: StillUsed, findUsed: FindUsed): Promise<number> {
    for (const name of await readdir(join(this.directory, temporary))) {
      const path = join(this.directory, temporary, name);
      if (!this.#arriving.has(path)) await rm(path, { force: true, recursive: true });
    }
    let removed = 0;
    for await (const names of this.names()) {
      const used = await findUsed(names);
      for (const name of names)
        if (!used.has(name) && (await this.#removeOne(name, stillUsed))) removed += 1;
      await nextTurn();
    }
    return removed;
  }

  async *names(): AsyncGenerator<string[]> {
    let names: string[] = [];
    for (const folder of await readdir(this.directory)) {
      if (!folder_pattern.test(folder)) continue;
      const found = await readdir(join(this.directory, folder));
      names.push(...found.filter((name) => name_pattern.test(name)));
      for (; names.length >= swept_at_once; names = names.slice(swept_at_once))
        yield names.slice(0, swept_at_once);
    }
    if (names.length > 0) yield names;
  }

  /** For `Upload`: gives the bytes their final name and pins them. */
  publish(sha256: string, size_bytes: number, from: string, file: FileHandle): Promise<void> {
    return this.#guarded(sha256, async (guard) => {
      const target = this.path(sha256);
      if ((await sizeOf(target)) === size_bytes) await rm(from, { force: true });
      else {
        await file.sync();
        const made = await mkdir(dirname(target), { recursive: true });
        await rename(from, target);
        await syncDirectory(dirname(target));
        if (made !== undefined) await syncDirectory(this.directory);
      }
      guard.pins += 1;
    });
  }

  /** For `Upload`: ends the pin of `publish`, and does the removal that waited for it. */
  async unpin(sha256: string, temporary_path: string): Promise<void> {
    this.#arriving.delete(temporary_path);
    const removal = await this.#guarded(sha256, async (guard) => {
      guard.pins -= 1;
      const wanted = guard.pins === 0 ? guard.removal : undefined;
      if (wanted) guard.removal = undefined;
      return wanted;
    });
    // A failure is not the upload's: the sweep of the next start finds the file.
    if (removal) await this.#removeOne(sha256, removal).catch(() => false);
  }

  /** For `Upload`: deletes what was not published. */
  async discard(temporary_path: string): Promise<void> {
    await rm(temporary_path, { force: true });
    this.#arriving.delete(temporary_path);
  }

  /** True when the file was deleted. */
  #removeOne(sha256: string, stillUsed: StillUsed): Promise<boolean> {
    return this.#guarded(sha256, async (guard) => {
      if (guard.pins > 0) {
        guard.removal = stillUsed;
        return false;
      }
      if (await stillUsed(sha256)) return false;
      await rm(this.path(sha256), { force: true });
      return true;
    });
  }

  /** Runs `step` while nobody else decides about these bytes. */
  async #guarded<R>(sha256: string, step: (guard: Guard) => Promise<R>): Promise<R> {
    const unused = { mutex: new Mutex(), users: 0, pins: 0, removal: undefined };
    const guard = this.#guards.get(sha256) ?? unused;
    this.#guards.set(sha256, guard);
    guard.users += 1;
    const unlock = await guard.mutex.lock();
    try {
      return await step(guard);
    } catch (error) {
      throw translateError(error);
    } finally {
      guard.users -= 1;
      if (guard.users === 0 && guard.pins === 0) this.#guards.delete(sha256);
      unlock();
    }
  }
}

class Upload implements ReceivedFile {
  #state: "arrived" | "kept" | "released" = "arrived";

  constructor(
    private readonly store: FileStore,
    readonly sha256: string,
    readonly size_bytes: number,
    private readonly temporary_path: string,
    private readonly file: FileHandle,
  ) {}

  get path(): string {
    return this.#state === "arrived" ? this.temporary_path : this.store.path(this.sha256);
  }

  async keep(): Promise<void> {
    if (this.#state !== "arrived")
      throw new Error("an upload can be kept once, and not after its release");
    await this.store.publish(this.sha256, this.size_bytes, this.temporary_path, this.file);
    this.#state = "kept";
  }

  async release(): Promise<void> {
    const before = this.#state;
    this.#state = "released";
    if (before === "released") return;
    try {
      await this.file.close();
    } finally {
      if (before === "kept") await this.store.unpin(this.sha256, this.temporary_path);
      else await this.store.discard(this.temporary_path);
    }
  }
}

/** Hashed and written before others have their turn. */
const slice_bytes = 2 ** 18;

/** Writes one chunk at a time: the sender waits while the disk does. */
async function write(
  directory: string,
  file: FileHandle,
  bytes: AsyncIterable<Uint8Array>,
  bytes_max: number,
): Promise<{ sha256: string; size_bytes: number }> {
  const hash = new Bun.CryptoHasher("sha256");
  let size_bytes = 0;
  let checked_bytes = -Infinity;
  const check_space_bytes = Math.min(check_space_bytes_max, freeSpaceOf(directory).reserve_bytes);
  for await (const chunk of bytes) {
    if (size_bytes - checked_bytes >= check_space_bytes) {
      requireFreeSpace(directory);
      checked_bytes = size_bytes;
    }
    size_bytes += chunk.byteLength;
    if (size_bytes > bytes_max)
      throw tooLarge(`The file is larger than ${bytes_max} bytes, the most that is accepted.`);
    // What comes faster than it is written arrives in pieces of many megabytes.
    for (let at = 0; at < chunk.byteLength; at += slice_bytes) {
      const slice = chunk.subarray(at, at + slice_bytes);
      hash.update(slice);
      await file.writeFile(slice);
    }
  }
  return { sha256: hash.digest("hex"), size_bytes };
}

const sizeOf = async (path: string): Promise<number | undefined> =>
  (await stat(path).catch(() => undefined))?.size;

/** Makes a rename in this directory survive a power cut. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, "r");
  await handle.sync();
}
