/** Where what only tests need is written. */
import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const memory = "/dev/shm";
const memory_bytes_min = 2 * 2 ** 30;

/** In memory where there is much of it: no test waits for a disk. */
export function memoryPlace(): string {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > memory_bytes_min ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}
