/**
 * The memory of a server that is killed every few seconds, compared at like moments: just before
 * each kill, when all processes have the same age.
 */
import { readFileSync } from "node:fs";

const mebibyte = 2 ** 20;

/** One life of the server, at its end. */
interface Life {
  readonly minute: number;
  readonly resident_bytes: number;
  /** The most it had in this life. */
  readonly peak_bytes: number;
}

/** The memory of each process at its end. */
export class MemoryLog {
  private readonly lives: Life[] = [];

  /** Reads what the process has now, if it still exists. `minute`: since the start of the soak. */
  note(pid: number, minute: number): void {
    let status: string;
    try {
      status = readFileSync(`/proc/${pid}/status`, "utf8");
    } catch {
      return;
    }
    const bytes = (field: string) =>
      Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1_024;
    this.lives.push({
      minute: Math.floor(minute),
      resident_bytes: bytes("VmRSS"),
      peak_bytes: bytes("VmHWM"),
    });
  }

  /** `231 MiB, at most 280`: those of the given minutes; the whole soak by default. */
  of(from = 0, until = Infinity): string {
    const lives = this.lives.filter(({ minute }) => minute >= from && minute < until);
    if (lives.length === 0) return "not measured";
    const mean = lives.reduce((sum, life) => sum + life.resident_bytes, 0) / lives.length;
    const peak = Math.max(...lives.map(({ peak_bytes }) => peak_bytes));
    return `${(mean / mebibyte).toFixed(0)} MiB, at most ${(peak / mebibyte).toFixed(0)}`;
  }

  /** Lines for the report: each minute, then the first third beside the last. */
  report(): string[] {
    const last = Math.max(0, ...this.lives.map(({ minute }) => minute)) + 1;
    const third = Math.ceil(last / 3);
    return [
      "memory before each kill (mean), and at most in between:",
      ...Array.from({ length: last }, (_, n) => `  minute ${n + 1}: ${this.of(n, n + 1)}`),
      `  first third: ${this.of(0, third)}; last third: ${this.of(last - third)}`,
    ];
  }
}
