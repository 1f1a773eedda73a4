/**
 * Structured logs: one JSON object per line on standard error, without secrets. A line that belongs
 * to a request has its `request_id`, one that belongs to a job the id of the `job`.
 */
import { originOf } from "./origin";
import { redact } from "./redaction";

export type Level = "debug" | "info" | "warn" | "error";
export const levels: readonly Level[] = ["debug", "info", "warn", "error"];

export interface Log {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
  /** The same log with these fields added to every line. */
  child(fields: object): Log;
}

/**
 * Writes lines at level `least` and above, read for each line. `write` gets one line without
 * its line break.
 */
export function jsonLog(
  least: Level | (() => Level) = "info",
  write: (line: string) => void = (line) => {
    process.stderr.write(`${line}\n`);
  },
  base: object = {},
): Log {
  const at =
    (level: Level) =>
    (message: string, fields: object = {}) => {
      const { owner: _owner, subject: _subject, ...origin } = originOf();
      const lowest = typeof least === "function" ? least() : least;
      if (levels.indexOf(level) < levels.indexOf(lowest)) return;
      write(
        redact(
          JSON.stringify({
            time: new Date().toISOString(),
            level,
            message,
            ...origin,
            ...base,
            ...fields,
          }),
        ),
      );
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => jsonLog(least, write, { ...base, ...fields }),
  };
}

/** The log fields for an unknown error. */
export const errorFields = (error: unknown): object =>
  error instanceof Error
    ? {
        error: error.message,
        stack: error.stack
          ?.split("\n")
          .slice(1, 8)
          .map((line) => line.trim()),
      }
    : { error: String(error) };
