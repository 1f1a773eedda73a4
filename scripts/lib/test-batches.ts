/**
 * Which test files `npm test` runs in one process, one after the other: to load the modules of a
 * test, its helpers or a browser takes a second or several of a processor each time.
 */
import { seconds_of } from "./test-files";

/** A process is given no further file that would take it beyond this. */
const seconds_max = 30;
/** Of a file that `seconds_of` does not name. */
const seconds_otherwise = 5;

/** `test/unit/batch.test.ts` is `unit/batch`. */
export const nameOf = (path: string): string => path.slice("test/".length, -".test.ts".length);

/** Files of the same directory together, in the order in which they came. */
export function inBatches(paths: readonly string[]): string[][] {
  const batches: string[][] = [];
  /** By directory: the batch that is not full, and its seconds. */
  const open = new Map<string, { readonly batch: string[]; seconds: number }>();
  for (const path of paths) {
    const name = nameOf(path);
    const kind = name.split("/")[0]!;
    const seconds = seconds_of[name] ?? seconds_otherwise;
    const last = open.get(kind);
    if (last && last.seconds + seconds <= seconds_max) {
      last.batch.push(path);
      last.seconds += seconds;
      continue;
    }
    const batch = [path];
    batches.push(batch);
    open.set(kind, { batch, seconds });
  }
  return batches;
}
