/** Locates a quote, and the passage around it, on the pages of a PDF. */
import type { Highlight } from "./highlight";
import { locate, locateWithin, type Hit } from "./quote-match";
import { textOf, type PDFDocumentProxy, type TextContent } from "./pdfjs";

/**
 * The marks and shades of each page, by page number, and the left and right edge of the passage's
 * column on the first of these pages, in points.
 */
export interface Marks {
  readonly pages: ReadonlyMap<number, readonly Hit[]>;
  readonly shades: ReadonlyMap<number, readonly Hit[]>;
  readonly column: { readonly left: number; readonly right: number } | null;
}
/** Nothing to highlight. */
export const no_marks: Marks = { pages: new Map(), shades: new Map(), column: null };

/** A passage that spans more pages is searched for on the first ones. */
const pages_max = 8;
/** A quote without a page is searched for on this many. */
const anywhere_pages_max = 1_000;

/** The texts of a page's items, in the order of the text layer. */
const piecesOf = (content: TextContent): string[] =>
  content.items.flatMap((item) => ("str" in item ? [item.str] : []));

/**
 * Searches the indexed pages, then their neighbours, because some files count pages differently.
 * Empty if the passage is not there as text.
 */
export async function findOnPages(
  pdf: PDFDocumentProxy,
  { quote, page, page_end, surroundings }: Highlight,
): Promise<Marks> {
  if (quote === "") return no_marks;
  if (page === null) return findAnywhere(pdf, quote);
  const last_page = Math.min(page_end ?? page, page + pages_max - 1);
  const exact = [page, last_page] as const;
  const wider = [page - 1, last_page + 1] as const;
  // The surrounding passage may begin one page earlier, and end one later.
  for (const [from, to] of surroundings === undefined ? [exact, wider] : [wider]) {
    const found = await marksBetween(
      pdf,
      Math.max(1, from),
      Math.min(to, pdf.numPages),
      quote,
      surroundings,
    );
    if (found.pages.size > 0) {
      const first = Math.min(...found.pages.keys());
      const hits = [...found.pages.get(first)!, ...(found.shades.get(first) ?? [])];
      return { ...found, column: await columnOf(pdf, first, hits) };
    }
  }
  return no_marks;
}

/** For a link without a page: the first page that contains most of the quote. */
async function findAnywhere(pdf: PDFDocumentProxy, quote: string): Promise<Marks> {
  for (let page = 1; page <= Math.min(pdf.numPages, anywhere_pages_max); page++) {
    const found = await marksBetween(pdf, page, page, quote, undefined);
    const hits = found.pages.get(page);
    if (hits !== undefined) return { ...found, column: await columnOf(pdf, page, hits) };
  }
  return no_marks;
}

async function marksBetween(
  pdf: PDFDocumentProxy,
  from: number,
  to: number,
  quote: string,
  surroundings: string | undefined,
): Promise<Pick<Marks, "pages" | "shades">> {
  const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  const pages = await Promise.all(
    numbers.map(async (number) => piecesOf(await textOf(await pdf.getPage(number)))),
  );
  const pieces = pages.flat();
  const shaded = surroundings === undefined ? [] : locate(pieces, surroundings);
  return {
    pages: byPage(pages, numbers, locateWithin(pieces, shaded, quote)),
    shades: byPage(pages, numbers, shaded),
  };
}

/** The same by page number, with item indices counted continuously. */
function byPage(
  pages: readonly (readonly string[])[],
  numbers: readonly number[],
  hits: readonly Hit[],
): Map<number, Hit[]> {
  const by_number = new Map<number, Hit[]>();
  for (const { piece, ...range } of hits) {
    let page = 0;
    let index = piece;
    while (index >= pages[page]!.length) index -= pages[page++]!.length;
    const number = numbers[page]!;
    by_number.set(number, [...(by_number.get(number) ?? []), { piece: index, ...range }]);
  }
  return by_number;
}

/** The left and right edge of these items of a page; null on a rotated page. */
async function columnOf(
  pdf: PDFDocumentProxy,
  number: number,
  hits: readonly Hit[],
): Promise<Marks["column"]> {
  const page = await pdf.getPage(number);
  if (page.rotate !== 0) return null;
  const [origin] = page.view;
  const pieces = (await textOf(page)).items.filter((item) => "str" in item);
  let left = Infinity;
  let right = -Infinity;
  for (const { piece } of hits) {
    const item = pieces[piece];
    if (!item || item.str.trim() === "") continue;
    left = Math.min(left, item.transform[4] - origin!);
    right = Math.max(right, item.transform[4] - origin! + item.width);
  }
  return right > left ? { left, right } : null;
}
