/**
 * Structured logs: one JSON object per line on standard error, without secrets. A line that belongs
 * to a request has its `request_id`, one that belongs to a job the id of the `job`.
 */
import { originOf } from "./origin";
import { redact } from "./redaction";

/** Severity of a line, in ascending order. */
export type Level = "debug" | "info" | "warn" | "error";
/** In ascending order. */
export const levels: readonly Level[] = ["debug", "info", "warn", "error"];

/** A log. Each call writes a line; `fields` are added to its JSON. */
export interface Log {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
  /** The same log with these fields added to every line. */
  child(fields: object): Log;
}

/**
 * Writes lines at level `level_min` and above, which is read for each line. `write` gets one line
 * without its line break.
 */
export function jsonLog(
  level_min: Level | (() => Level) = "info",
  write: (line: string) => void = (line) => {
    process.stderr.write(`${line}\n`);
  },
  base: object = {},
): Log {
  const writerOf =
    (level: Level) =>
    (message: string, fields: object = {}) => {
      const { owner: _owner, subject: _subject, ...origin } = originOf();
      const lowest = typeof level_min === "function" ? level_min() : level_min;
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
    debug: writerOf("debug"),
    info: writerOf("info"),
    warn: writerOf("warn"),
    error: writerOf("error"),
    child: (fields) => jsonLog(level_min, write, { ...base, ...fields }),
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
