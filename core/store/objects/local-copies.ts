/**
 * Local copies of remote files, for programs that take a path: the most recently used ones stay, up
 * to a total size and only for some minutes, because another process may delete the file. Private
 * to this process.
 */
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ulid } from "../../base/ids";
import { requireFreeSpace } from "../free-space";

/** A copy unused for this long is deleted, at most a little later. */
const unused_ms_max = 10 * 60_000;

interface Copy {
  readonly path: string;
  size_bytes: number;
  /** Its current readers; it stays as long as there are any. */
  users: number;
  /** Settles when it is fetched. */
  ready: Promise<void>;
  used_at_ms: number;
  /** The file is deleted: the copy goes with its last user. */
  is_deleted?: boolean;
}

/** A cache of files, by their SHA-256. */
export class LocalCopies {
  /** Least recently used first. */
  private readonly copies = new Map<string, Copy>();
  private directory_creation: Promise<unknown> | undefined;
  private readonly expiry = setInterval(() => void this.expire(), unused_ms_max / 10).unref();

  constructor(
    private readonly directory: string,
    private readonly bytes_max: number,
  ) {}

  /** The total size of the copies. */
  get bytes(): number {
    return [...this.copies.values()].reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  }

  /** Calls `use` with the path of a copy; `fetch` writes it if there is none. */
  async use<R>(
    sha256: string,
    fetch: (path: string) => Promise<void>,
    use: (path: string) => Promise<R>,
  ): Promise<R> {
    const copy = this.copies.get(sha256) ?? this.fetch(sha256, fetch);
    this.touch(sha256, copy);
    copy.users++;
    try {
      await copy.ready;
      return await use(copy.path);
    } finally {
      copy.users--;
      copy.used_at_ms = performance.now();
      if (copy.is_deleted && copy.users === 0) await rm(copy.path, { force: true });
      await this.shrink();
    }
  }

  /** The files are, or will be, deleted: their copies are removed. */
  async drop(sha256s: readonly string[]): Promise<void> {
    for (const sha256 of sha256s) {
      const copy = this.copies.get(sha256);
      if (!copy) continue;
      this.copies.delete(sha256);
      copy.is_deleted = true;
      if (copy.users === 0) await rm(copy.path, { force: true });
    }
  }

  /** Moves a local file here as a copy, unless it is too large or there is one. @throws Error */
  async adopt(sha256: string, size_bytes: number, from: string): Promise<boolean> {
    await this.createDirectory();
    if (size_bytes > this.bytes_max || this.copies.has(sha256)) return false;
    const path = join(this.directory, ulid());
    const ready = rename(from, path);
    const copy: Copy = { path, size_bytes, users: 1, ready, used_at_ms: performance.now() };
    this.touch(sha256, copy);
    try {
      await ready;
    } catch (error) {
      this.copies.delete(sha256);
      throw error;
    }
    copy.users--;
    if (copy.is_deleted && copy.users === 0) await rm(path, { force: true });
    await this.shrink();
    return true;
  }

  /** Deletes all copies; they must not be in use. */
  async clear(): Promise<void> {
    clearInterval(this.expiry);
    this.copies.clear();
    this.directory_creation = undefined;
    await rm(this.directory, { force: true, recursive: true });
  }

  private fetch(sha256: string, fetch: (path: string) => Promise<void>): Copy {
    const copy: Copy = {
      path: join(this.directory, ulid()),
      size_bytes: 0,
      users: 0,
      ready: Promise.resolve(),
      used_at_ms: performance.now(),
    };
    const run = async (): Promise<void> => {
      await this.createDirectory();
      requireFreeSpace(this.directory);
      await fetch(copy.path);
      copy.size_bytes = (await stat(copy.path)).size;
    };
    copy.ready = run().catch(async (error: unknown) => {
      if (this.copies.get(sha256) === copy) this.copies.delete(sha256);
      await rm(copy.path, { force: true });
      throw error;
    });
    return copy;
  }

  private createDirectory(): Promise<unknown> {
    this.directory_creation ??= mkdir(this.directory, { recursive: true, mode: 0o700 });
    return this.directory_creation;
  }

  private touch(sha256: string, copy: Copy): void {
    this.copies.delete(sha256);
    this.copies.set(sha256, copy);
  }

  private async expire(): Promise<void> {
    const since_ms = performance.now() - unused_ms_max;
    const expired = [...this.copies].filter(
      ([, { users, used_at_ms }]) => users === 0 && used_at_ms < since_ms,
    );
    await this.drop(expired.map(([sha256]) => sha256)).catch(() => undefined);
  }

  private async shrink(): Promise<void> {
    let bytes = this.bytes;
    for (const [sha256, copy] of this.copies) {
      if (bytes <= this.bytes_max) return;
      if (copy.users > 0) continue;
      this.copies.delete(sha256);
      bytes -= copy.size_bytes;
      await rm(copy.path, { force: true });
    }
  }
}
