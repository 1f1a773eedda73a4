/** The newest lines of the log, kept in memory for whoever looks at the running server. */
import { levels, type Level } from "./log";

export interface LogLine {
  readonly at: string;
  readonly level: Level;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}
export interface LogRing {
  /** A line as it was written: JSON, without secrets. */
  add(line: string): void;
  /** The newest first, of this level and above. */
  read(least: Level, most: number): LogLine[];
}

const lines_max = 1_000;

export function createLogRing(): LogRing {
  const lines: string[] = [];
  let next = 0;
  return {
    add(line) {
      lines[next] = line;
      next = (next + 1) % lines_max;
    },
    read(least, most) {
      const newest_first = [...lines.slice(next), ...lines.slice(0, next)].reverse();
      const found: LogLine[] = [];
      for (const line of newest_first) {
        if (found.length === most) break;
        const { time, level, message, ...fields } = JSON.parse(line) as {
          time: string;
          level: Level;
          message: string;
        };
        if (levels.indexOf(level) >= levels.indexOf(least))
          found.push({ at: time, level, message, fields });
      }
      return found;
    },
  };
}
