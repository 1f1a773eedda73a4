/** The directory for temporary files of tests. */
import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const memory = "/dev/shm";
const memory_bytes_min = 2 * 2 ** 30;

/**
 * In memory if there is enough of it, so that no test waits for a disk. `npm test` sets a directory
 * for its run, which it removes at the end.
 */
export function memoryDirectory(): string {
  const { TEST_MEMORY_PLACE: of_the_run } = process.env;
  if (of_the_run) return of_the_run;
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > memory_bytes_min ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}
