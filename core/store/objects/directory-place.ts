/**
 * Original files in a directory shared by several processes, such as on a network volume. A marker
 * file shows that the volume is mounted: otherwise uploads would go to an empty mount point. A data
 * directory needs no marker.
 */
import { open, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ulid } from "../../base/ids";
import { listDirectory, nameOf, renameForGood, sizeOf } from "../file-directory";
import type { ListedFile, StoredFile } from "../files";
import { isFull } from "../storage-errors";
import { FilesFault, type ObjectPlace } from "./place";

const marker_file = "dossier-originals";
const marker_text =
  "Original files of Dossier. Don't delete this file: it shows that the volume is mounted.\n";
const temporary = "tmp";
/** Bytes copied at once. */
const piece_bytes = 2 ** 20;

/** A directory with the layout of `file-directory.ts`. */
export class DirectoryPlace implements ObjectPlace {
  private sent_bytes = 0;

  constructor(
    private readonly directory: string,
    readonly timeout_ms: number,
    private readonly kind: "volume" | "data directory" = "volume",
  ) {}

  get display_name(): string {
    return `the directory ${this.directory}`;
  }

  put(from: string, { sha256, size_bytes }: ListedFile): Promise<void> {
    return this.whileMounted(async () => {
      const unfinished = join(this.directory, temporary, ulid());
      await mkdir(join(this.directory, temporary), { recursive: true });
      try {
        await copySynced(from, unfinished);
        await renameForGood(unfinished, this.localPath(sha256), this.directory);
        this.sent_bytes += size_bytes;
      } finally {
        await rm(unfinished, { force: true });
      }
    });
  }

  size(sha256: string): Promise<number | undefined> {
    return this.whileMounted(() => sizeOf(this.localPath(sha256)));
  }

  async open(sha256: string): Promise<Blob | undefined> {
    const size = await this.size(sha256);
    return size === undefined ? undefined : Bun.file(this.localPath(sha256));
  }

  remove(sha256: string): Promise<void> {
    return this.whileMounted(() => rm(this.localPath(sha256), { force: true }));
  }

  async *list(): AsyncGenerator<StoredFile[]> {
    await this.ping();
    yield* listDirectory(this.directory);
  }

  localPath(sha256: string): string {
    return join(this.directory, nameOf(sha256));
  }

  async probe(): Promise<void> {
    try {
      if (this.kind === "data directory") await mkdir(this.directory, { recursive: true });
      if (!(await stat(this.directory)).isDirectory()) throw new Error("it is not a directory");
      if (this.kind === "volume") await writeFile(join(this.directory, marker_file), marker_text);
      const path = join(this.directory, `probe-${ulid()}`);
      await writeFile(path, marker_text);
      await rm(path);
    } catch (error) {
      throw this.fault(error);
    }
  }

  async ping(): Promise<void> {
    await this.whileMounted(async () => {});
  }

  counts() {
    return { requests: [], sent_bytes: this.sent_bytes, received_bytes: 0 };
  }

  private async whileMounted<R>(work: () => Promise<R>): Promise<R> {
    try {
      await stat(this.kind === "volume" ? join(this.directory, marker_file) : this.directory);
      return await work();
    } catch (error) {
      // A full volume is reported like a full disk.
      throw isFull(error) ? error : this.fault(error);
    }
  }

  private fault(error: unknown): FilesFault {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason =
      code === "ENOENT"
        ? "it does not exist. Create it, or mount the volume"
        : code === "EACCES" || code === "EPERM" || code === "EROFS"
          ? `the server can't write to it (${code}). Give its user permission to`
          : message;
    return new FilesFault("FILES_UNREACHABLE", `${this.display_name}: ${reason}.`, error);
  }
}

async function copySynced(from: string, to: string): Promise<void> {
  await using source = await open(from, "r");
  await using target = await open(to, "wx");
  const buffer = new Uint8Array(piece_bytes);
  for (;;) {
    const { bytesRead } = await source.read(buffer, 0, piece_bytes);
    if (bytesRead === 0) break;
    await target.writeFile(buffer.subarray(0, bytesRead));
  }
  await target.sync();
}
