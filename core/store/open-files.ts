/**
 * Notices when the files of the database are no longer those that are open. The operating system
 * would accept writes to a deleted file, and the next start would find none of them.
 */
import { statSync } from "node:fs";
import { basename } from "node:path";
import { translateError } from "./storage-errors";

const check_every_ms = 100;

type FileId = readonly [device: number, file: number] | undefined;

/** Compares the files at some paths with those that were opened. */
export class OpenFiles {
  private readonly opened: ReadonlyMap<string, FileId>;
  private checked_at_ms = -Infinity;
  private error: Error | null = null;

  /** `paths`: files that are open, and are never replaced by this process. */
  constructor(
    paths: readonly string[],
    private readonly onMoved: (error: Error) => void,
  ) {
    this.opened = new Map(paths.map((path) => [path, idOf(path)]));
  }

  /** @throws HttpError 503 when the next start would not find what is written. */
  require(): void {
    const moved = this.moved();
    if (moved) throw translateError(moved);
  }

  /** An error with SQLite's code for it, until the file is back; null when all are in place. */
  moved(): Error | null {
    if (performance.now() - this.checked_at_ms < check_every_ms) return this.error;
    this.checked_at_ms = performance.now();
    const path = [...this.opened].find(([path, id]) => !isSame(idOf(path), id))?.[0];
    this.error = path === undefined ? null : movedError(path);
    if (this.error) this.onMoved(this.error);
    return this.error;
  }
}

function idOf(path: string): FileId {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && [stats.dev, stats.ino];
}

const isSame = (a: FileId, b: FileId): boolean => a?.[0] === b?.[0] && a?.[1] === b?.[1];

const movedError = (path: string): Error =>
  Object.assign(
    new Error(
      `${basename(path)} was moved, replaced or deleted while the server was using it. Put ` +
        "it back, or stop the server",
    ),
    { code: "SQLITE_READONLY_DBMOVED" },
  );
