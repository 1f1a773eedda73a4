/** Searches all pages of a PDF, rendered or not, one after the other. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { hits_max, patternOf } from "./find";
import { textOf, type PDFDocumentProxy } from "./pdfjs";
import type { Hit } from "./quote-match";

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
const nothing: Search = { hits: [], done: true };
/** Results are shown after each batch of this many pages. */
const pages_each = 16;

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
  return [...text.matchAll(pattern)].map(({ 0: found, index }) => {
    const to = index + found.length;
    const parts = starts.flatMap((start, piece): Hit[] => {
      const first = Math.max(index - start, 0);
      const last = Math.min(to - start, pieces[piece]!.length);
      return first < last ? [{ piece, from: first, to: last }] : [];
    });
    return { page, parts };
  });
}

/** The matches so far; each page is read once. */
export function usePdfFind(pdf: PDFDocumentProxy, query: string): Search {
  const [search, setSearch] = useState(nothing);
  const texts = useRef(new Map<number, Promise<PageText>>());
  useEffect(() => {
    const pattern = patternOf(query);
    if (!pattern) return setSearch(nothing);
    let left = false;
    const run = async () => {
      const hits: PageHit[] = [];
      setSearch({ hits, done: false });
      for (let number = 1; number <= pdf.numPages && !left && hits.length < hits_max; number++) {
        const text = texts.current.get(number) ?? pageText(pdf, number);
        texts.current.set(number, text);
        // A page that can't be read has no matches.
        const found = await text
          .then((page_text) => hitsOn(number, page_text, pattern))
          .catch(() => []);
        hits.push(...found);
        if (!left && number % pages_each === 0) setSearch({ hits: [...hits], done: false });
      }
      if (!left) setSearch({ hits: hits.slice(0, hits_max), done: true });
    };
    void run();
    return () => {
      left = true;
    };
  }, [pdf, query]);
  return search;
}

const none: readonly ShownHit[] = [];

/** The match parts on each page; only the pages of the current and the previous match change. */
export function useShownHits(hits: readonly PageHit[], at: number) {
  const all = useMemo(() => {
    const pages = new Map<number, ShownHit[]>();
    for (const { page, parts } of hits)
      pages.set(page, [
        ...(pages.get(page) ?? []),
        ...parts.map((part): ShownHit => ({ ...part, look: "hit" })),
      ]);
    return pages;
  }, [hits]);
  const current = hits[at];
  const on_current = useMemo(
    () =>
      current && [
        ...(all.get(current.page) ?? none),
        ...current.parts.map((part): ShownHit => ({ ...part, look: "current" })),
      ],
    [all, current],
  );
  return (page: number): readonly ShownHit[] =>
    (page === current?.page ? on_current : all.get(page)) ?? none;
}
