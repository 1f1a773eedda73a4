/** A sentence of the server for display, with times and sizes in the console's format. */
import { formatBytes, formatDateTime } from "./format";

const time_pattern = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z(?: \(UTC\))?/g;
const size_pattern = /\b(\d+(?:\.\d+)?) ?([KMGT])iB\b/g;
const units = "KMGT";

/**
 * Replaces exact times in UTC and sizes such as `1.5 GiB`, as the API writes them, by those in the
 * console's format.
 */
export const forPeople = (sentence: string): string =>
  sentence
    .replace(time_pattern, (time) => formatDateTime(time.replace(" (UTC)", "")))
    .replace(size_pattern, (_, value: string, unit: string) =>
      formatBytes(Number(value) * 1024 ** (units.indexOf(unit) + 1)),
    );
