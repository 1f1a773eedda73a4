/**
 * The headings of a text: as extracted, as marked by Markdown, or the names of slides and sheets.
 */
import type { Outline } from "./content";
import { pageName } from "./location";
import type { Heading } from "./side-list";
import { lineAt } from "./text-chunks";
import { indicesOf } from "./text-ranges";

/** With their text, in document order. */
export function headingsOf(text: string, outline: Outline): readonly Heading[] {
  const extracted = outline.headings;
  const ends = indicesOf(
    text,
    extracted.flatMap(({ start, end }) => [start, end]),
  );
  return extracted.map(({ level }, index): Heading => {
    const place = ends[2 * index]!;
    const end = ends[2 * index + 1]!;
    return {
      text: titleOf(text.slice(place, end)),
      level,
      place,
      end,
      is_written: /#[^\n]*$/.test(text.slice(Math.max(0, place - 8), place + 1)),
    };
  });
}

/** Without the Markdown markup. */
const titleOf = (heading: string): string =>
  heading
    .replace(/^[\s#]+|[\s#]+$/g, "")
    .replace(/[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}/g, "")
    .replace(/\s+/g, " ");

/** The same with the page of each as its position. */
export function headingsByPage(text: string, outline: Outline): readonly Heading[] {
  const starts = indicesOf(
    text,
    outline.pages.map(({ start }) => start),
  );
  let page_index = 0;
  return headingsOf(text, outline).flatMap(({ text: title, level, place }) => {
    while (page_index + 1 < starts.length && starts[page_index + 1]! <= place) page_index++;
    const page = outline.pages[page_index]?.page;
    return page === undefined || title === "" ? [] : [{ text: title, level, place: page }];
  });
}

const marker_pattern = /^ {0,3}(#{1,6})[ \t]+(?=\S)/;
const fence_pattern = /^ {0,3}(?:`{3,}|~{3,})/;

/** Lines that Markdown marks as headings, outside of code. */
export function markedHeadings(text: string): readonly Heading[] {
  const headings: Heading[] = [];
  let in_code = false;
  for (let at = 0; at < text.length;) {
    const { line, next } = lineAt(text, at);
    if (fence_pattern.test(line)) in_code = !in_code;
    const marker = in_code ? null : marker_pattern.exec(line);
    if (marker)
      headings.push({
        text: titleOf(line),
        level: marker[1]!.length,
        place: at + marker[0].length,
        end: at + line.trimEnd().length,
        is_written: true,
      });
    at = next;
  }
  return headings;
}

/** Slides and sheets by name; pages with only numbers are not headings. */
export const pagesAsHeadings = (
  pages: Outline["pages"],
  starts: readonly number[],
): readonly Heading[] =>
  pages.every(({ page_label }) => page_label === null)
    ? []
    : pages.map(({ page, page_label }, index) => ({
        text: pageName(page, page_label),
        level: 1,
        place: starts[index]!,
      }));
