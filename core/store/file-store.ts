/**
 * Original files in a directory of this machine. Each is written under a temporary name, synced and
 * renamed to its SHA-256.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { nextTurn } from "../lib/chunked-work";
import {
  listDirectory,
  listNames,
  nameOf,
  renameForGood,
  requireDirectory,
  sizeOf,
  statsOf,
} from "./file-directory";
import {
  isWhole,
  type Files,
  type FindUsed,
  type ReceiveFileOptions,
  type ReceivedFile,
  type StillUsed,
  type StoredFile,
} from "./files";
import { Mutex } from "./mutex";
import { Spool, type Spooled } from "./spool";
import { translateError } from "./storage-errors";

const temporary = "tmp";
/** How long `failure` trusts that the directory exists. */
const directory_trusted_ms = 100;
/** How long a file that could not be read is reported. */
const unreadable_ms = 600_000;

/** Serialises the decisions about one hash. */
interface Guard {
  readonly mutex: Mutex;
  /** Decisions in progress. */
  users: number;
  /** Uploads that keep the file until their release. */
  pins: number;
  /** Requested while the file was pinned. */
  removal: StillUsed | undefined;
}

/**
 * There must be only one of these per directory, used by no other process: pins and locks are held
 * in memory.
 */
export class FileStore implements Files {
  private readonly guards = new Map<string, Guard>();
  private readonly spool: Spool;
  /** The last file that the disk could not read. */
  private unreadable: { sha256: string; message: string; failed_at_ms: number } | undefined;
  private directory_trusted_until_ms = -Infinity;
  readonly place = null;

  constructor(private readonly directory: string) {
    this.spool = new Spool(join(directory, temporary));
  }

  /** The path of the file, whether it exists or not. */
  path(sha256: string): string {
    return join(this.directory, nameOf(sha256));
  }

  requireFreeSpace(): void {
    this.spool.requireFreeSpace();
  }

  async open(sha256: string): Promise<Blob | undefined> {
    return (await this.exists(sha256)) ? Bun.file(this.path(sha256)) : undefined;
  }

  async withLocalFile<R>(sha256: string, use: (path: string) => Promise<R>): Promise<R> {
    await this.exists(sha256);
    return use(this.path(sha256));
  }

