/** Finds a query in a text, ignoring case and white space. */
import type { Range } from "./text-ranges";

/** More are not shown, and the count says so. */
export const hits_max = 5_000;

/** Null when there is nothing to search for. */
export function patternOf(query: string): RegExp | null {
  const words = query.normalize("NFC").trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  // Markdown markup may stand between words.
  return new RegExp(escaped.join("[\\s|*_`#>\\\\]+"), "giu");
}

/** In order, at most `hits_max`. */
export function findAll(text: string, query: string): Range[] {
  const pattern = patternOf(query);
  if (!pattern) return [];
  const found: Range[] = [];
  for (const match of text.matchAll(pattern)) {
    found.push({ from: match.index, to: match.index + match[0].length });
    if (found.length === hits_max) break;
  }
  return found;
}
