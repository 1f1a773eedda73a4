/** Runs in the child: the outline (bookmarks) of a document. */
import type { OutlineEntry } from "../child/listed-headings";
import type { PdfiumAccess } from "./pdfium";

/** Further entries are left out. */
const entries_max = 20_000;
const levels_max = 8;
/** Bytes of a title that are read, two per character. */
const title_bytes_max = 1_024;

const decoder = new TextDecoder("utf-16le");

/** In order. Stops where an outline refers to itself. */
export function readOutline(access: PdfiumAccess, document: number): OutlineEntry[] {
  const { engine } = access;
  const entries: OutlineEntry[] = [];
  const visited = new Set<number>();
  const buffer = engine.malloc(title_bytes_max);
  const visit = (parent: number, level: number): void => {
    let bookmark = engine.FPDFBookmark_GetFirstChild(document, parent);
    while (bookmark !== 0 && !visited.has(bookmark) && visited.size < entries_max) {
      visited.add(bookmark);
      const title = titleOf(access, bookmark, buffer);
      const page = pageOf(access, document, bookmark);
      if (title !== "" && page > 0) entries.push({ title, level, page });
      if (level < levels_max) visit(bookmark, level + 1);
      bookmark = engine.FPDFBookmark_GetNextSibling(document, bookmark);
    }
  };
  visit(0, 1);
  engine.free(buffer);
  return entries;
}

function titleOf({ engine, memory }: PdfiumAccess, bookmark: number, buffer: number): string {
  const bytes = engine.FPDFBookmark_GetTitle(bookmark, buffer, title_bytes_max);
  if (bytes < 2 || bytes > title_bytes_max) return "";
  return decoder
    .decode(new Uint8Array(memory(), buffer, bytes - 2))
    .replace(/[\0-\x1f\x7f]+/g, " ")
    .trim()
    .toWellFormed();
}

/** Starts at 1; 0 if the entry leads nowhere in this document. */
function pageOf({ engine }: PdfiumAccess, document: number, bookmark: number): number {
  const own_destination = engine.FPDFBookmark_GetDest(document, bookmark);
  const action = own_destination === 0 ? engine.FPDFBookmark_GetAction(bookmark) : 0;
  const destination = action === 0 ? own_destination : engine.FPDFAction_GetDest(document, action);
  return destination === 0 ? 0 : engine.FPDFDest_GetDestPageIndex(document, destination) + 1;
}
