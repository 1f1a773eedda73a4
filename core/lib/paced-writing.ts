/**
 * Writing much without holding up others who wait for the same disk: a few megabytes at a time are
 * handed to it, and then it is left alone for as long as it took.
 */
import { open } from "node:fs/promises";

/** As much may wait in memory of the system for the disk. */
const unsynced_bytes_max = 4 * 2 ** 20;
const rest_ms_max = 100;

/** Says when to sync, and for how long to rest then. */
export class WritePace {
  #unsynced_bytes = 0;

  /** So much was written. True: it is to be synced now. */
  add(bytes: number): boolean {
    this.#unsynced_bytes += bytes;
    if (this.#unsynced_bytes < unsynced_bytes_max) return false;
    this.#unsynced_bytes = 0;
    return true;
  }

  /** Syncs, then rests. */
  async sync(data: () => Promise<void>): Promise<void> {
    const began_ms = performance.now();
    await data();
    await Bun.sleep(restOf(began_ms));
  }

  /** The same, for those who wait for every step. */
  syncNow(data: () => void): void {
    const began_ms = performance.now();
    data();
    Bun.sleepSync(restOf(began_ms));
  }
}

const restOf = (began_ms: number): number => Math.min(rest_ms_max, performance.now() - began_ms);

/** Writes the pieces into the new file `path`, which only this user may read. On the disk then. */
export async function writePaced(pieces: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  const pace = new WritePace();
  for await (const piece of pieces) {
    await file.writeFile(piece);
    if (pace.add(piece.length)) await pace.sync(() => file.datasync());
  }
  await file.sync();
}
