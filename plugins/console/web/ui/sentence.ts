/** A sentence of the server for display, with times and sizes in the console's format. */
import { formatBytes, formatDateTime } from "./format";

const moment = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z(?: \(UTC\))?/g;
const size = /\b(\d+(?:\.\d+)?) ?([KMGT])iB\b/g;
const units = "KMGT";

/** The API's own are exact, and in UTC. */
export const forPeople = (sentence: string): string =>
  sentence
    .replace(moment, (time) => formatDateTime(time.replace(" (UTC)", "")))
    .replace(size, (_, value: string, unit: string) =>
      formatBytes(Number(value) * 1024 ** (units.indexOf(unit) + 1)),
    );
