/** The newest log lines, kept in memory for the system page of the running server. */
import { levels, type Level } from "./log";

/** A parsed line of the log. */
export interface LogLine {
  /** RFC 3339. */
  readonly at: string;
  readonly level: Level;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}
const lines_max = 1_000;

/** Keeps the newest thousand lines. */
export class LogRing {
  private readonly lines: string[] = [];
  private next = 0;

  /** A line as it was written: JSON, without secrets. */
  add(line: string): void {
    this.lines[this.next] = line;
    this.next = (this.next + 1) % lines_max;
  }

  /** The newest first, at this level and above. */
  read(level_min: Level, count_max: number): LogLine[] {
    const { lines, next } = this;
    const newest_first = [...lines.slice(next), ...lines.slice(0, next)].reverse();
    const matching: LogLine[] = [];
    for (const line of newest_first) {
      if (matching.length === count_max) break;
      const { time, level, message, ...fields } = JSON.parse(line) as {
        time: string;
        level: Level;
        message: string;
      };
      if (levels.indexOf(level) >= levels.indexOf(level_min))
        matching.push({ at: time, level, message, fields });
    }
    return matching;
  }
}
