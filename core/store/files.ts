/**
 * Originals on disk, named by their SHA-256: the same bytes twice are one file. Written under a
 * temporary name, synced, renamed.
 */
import type { BunFile } from "bun";
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { mkdirSync } from "node:fs";
import { Readable } from "node:stream";
import { dirname, join } from "node:path";
import { ulid } from "../base/ids";
import { tooLarge, unavailable } from "../base/errors";
import { requireRoom } from "./ballast";
import { translated } from "./codes";
import { Mutex } from "./mutex";

/** Bytes that arrived and lie under a temporary name. Every one must be released, kept or not. */
export interface Received {
  /** Lower-case hex. */
  readonly sha256: string;
  readonly size_bytes: number;
  /** Where the bytes are now: the temporary file, and the final one after `keep`. */
  readonly path: string;
  /**
   * On disk under the final name when it returns, and safe from `remove` until `release`. Never
   * inside a transaction. @throws HttpError 507 or 503
   */
  keep(): Promise<void>;
  /**
   * The rows that use the bytes are committed, or never will be. Discards what was not kept.
   * Harmless when repeated.
   */
  release(): Promise<void>;
}

type StillUsed = (sha256: string) => Promise<boolean>;

export interface Files {
  /**
   * Reads to the end, hashing; memory does not grow with the size. @throws HttpError 413 above the
   * limit, 507 or 503 when the storage fails; nothing stays behind then.
   */
  receive(
    bytes: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
    limits: { readonly bytes_max: number },
  ): Promise<Received>;
  /**
   * What will write much asks first, in the database too: the room that is left then is for
   * deletions. @throws HttpError 507
   */
  requireRoom(): void;
  path(sha256: string): string;
  /** The bytes, read when asked for. */
  blob(sha256: string): BunFile;
  /**
   * Deletes those that nobody uses. Call it after the commit that dropped the last use. Bytes being
   * uploaded again at this moment stay.
   */
  remove(sha256s: readonly string[], stillUsed: StillUsed): Promise<void>;
  /** The server stops: what is still arriving is given up, with 503, and leaves nothing behind. */
  giveUp(): void;
  /**
   * After a crash: deletes files that nobody uses and what uploads left behind. Returns how many
   * files went.
   */
  sweep(stillUsed: StillUsed): Promise<number>;
}

const temporary = "tmp";
const is_folder = /^[0-9a-f]{2}$/;
const is_name = /^[0-9a-f]{64}$/;

/** How many bytes of an upload are written between two looks at the room that is left. */
const check_room_bytes = 4 * 2 ** 20;

/**
 * How many uploads hold a hash, who wants it gone when they let go, and the lock between the two.
 */
interface Guard {
  readonly mutex: Mutex;
  users: number;
  pins: number;
  removal: StillUsed | undefined;
}

