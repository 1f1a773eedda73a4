/** A quote and its place, as `dossier ask` and `dossier search` print them. */
import { pagesOf } from "../search/contract";

/** A passage as the API returns it, as far as it is printed. */
export interface QuotedPassage {
  readonly document_name: string;
  readonly quote: string;
  readonly page: number | null;
  readonly page_end: number | null;
  /** Servers of versions before labels existed send none. */
  readonly page_label?: string | null;
  readonly heading: string | null;
}

/** The quote, indented; on one line, unless it contains a code block. */
export function indentedQuote({ quote }: Pick<QuotedPassage, "quote">): string {
  const quotation = `“${quote.trim()}”`;
  const lines = /^[ \t]*(?:`{3}|~{3})/m.test(quotation)
    ? quotation
    : quotation.replace(/\s+/g, " ");
  return lines.replace(/^(?=.)/gm, "    ");
}

/**
 * The document with the page numbers, or with the section if it has no pages; table headers do not
 * count as one.
 */
export function titleOf(passage: Omit<QuotedPassage, "quote">): string {
  const { document_name, page, page_end, page_label = null, heading } = passage;
  const pages = pagesOf({ page, page_end, page_label });
  if (pages !== null) return `${document_name}, ${pages}`;
  const section = heading?.split(" › ").findLast((part) => !part.includes(" | "));
  return section === undefined ? document_name : `${document_name} › ${section}`;
}
