/**
 * The memory of a process, measured from outside: a process stuck in native code can't report it
 * itself.
 */
import { existsSync, readFileSync } from "node:fs";

const has_proc = existsSync("/proc/self/status");

/** How often to check. Without `/proc` each check starts a process. */
export const poll_ms = has_proc ? 50 : 250;

/** Resident memory in bytes; null when the process is gone or the system can't tell. */
export const residentBytes = (pid: number): number | null | Promise<number | null> =>
  has_proc ? fromProc(pid) : fromPs(pid);

/** Linux. In kibibytes whatever the page size, unlike `statm`. */
export function fromProc(pid: number): number | null {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(
      readFileSync(`/proc/${pid}/status`, "latin1"),
    )?.[1];
    return kibibytes === undefined ? null : Number(kibibytes) * 1024;
  } catch {
    return null;
  }
}

/** macOS and the BSDs. Windows has no `ps`: only the time limit applies there. */
export async function fromPs(pid: number): Promise<number | null> {
  try {
    const ps = Bun.spawn(["ps", "-o", "rss=", "-p", String(pid)], {
      stdin: "ignore",
      stderr: "ignore",
    });
    const kibibytes = Number.parseInt(await ps.stdout.text(), 10);
    return Number.isNaN(kibibytes) ? null : kibibytes * 1024;
  } catch {
    return null;
  }
}
