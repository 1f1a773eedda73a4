/** Deleting what was needed on the way, in a child process. */
import { rm, stat, truncate } from "node:fs/promises";

/** A file system frees so much at a time without making others wait for it. */
const step_bytes = 32 * 2 ** 20;
const pause_ms = 5;

/** Deletes a file from its end on; none is as good as one. */
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
