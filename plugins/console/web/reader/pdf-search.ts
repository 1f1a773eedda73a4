/** Where a passage stands on the pages of a PDF. */
import type { Highlight } from "./highlight";
import { locate, type Hit } from "./match";
import { textOf, type PDFDocumentProxy, type TextContent } from "./pdf-engine";

/** The marks of each page, by its number. */
export type Marks = ReadonlyMap<number, readonly Hit[]>;
export const no_marks: Marks = new Map();

/** A passage that claims more pages is looked for on the first ones. */
const pages_max = 8;

/** The texts of a page's pieces, in the order that the text layer lays them out. */
export const piecesOf = (content: TextContent): string[] => content.items.flatMap((item) => "str" in item ? [item.str] : []);

/** Looks on the pages that the index names, then on their neighbours: some files count pages differently. Empty when it is not there as text. */
export async function findOnPages(pdf: PDFDocumentProxy, { quote, page, page_end }: Highlight): Promise<Marks> {
  if (page === null || quote === "") return no_marks;
  const last = Math.min(page_end ?? page, page + pages_max - 1);
  const spans = [[page, last], [page - 1, last + 1]] as const;
  for (const [from, to] of spans) {
    const marks = await marksBetween(pdf, Math.max(1, from), Math.min(to, pdf.numPages), quote);
    if (marks.size > 0) return marks;
  }
  return no_marks;
}

async function marksBetween(pdf: PDFDocumentProxy, from: number, to: number, quote: string): Promise<Marks> {
  const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
  const pages = await Promise.all(numbers.map(async (number) => piecesOf(await textOf(await pdf.getPage(number)))));
  const marks = new Map<number, Hit[]>();
  for (const { piece, ...place } of locate(pages.flat(), quote)) {
    let page = 0, index = piece;
    while (index >= pages[page]!.length) index -= pages[page++]!.length;
    const number = numbers[page]!;
    marks.set(number, [...marks.get(number) ?? [], { piece: index, ...place }]);
  }
  return marks;
}
