/**
 * My plugin: reads calendars (.ics), so that they can be uploaded, searched and asked. Each event
 * becomes a heading with its time and place below it.
 */
import { definePlugin, fill } from "dossier";
import { ExtractionFailure, Extractors, type Extractor, type HeadingSpan } from "dossier/contracts";

const size_bytes_max = 16 * 1024 * 1024;
const media_type = "text/calendar";

const extractor: Extractor = {
  /** Before plain text, which takes whatever nobody else wants. */
  rank: 100,
  /** By content: the name of a file may be wrong. */
  recognises: (head) => /^\uFEFF?\s*BEGIN:VCALENDAR\r?\n/i.test(new TextDecoder().decode(head)),
  async extract({ path, size_bytes }) {
    if (size_bytes > size_bytes_max)
      throw new ExtractionFailure("too_large", "Calendars are read up to 16 MiB.");
    const { text, headings } = textOf(await Bun.file(path).text());
    if (text === "") throw new ExtractionFailure("empty", "This calendar has no events.");
    return { text, headings, media_type, pages: [], page_count: null, warnings: [] };
  },
};

/** The events of a calendar as text; `headings` are their names in it. */
export function textOf(ics: string): { text: string; headings: HeadingSpan[] } {
  const headings: HeadingSpan[] = [];
  let text = "";
  for (const event of eventsOf(ics)) {
    const title = event.get("SUMMARY") ?? "Untitled event";
    headings.push({ start: text.length, end: text.length + title.length, level: 1 });
    const times = [event.get("DTSTART"), event.get("DTEND")].flatMap((time) => timeOf(time) ?? []);
    const lines = [
      title,
      times.length > 0 ? `When: ${times.join(" to ")}` : undefined,
      event.has("LOCATION") ? `Where: ${event.get("LOCATION")}` : undefined,
      event.get("DESCRIPTION"),
    ];
    text += `${lines.filter((line) => line).join("\n")}\n\n`;
  }
  return { text: text.trimEnd(), headings };
}

/** The properties of each event, by name. */
function eventsOf(ics: string): Map<string, string>[] {
  const events: Map<string, string>[] = [];
  let event: Map<string, string> | null = null;
  // A long line continues in the next one, which begins with white space.
  for (const line of ics.replace(/\r?\n[ \t]/g, "").split(/\r?\n/)) {
    const [, name, value] = /^([A-Z-]+)(?:;[^:]*)?:(.*)$/i.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    if (line === "BEGIN:VEVENT") events.push((event = new Map()));
    else if (line === "END:VEVENT") event = null;
    else event?.set(name.toUpperCase(), value.replace(/\\n/gi, "\n").replace(/\\([,;\\])/g, "$1"));
  }
  return events;
}

/** `20260301T093000Z` → `2026-03-01 09:30 UTC`; undefined when it is no time. */
function timeOf(value: string | undefined): string | undefined {
  const [, year, month, day, hour, minute, utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$/.exec(value ?? "") ?? [];
  if (year === undefined) return undefined;
  const time = hour === undefined ? "" : ` ${hour}:${minute}${utc ? " UTC" : ""}`;
  return `${year}-${month}-${day}${time}`;
}

export default definePlugin({
  name: "my-plugin",
  version: "0.1.0",
  setup: () => ({ fills: [fill(Extractors, extractor)] }),
});
