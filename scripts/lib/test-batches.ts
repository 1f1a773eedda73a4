/**
 * Batches of test files that `npm test` runs one after another in one process: loading modules,
 * helpers or a browser for each file would take a second or more of processor time.
 */
import { seconds_of } from "./test-files";

/** The maximum duration of a batch of several files. */
const seconds_max = 30;
/** The assumed duration of a file that `seconds_of` does not list. */
const seconds_otherwise = 5;

/** `test/unit/batch.test.ts` is `unit/batch`. */
export const nameOf = (path: string): string => path.slice("test/".length, -".test.ts".length);

/** Groups files of the same directory, keeping their order. */
export function inBatches(paths: readonly string[]): string[][] {
  const batches: string[][] = [];
  /** By directory: the batch that is not full yet, and its duration. */
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
