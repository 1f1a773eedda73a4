/**
 * Writes much data without delaying others that use the same disk: syncs a few megabytes at a time
 * and then pauses for as long as that took.
 */
import { open } from "node:fs/promises";

/** How much unsynced data the system may hold in memory. */
const unsynced_bytes_max = 4 * 2 ** 20;
const pause_ms_max = 100;

/** Decides when to sync, and how long to pause after it. */
export class WritePace {
  private unsynced_bytes = 0;

  /** This much was written. True: sync now. */
  add(bytes: number): boolean {
    this.unsynced_bytes += bytes;
    if (this.unsynced_bytes < unsynced_bytes_max) return false;
    this.unsynced_bytes = 0;
    return true;
  }

  /** Syncs, then pauses. */
  async sync(data: () => Promise<void>): Promise<void> {
    const began_ms = performance.now();
    await data();
    await Bun.sleep(pauseAfter(began_ms));
  }

  /** The same, synchronously. */
  syncNow(data: () => void): void {
    const began_ms = performance.now();
    data();
    Bun.sleepSync(pauseAfter(began_ms));
  }
}

const pauseAfter = (began_ms: number): number =>
  Math.min(pause_ms_max, performance.now() - began_ms);

/**
 * Writes the pieces into the new file `path`, readable only by this user. When it resolves, the
 * file is on the disk.
 */
export async function writePaced(pieces: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  const pace = new WritePace();
  for await (const piece of pieces) {
    await file.writeFile(piece);
    if (pace.add(piece.length)) await pace.sync(() => file.datasync());
  }
  await file.sync();
}