/** Files of one directory; there must be only one of these for it in the process. */
export function openFiles(directory: string): Files {
  mkdirSync(join(directory, temporary), { recursive: true });
  const guards = new Map<string, Guard>();
  const arriving = new Set<string>();
  const open_streams = new Set<Readable>();
  const path = (sha256: string) => join(directory, sha256.slice(0, 2), sha256);

  /** Runs `step` while nobody else decides about these bytes. */
  async function guardedBy<R>(sha256: string, step: (guard: Guard) => Promise<R>): Promise<R> {
    const guard = guards.get(sha256) ?? {
      mutex: new Mutex(),
      users: 0,
      pins: 0,
      removal: undefined,
    };
    guards.set(sha256, guard);
    guard.users += 1;
    const free = await guard.mutex.lock();
    try {
      return await step(guard);
    } catch (error) {
      throw translated(error);
    } finally {
      guard.users -= 1;
      if (guard.users === 0 && guard.pins === 0) guards.delete(sha256);
      free();
    }
  }

  /** True when the file went. */
  const removeOne = (sha256: string, stillUsed: StillUsed): Promise<boolean> =>
    guardedBy(sha256, async (guard) => {
      if (guard.pins > 0) {
        guard.removal = stillUsed;
        return false;
      }
      if (await stillUsed(sha256)) return false;
      await rm(path(sha256), { force: true });
      return true;
    });

  const keep = (
    sha256: string,
    size_bytes: number,
    from: string,
    file: FileHandle,
  ): Promise<void> =>
    guardedBy(sha256, async (guard) => {
      const target = path(sha256);
      if ((await sizeOf(target)) === size_bytes) await rm(from, { force: true });
      else {
        await file.sync();
        const made = await mkdir(dirname(target), { recursive: true });
        await rename(from, target);
        await sync(dirname(target));
        if (made !== undefined) await sync(directory);
      }
      guard.pins += 1;
    });

  async function unpin(sha256: string): Promise<void> {
    const removal = await guardedBy(sha256, async (guard) => {
      guard.pins -= 1;
      const wanted = guard.pins === 0 ? guard.removal : undefined;
      if (wanted) guard.removal = undefined;
      return wanted;
    });
    // Whoever let go of the bytes did nothing wrong when this fails; the sweep of the next start
    // finds them.
    if (removal) await removeOne(sha256, removal).catch(() => false);
  }

  function received(sha256: string, size_bytes: number, from: string, file: FileHandle): Received {
    let state: "arrived" | "kept" | "released" = "arrived";
    return {
      sha256,
      size_bytes,
      get path() {
        return state === "arrived" ? from : path(sha256);
      },
      async keep() {
        if (state !== "arrived")
          throw new Error("an upload can be kept once, and not after its release");
        await keep(sha256, size_bytes, from, file);
        state = "kept";
      },
      async release() {
        const before = state;
        state = "released";
        if (before === "released") return;
        try {
          await file.close();
        } finally {
          arriving.delete(from);
          if (before === "kept") await unpin(sha256);
          else await rm(from, { force: true });
        }
      },
    };
  }

  return {
    requireRoom: () => requireRoom(directory),
    path,
    blob: (sha256) => Bun.file(path(sha256)),

    async receive(bytes, { bytes_max }) {
      const from = join(directory, temporary, ulid());
      arriving.add(from);
      if (bytes instanceof Readable) open_streams.add(bytes);
      let file: FileHandle | undefined;
      try {
        file = await open(from, "wx");
        const { sha256, size_bytes } = await write(
          directory,
          file,
          bytes as AsyncIterable<Uint8Array>,
          bytes_max,
        );
        return received(sha256, size_bytes, from, file);
      } catch (error) {
        await file?.close();
        await rm(from, { force: true });
        arriving.delete(from);
        throw translated(error);
      } finally {
        open_streams.delete(bytes as Readable);
      }
    },

    giveUp() {
      for (const stream of open_streams)
        stream.destroy(
          unavailable("The server is stopping. Nothing was saved; send the file again.", 5),
        );
    },

    async remove(sha256s, stillUsed) {
      for (const sha256 of new Set(sha256s)) await removeOne(sha256, stillUsed);
    },

    async sweep(stillUsed) {
      for (const name of await readdir(join(directory, temporary))) {
        const left = join(directory, temporary, name);
        if (!arriving.has(left)) await rm(left, { force: true, recursive: true });
      }
      let gone = 0;
      for (const folder of await readdir(directory)) {
        if (!is_folder.test(folder)) continue;
        for (const name of await readdir(join(directory, folder))) {
          if (is_name.test(name) && (await removeOne(name, stillUsed))) gone += 1;
        }
      }
      return gone;
    },
  };
}

/** One chunk at a time: the sender waits while the disk does. */
async function write(
  directory: string,
  file: FileHandle,
  bytes: AsyncIterable<Uint8Array>,
  bytes_max: number,
): Promise<{ sha256: string; size_bytes: number }> {
  const hash = new Bun.CryptoHasher("sha256");
  let size_bytes = 0;
  let checked_bytes = -Infinity;
  for await (const chunk of bytes) {
    if (size_bytes - checked_bytes >= check_room_bytes) {
      requireRoom(directory);
      checked_bytes = size_bytes;
    }
    size_bytes += chunk.byteLength;
    if (size_bytes > bytes_max)
      throw tooLarge(`The file is larger than ${bytes_max} bytes, the most that is accepted.`);
    hash.update(chunk);
    await file.writeFile(chunk);
  }
  return { sha256: hash.digest("hex"), size_bytes };
}

const sizeOf = async (path: string): Promise<number | undefined> =>
  (await stat(path).catch(() => undefined))?.size;

/** Makes a rename in this directory survive a power cut. */
async function sync(directory: string): Promise<void> {
  await using handle = await open(directory, "r");
  await handle.sync();
}
