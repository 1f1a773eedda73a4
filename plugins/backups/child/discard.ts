/** Deletes intermediate files, in a child process. */
import { rm, stat, truncate } from "node:fs/promises";

/** A file system can free this much at a time without delaying others. */
const step_bytes = 32 * 2 ** 20;
const pause_ms = 5;

/** Deletes a file from its end; does nothing when it does not exist. */
export async function discard(path: string): Promise<null> {
  let size = (await stat(path).catch(() => null))?.size ?? 0;
  while (size > step_bytes) {
    size -= step_bytes;
    await truncate(path, size);
    await Bun.sleep(pause_ms);
  }
  await rm(path, { force: true });
  return null;
}
