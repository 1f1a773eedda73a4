/**
 * Helpers for every row: medians, memory, processor time and writes of a process from /proc, and
 * the shape of a row.
 */
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** One line of the benchmark's table. */
export interface Row {
  readonly name: string;
  /** What was measured, in words with units. */
  readonly measured: string;
  readonly value: number;
  readonly unit: string;
  /** The value must be at least or at most this; null for an informational row. */
  readonly target: { readonly least: number } | { readonly most: number } | null;
}

/** Whether the value meets its target; null without one. */
export const met = ({ value, target }: Row): boolean | null =>
  target === null ? null : "least" in target ? value >= target.least : value <= target.most;

/** The quantile: the value below which `part` of the values lie; 0.5 is the median. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)]!;
  return below + (sorted[Math.ceil(place)]! - below) * (place % 1);
}
/** Of numbers in any order. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** How long the work takes, milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Memory is read from /proc (Linux); elsewhere those rows are left out. */
export const has_proc = existsSync("/proc/self/smaps_rollup");

const field_mib = (path: string, field: string): number =>
  Number(
    new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(path, "utf8"))?.[1] ?? Number.NaN,
  ) / 1024;

/** The memory of a process now, in mebibytes. */
export const rssMib = (pid: number): number => field_mib(`/proc/${pid}/status`, "VmRSS");
/** The peak since `resetPeak`. */
export const peakRssMib = (pid: number): number => field_mib(`/proc/${pid}/status`, "VmHWM");
/** Lets the peak of a process's memory begin anew. */
export const resetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, "5");
/**
 * Proportional set size of a process and its descendants: shared pages are divided among their
 * users.
 */
export const treePssMib = (pid: number): number =>
  [pid, ...descendants(pid)].reduce(
    (sum, pid) => sum + field_mib(`/proc/${pid}/smaps_rollup`, "Pss"),
    0,
  );

/** Bytes written to the file system; repeated writes count each time. */
export const writtenBytes = (pid: number): number =>
  Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))![1]);

/** Processor time of a process and its main thread, milliseconds. */
export function cpuMs(pid: number): { readonly all_ms: number; readonly main_ms: number } {
  // Linux reports times in hundredths of a second; fields are counted after the name.
  const used_ms = (path: string): number => {
    const fields = readFileSync(path, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  };
  return {
    all_ms: used_ms(`/proc/${pid}/stat`),
    main_ms: used_ms(`/proc/${pid}/task/${pid}/stat`),
  };
}

/** Total size of all files below a directory. */
export const directoryBytes = (directory: string): number =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

function descendants(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8")
      .split(" ")
      .filter(Boolean)
      .map(Number),
  );
  return children.flatMap((child) => [child, ...descendants(child)]);
}
