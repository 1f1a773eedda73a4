/** The outline of a text: a long one is sent while it is read. */
import type { Db } from "../../core/sdk";
import type { DocumentContext } from "./context";
import { requireDocument, rereadIfGone } from "./queries";
import { no_outline, type Outline } from "./record";
import { fromStoredPages } from "./store";
import { headingsInParts, type StoredHeadings } from "./texts/heading-parts";
import { sentJson } from "./texts/text-bytes";
import * as textStore from "./texts/text-store";

/** How much of the stored headings is read at a time: a few thousands of them. */
const part_chars = 128 * 1024;

/** The positions of the pages and headings of the current text. @throws HttpError 403 or 404. */
export const getOutline = (
  { db }: DocumentContext,
  owner_id: string,
  document_id: string,
): Promise<Outline | Response> =>
  rereadIfGone(async () => {
    await requireDocument(db, owner_id, document_id);
    const text = await textStore.findPagedText(db, document_id);
    if (text === undefined) return no_outline;
    const in_pages = textStore.placesIn(db, text.text);
    const spans = fromStoredPages(text);
    const starts = await in_pages.pointsAt(spans.map(({ start }) => start));
    const pages = spans.map(({ page, label = null }, at) => ({
      page,
      page_label: label,
      start: starts[at]!,
    }));
    const parts = placedHeadings(db, { document_id, ...text });
    const first = await parts.next();
    const second = await parts.next();
    const outline = { version: text.version, pages, headings: first.value ?? [] };
    return second.done ? outline : withHeadings(outline, second.value, parts);
  });

/** With code points of the text. */
async function* placedHeadings(
  db: Db,
  stored: StoredHeadings & { readonly text: textStore.VersionText },
): AsyncGenerator<Outline["headings"], void> {
  const places = textStore.placesIn(db, stored.text);
  for await (const headings of headingsInParts(db, stored, part_chars)) {
    const points = await places.pointsAt(headings.flatMap(({ start, end }) => [start, end]));
    yield headings.map(({ level }, at) => ({
      start: points[2 * at]!,
      end: points[2 * at + 1]!,
      level,
    }));
  }
}

/** The outline with more headings. */
function withHeadings(
  outline: Outline,
  second: Outline["headings"],
  parts: AsyncGenerator<Outline["headings"], void>,
): Response {
  const jsonOf = (headings: Outline["headings"]) => JSON.stringify(headings).slice(1, -1);
  const head = `${JSON.stringify(outline).slice(0, -2)},${jsonOf(second)}`;
  return sentJson(head, parts, (headings) => `,${jsonOf(headings)}`, "]}");
}