  /** Reads the first byte: later, an error would cut off a response. @throws HttpError 503 */
  private async exists(sha256: string): Promise<boolean> {
    try {
      await Bun.file(this.path(sha256)).slice(0, 1).bytes();
      if (this.unreadable?.sha256 === sha256) this.unreadable = undefined;
      return true;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") {
        requireDirectory(this.directory);
        return false;
      }
      if (code === "EIO") this.unreadable = { sha256, message, failed_at_ms: performance.now() };
      throw translateError(error);
    }
  }

  async receive(
    bytes: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
    options: ReceiveFileOptions,
  ): Promise<ReceivedFile> {
    return new Upload(this, await this.spool.receive(bytes, options));
  }

  abortUploads(): void {
    this.spool.abort();
  }

  async remove(sha256s: readonly string[], stillUsed: StillUsed): Promise<null> {
    for (const sha256 of new Set(sha256s)) await this.removeOne(sha256, stillUsed);
    return null;
  }

  async sweep(stillUsed: StillUsed, findUsed: FindUsed, since_ms = 0): Promise<number> {
    await this.spool.sweep();
    let removed = 0;
    const isLate = async (name: string): Promise<boolean> =>
      ((await statsOf(this.path(name)))?.mtimeMs ?? 0) >= since_ms;
    for await (const names of listNames(this.directory)) {
      const used = await findUsed(names);
      for (const name of names)
        if (!used.has(name) && (await isLate(name)) && (await this.removeOne(name, stillUsed)))
          removed += 1;
      await nextTurn();
    }
    return removed;
  }

  /** Nothing to do: files are deleted at once. */
  async deleteDue(): Promise<null> {
    return null;
  }

  list(): AsyncGenerator<StoredFile[]> {
    return listDirectory(this.directory);
  }

  /** All of them: the next start deletes them. */
  async findLeftOver(sha256s: readonly string[]): Promise<readonly string[]> {
    return sha256s;
  }

  /** Nothing to check: the disk is that of the database, which reports its problems. */
  async check(): Promise<void> {}

  async failure(): Promise<string | null> {
    try {
      this.requireDirectoryExists();
      const { sha256, message, failed_at_ms } = this.unreadable ?? { failed_at_ms: -Infinity };
      if (performance.now() - failed_at_ms > unreadable_ms) return null;
      return `The original ${sha256} can't be read: ${message}.`;
    } catch (error) {
      return `${(error as Error).message}.`;
    }
  }

  private requireDirectoryExists(): void {
    if (performance.now() < this.directory_trusted_until_ms) return;
    requireDirectory(this.directory);
    this.directory_trusted_until_ms = performance.now() + directory_trusted_ms;
  }

  counts(): null {
    return null;
  }

  /** For `Upload`: gives the bytes their final name and pins them. */
  publish({ sha256, size_bytes, path: from, file }: Spooled): Promise<void> {
    return this.guarded(sha256, async (guard) => {
      const target = this.path(sha256);
      const is_stored = (await sizeOf(target)) === size_bytes;
      // Damaged bytes are replaced by these, as is what can't be read.
      if (is_stored && (await isWhole(Bun.file(target), sha256).catch(() => false)))
        await rm(from, { force: true });
      else {
        await file.sync();
        await renameForGood(from, target, this.directory);
      }
      guard.pins += 1;
    });
  }

  /** For `Upload`: ends the pin of `publish`, and does the removal that waited for it. */
  async unpin({ sha256, path }: Spooled): Promise<void> {
    this.spool.forget(path);
    const removal = await this.guarded(sha256, async (guard) => {
      guard.pins -= 1;
      const removal = guard.pins === 0 ? guard.removal : undefined;
      if (removal) guard.removal = undefined;
      return removal;
    });
    // The upload has succeeded nevertheless: the sweep of the next start finds the file.
    if (removal) await this.removeOne(sha256, removal).catch(() => false);
  }

  /** For `Upload`: deletes an unpublished file. */
  discard(temporary_path: string): Promise<void> {
    return this.spool.discard(temporary_path);
  }

  /** True when the file was deleted. */
  private removeOne(sha256: string, stillUsed: StillUsed): Promise<boolean> {
    return this.guarded(sha256, async (guard) => {
      if (guard.pins > 0) {
        guard.removal = stillUsed;
        return false;
      }
      if (await stillUsed(sha256)) return false;
      await rm(this.path(sha256), { force: true });
      return true;
    });
  }

  /** Runs `step` while no other decision about these bytes is in progress. */
  private async guarded<R>(sha256: string, step: (guard: Guard) => Promise<R>): Promise<R> {
    const unused = { mutex: new Mutex(), users: 0, pins: 0, removal: undefined };
    const guard = this.guards.get(sha256) ?? unused;
    this.guards.set(sha256, guard);
    guard.users += 1;
    try {
      return await guard.mutex.run(() => step(guard));
    } catch (error) {
      throw translateError(error);
    } finally {
      guard.users -= 1;
      if (guard.users === 0 && guard.pins === 0) this.guards.delete(sha256);
    }
  }
}

class Upload implements ReceivedFile {
  private state: "arrived" | "kept" | "released" = "arrived";

  constructor(
    private readonly store: FileStore,
    private readonly spooled: Spooled,
  ) {}

  get sha256(): string {
    return this.spooled.sha256;
  }
  get size_bytes(): number {
    return this.spooled.size_bytes;
  }
  get path(): string {
    return this.state === "arrived" ? this.spooled.path : this.store.path(this.sha256);
  }

  async keep(): Promise<void> {
    if (this.state !== "arrived")
      throw new Error("an upload can be kept once, and not after its release");
    await this.store.publish(this.spooled);
    this.state = "kept";
  }

  async release(): Promise<void> {
    const state = this.state;
    this.state = "released";
    if (state === "released") return;
    try {
      await this.spooled.file.close();
    } finally {
      if (state === "kept") await this.store.unpin(this.spooled);
      else await this.store.discard(this.spooled.path);
    }
  }
}
