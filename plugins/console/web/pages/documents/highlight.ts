/** The passage given in the address: `?start=120&end=180&page=2`, in code points. */
import { useMemo } from "preact/hooks";
import { useContent } from "../../reader/content";
import type { Highlight } from "../../reader/highlight";
import { indexOfCodePoint } from "../../reader/text-ranges";
import type { Document } from "../../api/types";

/** The quotation is cut out of the text, so it is missing until the text is loaded. */
export function useHighlight(
  document: Document,
  fields: URLSearchParams,
): { readonly passage: Highlight | null; readonly has_passage: boolean; readonly page: number } {
  const start = integerOf(fields, "start");
  const end = integerOf(fields, "end");
  const page = integerOf(fields, "page");
  const has_passage = start !== null && end !== null && end > start;
  const text = useContent(document, has_passage).data;
  const passage = useMemo(() => {
    if (!has_passage || text === undefined) return null;
    const start_index = indexOfCodePoint(text, start);
    return {
      start,
      end,
      quote: text.slice(
        start_index,
        indexOfCodePoint(text, end, { index: start_index, offset: start }),
      ),
      page,
      page_end: page,
      time_start: null,
      time_end: null,
    };
  }, [text, start, end, page]);
  return {
    passage: passage?.quote ? passage : null,
    has_passage,
    page: page ?? 1,
  };
}

function integerOf(fields: URLSearchParams, name: string): number | null {
  const text = fields.get(name);
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
