/**
 * Limits of what is known about a text besides the text: a child sends it in one message, and the
 * server holds it in memory.
 */
import { counted } from "../../core/lib/counted";
import { page_label_max, type Warning } from "./contract";

/** Further headings of a document are left out. */
export const headings_max = 50_000;
/** Each list of documents contains their warnings. */
const warnings_max = 50;
const warning_length_max = 500;

/** A label on one line, short enough to be shown beside a quote. */
export const shortLabel = (label: string): string =>
  shortened(
    label
      .toWellFormed()
      .replace(/[\s\p{Cc}]+/gu, " ")
      .trim(),
    page_label_max,
  );

/** The first warnings; the last one counts those left out. */
export function fewWarnings(warnings: readonly Warning[]): readonly Warning[] {
  const few = warnings.length <= warnings_max ? warnings : warnings.slice(0, warnings_max - 1);
  const left_out = warnings.length - few.length;
  const short = few.map((warning) => ({
    ...warning,
    message: shortened(warning.message, warning_length_max),
  }));
  if (left_out === 0) return short;
  const message = `There are ${counted(left_out, "further warning")}.`;
  return [...short, { code: "warnings_left_out", message, page: null }];
}

const shortened = (text: string, length_max: number): string =>
  text.length <= length_max
    ? text
    : `${text
        .slice(0, length_max - 1)
        .replace(/[\ud800-\udbff]$/, "")
        .trimEnd()}…`;
