/** Where the C library is, for calls that the runtime does not offer. */
import { readFileSync } from "node:fs";

/** The file of the one that this process uses; undefined on other systems than Linux. */
export function libcPath(): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const mappings = readFileSync("/proc/self/maps", "utf8");
    return /\/\S*\/(?:libc|ld-musl)[-.][^/\n]*$/m.exec(mappings)?.[0];
  } catch {
    return undefined;
  }
}
