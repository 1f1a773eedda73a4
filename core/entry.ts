/**
 * The entry point of the executable. A server begins once more, as the same process: the runtime
 * reads how its garbage collector works from the environment, before any code runs.
 */
import { serves } from "./cli/serves";

/**
 * What the collector takes for the memory of the machine. While the process uses more than four
 * fifths of it, each thread collects all of its heap whenever a few more megabytes have been
 * allocated, in threads of the collector beside the running code. Otherwise a heap is collected
 * when it has about doubled, which is too late for those of all threads together.
 */
const memory_bytes = 288_000_000;
const setting = "BUN_JSC_forceRAMSize";

const words = process.argv.slice(2);
if (serves(words) && process.env[setting] === undefined) beginAgain();
await import("./main");

/** Returns only where a process can't be replaced. */
function beginAgain(): void {
  const env = { ...process.env, [setting]: String(memory_bytes) };
  try {
    process.execve?.(process.execPath, [process.argv0, ...words], env);
  } catch {
    // The server works without, but uses more memory.
  }
}
