/** A disk of a few megabytes that can be filled up to its last byte: a tmpfs, which needs root. */
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A mounted disk, unmounted when it is disposed of. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  freeBytes(): number;
  /** Fills the free space with a file, except for this many bytes. */
  fill(leave_bytes?: number): void;
  /** Frees what `fill` took. */
  empty(): void;
  /** From now on nothing can be written to it. */
  protect(): void;
}

const run = (...words: string[]): boolean =>
  Bun.spawnSync(words, { stdout: "ignore", stderr: "ignore" }).success;

function mounts(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const path = mkdtempSync(join(tmpdir(), "dossier-mount-"));
  const works = run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", path);
  if (works) run("umount", path);
  rmSync(path, { recursive: true });
  return works;
}
/** Whether the user may mount a disk on this machine; prints a note once if not. */
export const can_mount = mounts();
if (!can_mount) console.log("Small disks are skipped: they need Linux and root, to mount a tmpfs.");

/** Mounts an empty one. */
export function mountSmallDisk(megabytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), "dossier-disk-"));
  if (!run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m,mode=0700`, "tmpfs", path))
    throw new Error(`no tmpfs could be mounted on ${path}`);
  const filler = join(path, ".filler");
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  return {
    path,
    freeBytes,
    fill(leave_bytes = 0) {
      const file = openSync(filler, "a");
      try {
        for (let free = freeBytes(); free > leave_bytes; free = freeBytes())
          writeSync(file, Buffer.alloc(Math.min(2 ** 20, free - leave_bytes), 1));
      } catch (error) {
        if ((error as { code?: string }).code !== "ENOSPC") throw error;
      } finally {
        closeSync(file);
      }
    },
    empty: () => rmSync(filler, { force: true }),
    protect() {
      if (!run("mount", "-o", "remount,ro", path)) throw new Error(`${path} stays writable`);
    },
    [Symbol.dispose]() {
      run("umount", "-l", path);
      rmSync(path, { recursive: true, force: true });
    },
  };
}
