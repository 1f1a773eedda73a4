/**
 * Copies the database while it is being written to, for a child process: its bytes as of one
 * moment. `vacuum into` would block others for longer: it writes as fast as it can, and then they
 * wait for the disk (at 600 MB the longest wait was 190 ms, against 65 to 90 ms this way).
 */
import { Database } from "bun:sqlite";
import { closeSync, fdatasyncSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { WritePace } from "../lib/paced-writer";

const busy_timeout_ms = 5_000;
const piece_bytes = 2 ** 20;

/** Bytes to copy: the database and its write-ahead log. */
export const snapshotBytes = (path: string): number => sizeOf(path) + sizeOf(`${path}-wal`);

/**
 * Writes the database at `path`, with every finished transaction, into the new file `to`.
 *
 * While a reader is open, everything it may need stays in place: the log is not started over, and
 * nothing newer than the reader's snapshot is moved from the log into the database. So the log as
 * it is now, applied to the database as it is at any time until the reader ends, is a single
 * moment, and SQLite applies it by itself. `onMoment` is awaited right after that moment, which is
 * long before the end of the copy.
 */
export async function copySnapshot(
  path: string,
  to: string,
  onProgress: (done_bytes: number) => void,
  onMoment: () => Promise<void> = async () => undefined,
): Promise<void> {
  const reader = new Database(path, { readonly: true });
  try {
    reader.run(`pragma busy_timeout = ${busy_timeout_ms}`);
    reader.run("begin");
    // The snapshot begins with the first read.
    reader.query("select count(*) from sqlite_schema").get();
    const log_bytes = copyFile(`${path}-wal`, `${to}-wal`, onProgress);
    await onMoment();
    copyFile(path, to, (done_bytes) => onProgress(log_bytes + done_bytes));
  } finally {
    reader.close();
  }
  applyLog(to);
}

function applyLog(path: string): void {
  const copy = new Database(path, { create: false, readwrite: true });
  try {
    copy.run("pragma wal_checkpoint(TRUNCATE)");
    copy.run("pragma journal_mode = delete");
  } finally {
    copy.close();
  }
  for (const suffix of ["-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
}

/** Returns the number of bytes; zero when there is no such file. */
function copyFile(from: string, to: string, onProgress: (done_bytes: number) => void): number {
  const size = sizeOf(from);
  if (size === 0) return 0;
  const source = openSync(from, "r");
  const target = openSync(to, "wx", 0o600);
  const piece = Buffer.allocUnsafe(piece_bytes);
  const pace = new WritePace();
  let copied_bytes = 0;
  try {
    while (copied_bytes < size) {
      const count = readSync(
        source,
        piece,
        0,
        Math.min(piece.length, size - copied_bytes),
        copied_bytes,
      );
      if (count === 0) break;
      for (let at = 0; at < count;)
        at += writeSync(target, piece, at, count - at, copied_bytes + at);
      copied_bytes += count;
      if (!pace.add(count)) continue;
      pace.syncNow(() => fdatasyncSync(target));
      onProgress(copied_bytes);
    }
    fdatasyncSync(target);
  } finally {
    closeSync(target);
    closeSync(source);
  }
  onProgress(copied_bytes);
  return copied_bytes;
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
