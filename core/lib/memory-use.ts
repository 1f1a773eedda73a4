/** How much memory the process uses. */

const much_bytes = 224 * 2 ** 20;
/** Whether caches should be small for now. */
export const usesMuchMemory = (): boolean => residentBytes() > much_bytes;

let last_resident_bytes = 0;
/** The last known value while the process has too many files open. */
function residentBytes(): number {
  try {
    last_resident_bytes = process.memoryUsage.rss();
  } catch {
    // It can't be read now.
  }
  return last_resident_bytes;
}
