/**
 * A part of a document's text: from a position or page on, with a length that the client chooses.
 */
import { HttpError, named, route, t, type Static } from "../../../core/sdk";
import { pageAt, PageLabel, type PageSpan } from "../../extraction/contract";
import type { DocumentContext } from "../context";
import { requireDocument, rereadIfGone } from "../queries";
import { fromStoredPages } from "../store";
import * as textStore from "./text-store";

const range_default = 20_000;
const range_max = 100_000;

const Place = (description: string) => t.Integer({ minimum: 0, description });
const Page = (description: string) => t.Optional(t.Integer({ minimum: 1, description }));
const RangeQuery = t.Object({
  start: t.Optional(Place("The first code point; that of the page, or 0, when absent.")),
  length: t.Optional(
    t.Integer({
      minimum: 1,
      default: range_default,
      description: `Code points at most; above ${range_max} means ${range_max}.`,
    }),
  ),
  page: Page("Read from the beginning of this page, slide or sheet."),
  page_end: Page("… and to the end of this one; the same page when absent."),
});
const PageNumber = (description: string) => t.Union([t.Integer(), t.Null()], { description });
const TextRange = named(
  "DocumentText",
  t.Object({
    document_id: t.String(),
    name: t.String(),
    version: t.Integer({ description: "Whose text this is; 0 before there is any." }),
    text: t.String(),
    start: Place("The first code point of `text` in the document's content."),
    end: Place("The one after its last."),
    next_start: t.Union([t.Integer(), t.Null()], {
      description: "Where to read on for what was asked for; null at its end.",
    }),
    length: Place("Of the whole content, code points."),
    page: PageNumber("The page of the first code point; null for a format without pages."),
    page_end: PageNumber("The page of the last one."),
    page_label: PageLabel,
  }),
);
type TextRange = Static<typeof TextRange>;
const range_example: TextRange = {
  document_id: "doc_01J9ZK3V6W8Q2T4Y5N7B1C0DEF",
  name: "mooring-survey.pdf",
  version: 1,
  text: "The mooring was lifted at noon.",
  start: 1_840,
  end: 1_871,
  next_start: 1_871,
  length: 24_310,
  page: 2,
  page_end: 2,
  page_label: "ii",
};

/** `GET /documents/:documentId/text` */
export const textRoute = route.get("/documents/:documentId/text", {
  summary: "Read a part of a document's text",
  tag: "Documents",
  operation: "readDocumentText",
  description:
    "From a place or a page on, as much as is asked for; `next_start` goes on. Offsets count " +
    "code points, as those of citations do.",
  query: RangeQuery,
  answers: {
    200: { description: "The part.", schema: TextRange, example: range_example },
  },
  errors: { 404: { no_such_page: "The document has no such page, or no pages at all." } },
});

/** From the current text. @throws HttpError 403, 404, also for a page that it does not have. */
export function readRange(
  { db }: DocumentContext,
  owner_id: string,
  document_id: string,
  range: Static<typeof RangeQuery>,
): Promise<TextRange> {
  return rereadIfGone(async () => {
    const { name } = await requireDocument(db, owner_id, document_id);
    const text = await textStore.findPagedText(db, document_id);
    const head = { document_id, name };
    if (!text) {
      if (range.page !== undefined) throw noSuchPage(range.page, []);
      const nothing = { text: "", start: 0, end: 0, next_start: null, length: 0 };
      return { ...head, version: 0, ...nothing, ...no_page };
    }
    const pages = fromStoredPages(text);
    const { units } = text.text;
    const places = textStore.placesIn(db, text.text);
    const requested = rangeOfPages(pages, range, units);
    const first = await places.pointAt(requested.start);
    const length = await places.pointAt(units);
    const last = requested.end >= units ? length : await places.pointAt(requested.end);
    const start = Math.min(Math.max(first, range.start ?? 0), last);
    const end = Math.min(start + Math.min(range.length ?? range_default, range_max), last);
    const from = await places.unitAt(start);
    const to = await places.unitAt(end);
    return {
      ...head,
      version: text.version,
      text: await textStore.unitsOf(db, text.text, from, to),
      start,
      end,
      next_start: end < last ? end : null,
      length,
      page: pageAt(pages, from)?.page ?? null,
      page_end: pageAt(pages, Math.max(from, to - 1))?.page ?? null,
      page_label: pageAt(pages, from)?.label ?? null,
    };
  });
}

const no_page = { page: null, page_end: null, page_label: null };

/** UTF-16 units of the requested pages; of all when none are requested. */
function rangeOfPages(
  pages: readonly PageSpan[],
  { page, page_end = page }: Static<typeof RangeQuery>,
  units: number,
): { readonly start: number; readonly end: number } {
  if (page === undefined) return { start: 0, end: units };
  const at = pages.findIndex((page_start) => page_start.page >= page);
  if (at < 0 || (page_end === page && pages[at]!.page !== page)) throw noSuchPage(page, pages);
  return {
    start: pages[at]!.start,
    end: pages.find((page_start) => page_start.page > page_end!)?.start ?? units,
  };
}

function noSuchPage(page: number, pages: readonly PageSpan[]): HttpError {
  const detail =
    pages.length === 0
      ? "This document has no pages. Use `start` instead."
      : `There is no page ${page}. The document has pages ${pages[0]!.page} to ` +
        `${pages.at(-1)!.page}.`;
  return new HttpError(404, "no_such_page", detail, { errors: [{ pointer: "?page", detail }] });
}
