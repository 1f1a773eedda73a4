/** Finds a passage on the pages of a PDF. */
import type { Highlight } from "./highlight";
import { locate, type Hit } from "./quote-match";
import { textOf, type PDFDocumentProxy, type TextContent } from "./pdfjs";

/**
 * The marks of each page, by its number, and the left and right edge of the text on the first of
 * these pages, in points.
 */
export interface Marks {
  readonly pages: ReadonlyMap<number, readonly Hit[]>;
  readonly column: { readonly left: number; readonly right: number } | null;
}
export const no_marks: Marks = { pages: new Map(), column: null };

/** A passage that spans more pages is searched for on the first ones. */
const pages_max = 8;

/** The texts of a page's pieces, in the order that the text layer lays them out. */
export const piecesOf = (content: TextContent): string[] =>
  content.items.flatMap((item) => ("str" in item ? [item.str] : []));

/**
 * Searches the pages that the index names, then their neighbours: some files count pages
 * differently. Empty when the passage is not there as text.
 */
export async function findOnPages(
  pdf: PDFDocumentProxy,
  { quote, page, page_end }: Highlight,
): Promise<Marks> {
  if (page === null || quote === "") return no_marks;
  const last = Math.min(page_end ?? page, page + pages_max - 1);
  const spans = [
    [page, last],
    [page - 1, last + 1],
  ] as const;
  for (const [from, to] of spans) {
    const marks = await marksBetween(pdf, Math.max(1, from), Math.min(to, pdf.numPages), quote);
    if (marks.size > 0)
      return { pages: marks, column: await columnOf(pdf, Math.min(...marks.keys())) };
  }
  return no_marks;
}

async function marksBetween(
  pdf: PDFDocumentProxy,
  from: number,
  to: number,
  quote: string,
): Promise<Map<number, Hit[]>> {
  const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
  const pages = await Promise.all(
    numbers.map(async (number) => piecesOf(await textOf(await pdf.getPage(number)))),
  );
  const marks = new Map<number, Hit[]>();
  for (const { piece, ...place } of locate(pages.flat(), quote)) {
    let page = 0,
      index = piece;
    while (index >= pages[page]!.length) index -= pages[page++]!.length;
    const number = numbers[page]!;
    marks.set(number, [...(marks.get(number) ?? []), { piece: index, ...place }]);
  }
  return marks;
}

/** The left and right edge of the text on a page; null on a rotated page. */
async function columnOf(pdf: PDFDocumentProxy, number: number): Promise<Marks["column"]> {
  const page = await pdf.getPage(number);
  if (page.rotate !== 0) return null;
  const [origin] = page.view;
  let left = Infinity,
    right = -Infinity;
  for (const item of (await textOf(page)).items) {
    if (!("str" in item) || item.str.trim() === "") continue;
    left = Math.min(left, item.transform[4] - origin!);
    right = Math.max(right, item.transform[4] - origin! + item.width);
  }
  return right > left ? { left, right } : null;
}
