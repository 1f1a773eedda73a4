/** The location of a passage as a short text. */
import type { Passage } from "../api/types";
import { formatDuration } from "../ui/format";
import { reader_strings as strings } from "../strings/reader";

/** `handbook.pdf, p. 3`, `interview.mp3, 1:02`, or `guide.md › Filters`. */
export function citationText(passage: Passage): string {
  const location = shortLocation(passage);
  return location === null ? sectionText(passage) : `${passage.document_name}, ${location}`;
}

/**
 * `guide.md › Filters`: documents without pages are located by heading, but not by table headers.
 */
export function sectionText({ document_name, heading }: Passage): string {
  const section = heading?.split(" › ").findLast((part) => !part.includes(" | "));
  return section === undefined ? document_name : `${document_name} › ${section}`;
}

/** The headings above a passage, to be shown beside `citationText`; null when it has them all. */
export const furtherHeadings = (passage: Passage): string | null =>
  citationText(passage).endsWith(` › ${passage.heading}`) ? null : passage.heading;

/** The page of the document, at this passage. */
export function passageHref({ document_id, start, end, page, stale }: Passage): string {
  if (stale) return `/documents/${document_id}`;
  const fields = new URLSearchParams({ start: String(start), end: String(end) });
  if (page !== null) fields.set("page", String(page));
  return `/documents/${document_id}?${fields}`;
}

/** `Sheet Budget` and `Slide 4 · Risks` need no prefix. */
const isNamed = (label: string): boolean => /^(?:Sheet|Slide) /.test(label);

/** Labels are known only for the first pages. */
const spansPages = (page: number, page_end: number | null): boolean =>
  page_end !== null && page_end !== page;

/** The name of a page: `Page 3`, `Page iv`, `Sheet Budget`. */
export const pageName = (page: number, label: string | null): string =>
  label !== null && isNamed(label) ? label : strings.page(label ?? page);

/** `p. 3`, `p. iv`, `Sheet Budget`, or `1:02`; null if unknown. */
export function shortLocation({ page, page_end, page_label, time_start }: Passage): string | null {
  if (page !== null) {
    if (page_label === null) return strings.short_pages(page, page_end);
    const name = isNamed(page_label) ? page_label : strings.short_page(page_label);
    return spansPages(page, page_end) ? strings.from_page(name) : name;
  }
  return time_start === null ? null : formatDuration(time_start);
}

/** `Pages 3–4`, `Page iv`, `Sheet Budget`, or `At 1:02`; null if unknown. */
export function longLocation({ page, page_end, page_label, time_start }: Passage): string | null {
  if (page !== null) {
    if (page_label === null) return strings.pages(page, page_end);
    const name = pageName(page, page_label);
    return spansPages(page, page_end) ? strings.from_page(name) : name;
  }
  return time_start === null ? null : strings.at_time(formatDuration(time_start));
}
