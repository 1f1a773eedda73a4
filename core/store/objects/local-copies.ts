/**
 * Copies of files that lie elsewhere, for programs that take a path: those used last stay, up to a
 * size. They are of this process alone.
 */
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ulid } from "../../base/ids";
import { requireFreeSpace } from "../free-space";

interface Copy {
  readonly path: string;
  size_bytes: number;
  /** Those that read it; it stays until they have. */
  users: number;
  /** While it is fetched. */
  ready: Promise<void>;
}

export class LocalCopies {
  /** Those used last come last. */
  readonly #copies = new Map<string, Copy>();
  #made: Promise<unknown> | undefined;

  constructor(
    private readonly directory: string,
    private readonly bytes_max: number,
  ) {}

  get bytes(): number {
    return [...this.#copies.values()].reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  }

  /** Calls `use` with the path of a copy; `fetch` writes it where there is none. */
  async use<R>(
    sha256: string,
    fetch: (path: string) => Promise<void>,
    use: (path: string) => Promise<R>,
  ): Promise<R> {
    const copy = this.#copies.get(sha256) ?? this.#fetch(sha256, fetch);
    this.#touch(sha256, copy);
    copy.users++;
    try {
      await copy.ready;
      return await use(copy.path);
    } finally {
      copy.users--;
      await this.#shrink();
    }
  }

  /** A file at hand becomes a copy, unless it is too large; it has another path then. */
  async adopt(sha256: string, size_bytes: number, from: string): Promise<boolean> {
    if (size_bytes > this.bytes_max || this.#copies.has(sha256)) return false;
    await this.#make();
    const path = join(this.directory, ulid());
    const ready = rename(from, path);
    const copy: Copy = { path, size_bytes, users: 1, ready };
    this.#touch(sha256, copy);
    try {
      await ready;
    } catch (error) {
      this.#copies.delete(sha256);
      throw error;
    }
    copy.users--;
    await this.#shrink();
    return true;
  }

  /** Deletes all of them; they are not used any more. */
  async clear(): Promise<void> {
    this.#copies.clear();
    this.#made = undefined;
    await rm(this.directory, { force: true, recursive: true });
  }

  #fetch(sha256: string, fetch: (path: string) => Promise<void>): Copy {
    const copy: Copy = {
      path: join(this.directory, ulid()),
      size_bytes: 0,
      users: 0,
      ready: Promise.resolve(),
    };
    const run = async (): Promise<void> => {
      await this.#make();
      requireFreeSpace(this.directory);
      await fetch(copy.path);
      copy.size_bytes = (await stat(copy.path)).size;
    };
    copy.ready = run().catch(async (error: unknown) => {
      this.#copies.delete(sha256);
      await rm(copy.path, { force: true });
      throw error;
    });
    return copy;
  }

  #make(): Promise<unknown> {
    this.#made ??= mkdir(this.directory, { recursive: true, mode: 0o700 });
    return this.#made;
  }

  #touch(sha256: string, copy: Copy): void {
    this.#copies.delete(sha256);
    this.#copies.set(sha256, copy);
  }

  async #shrink(): Promise<void> {
    let bytes = this.bytes;
    for (const [sha256, copy] of this.#copies) {
      if (bytes <= this.bytes_max) return;
      if (copy.users > 0) continue;
      this.#copies.delete(sha256);
      bytes -= copy.size_bytes;
      await rm(copy.path, { force: true });
    }
  }
}
