/** Searches all pages of a PDF, rendered or not, one after the other. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { hits_max, patternOf } from "./find";
import { textOf, type PDFDocumentProxy } from "./pdfjs";
import type { Hit } from "./quote-match";

/** A match on one page, in one or more text items. */
export interface PageHit {
  readonly page: number;
  readonly parts: readonly Hit[];
}
/** The part of a match on one page. */
export interface ShownHit extends Hit {
  readonly look: "hit" | "current";
}
interface Search {
  readonly hits: readonly PageHit[];
  readonly done: boolean;
}
const no_search: Search = { hits: [], done: true };
/** Results are shown after each batch of this many pages. */
const batch_pages = 16;

/** The text of a page, and the offset of each text item in it. */
interface PageText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly pieces: readonly string[];
}

async function pageText(pdf: PDFDocumentProxy, number: number): Promise<PageText> {
  const { items } = await textOf(await pdf.getPage(number));
  let text = "";
  const starts: number[] = [];
  const pieces: string[] = [];
  for (const item of items) {
    if (!("str" in item)) continue;
    starts.push(text.length);
    pieces.push(item.str);
    text += item.hasEOL ? `${item.str}\n` : item.str;
  }
  return { text, starts, pieces };
}

function hitsOn(page: number, { text, starts, pieces }: PageText, pattern: RegExp): PageHit[] {
  return [...text.matchAll(pattern)].map(({ 0: page_hits, index }) => {
    const to = index + page_hits.length;
    const parts = starts.flatMap((start, piece): Hit[] => {
      const from = Math.max(index - start, 0);
      const last = Math.min(to - start, pieces[piece]!.length);
      return from < last ? [{ piece, from, to: last }] : [];
    });
    return { page, parts };
  });
}

/** The matches so far; each page is read once. */
export function usePdfFind(pdf: PDFDocumentProxy, query: string): Search {
  const [search, setSearch] = useState(no_search);
  const texts = useRef(new Map<number, Promise<PageText>>());
  useEffect(() => {
    const pattern = patternOf(query);
    if (!pattern) return setSearch(no_search);
    let is_unmounted = false;
    const run = async () => {
      const hits: PageHit[] = [];
      setSearch({ hits, done: false });
      for (
        let number = 1;
        number <= pdf.numPages && !is_unmounted && hits.length < hits_max;
        number++
      ) {
        const text = texts.current.get(number) ?? pageText(pdf, number);
        texts.current.set(number, text);
        // A page that can't be read has no matches.
        const found = await text
          .then((page_text) => hitsOn(number, page_text, pattern))
          .catch(() => []);
        hits.push(...found);
        if (!is_unmounted && number % batch_pages === 0)
          setSearch({ hits: [...hits], done: false });
      }
      if (!is_unmounted) setSearch({ hits: hits.slice(0, hits_max), done: true });
    };
    void run();
    return () => {
      is_unmounted = true;
    };
  }, [pdf, query]);
  return search;
}

const no_hits: readonly ShownHit[] = [];

/** The match parts on each page; only the pages of the current and the previous match change. */
export function useShownHits(hits: readonly PageHit[], at: number) {
  const hits_by_page = useMemo(() => {
    const pages = new Map<number, ShownHit[]>();
    for (const { page, parts } of hits)
      pages.set(page, [
        ...(pages.get(page) ?? []),
        ...parts.map((part): ShownHit => ({ ...part, look: "hit" })),
      ]);
    return pages;
  }, [hits]);
  const current = hits[at];
  const current_page_hits = useMemo(
    () =>
      current && [
        ...(hits_by_page.get(current.page) ?? no_hits),
        ...current.parts.map((part): ShownHit => ({ ...part, look: "current" })),
      ],
    [hits_by_page, current],
  );
  return (page: number): readonly ShownHit[] =>
    (page === current?.page ? current_page_hits : hits_by_page.get(page)) ?? no_hits;
}
