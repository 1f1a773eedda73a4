/**
 * Keeps the memory of a server small: what only its start needed is given back to the operating
 * system, parts of the heap and most of the executable's mapped pages; these again while the server
 * uses much memory.
 */
import { dlopen } from "bun:ffi";
import { readFileSync } from "node:fs";
import { libcPath } from "../lib/libc";
import { usesMuchMemory } from "../lib/memory-use";

/** MADV_DONTNEED on Linux: the pages are read from their file again when they are used. */
const not_needed = 4;
const mapping_head = /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \d+ +(\S.*)$/;

const check_every_ms = 2_000;
/** A server that computes less than this share of the time is idle. */
const idle_share = 0.1;

/** Called once the server has started. Returns a function that ends it. */
export function limitMemory(): () => void {
  let last_usage = process.cpuUsage();
  let executable: Executable | undefined;
  let was_idle = false;
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(last_usage);
    last_usage = process.cpuUsage();
    const becomes_idle = !was_idle && (user + system) / 1_000 < idle_share * check_every_ms;
    if (becomes_idle) shrinkHeap();
    if (becomes_idle || !executable || usesMuchMemory()) {
      executable ??= new Executable();
      executable.releasePages();
    }
    was_idle ||= becomes_idle;
  }, check_every_ms).unref();
  return () => clearInterval(timer);
}

/**
 * Takes some 20 ms; the runtime itself never does this while it is idle. It drops all compiled code
 * too, which a busy server would have to compile again at once.
 */
function shrinkHeap(): void {
  Bun.gc(true);
  Bun.shrink();
}

const openLibc = (path: string) =>
  dlopen(path, { madvise: { args: ["u64", "u64", "i32"], returns: "i32" } });

/** The mapped pages of the executable that can be read from its file again at any time. */
class Executable {
  private readonly pages: readonly Mapping[] = [];
  private readonly libc: ReturnType<typeof openLibc> | undefined;

  constructor() {
    try {
      const libc = libcPath();
      if (libc === undefined) return;
      const mappings = mappingsOf(readFileSync("/proc/self/smaps", "utf8"));
      this.libc = openLibc(libc);
      this.pages = mappings.filter(
        ({ path, read_only, private_kb }) =>
          // A written page differs from the file: it would be lost.
          path === process.execPath && read_only && private_kb === 0,
      );
    } catch {
      // Without /proc, or when the C library is not at the expected path, the pages stay.
    }
  }

  /** Pages in use are read from the file again; those that only the start needed are not. */
  releasePages(): void {
    for (const { start, end } of this.pages)
      this.libc?.symbols.madvise(start, end - start, not_needed);
  }
}

interface Mapping {
  readonly path: string;
  readonly start: bigint;
  readonly end: bigint;
  readonly read_only: boolean;
  /** How much of it is private to this process. */
  readonly private_kb: number;
}

/** The mapped files in the text of `/proc/self/smaps`. */
function mappingsOf(smaps: string): Mapping[] {
  const mappings: Mapping[] = [];
  for (const text of smaps.split(/^(?=[0-9a-f]+-)/m)) {
    const [, start, end, rights, path] = mapping_head.exec(text.slice(0, text.indexOf("\n"))) ?? [];
    if (path !== undefined)
      mappings.push({
        path,
        start: BigInt(`0x${start}`),
        end: BigInt(`0x${end}`),
        read_only: rights![1] !== "w",
        private_kb: Number(/^Anonymous: +(\d+) kB$/m.exec(text)?.[1] ?? Number.NaN),
      });
  }
  return mappings;
}
