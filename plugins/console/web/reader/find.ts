/** Finds a query in a text, ignoring case and white space. */
import type { Range } from "./text-ranges";

/** More are not shown, and the count says so. */
export const hits_max = 5_000;

/** The text as a pattern that matches it literally. */
export const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Matches the words of the query in a text; null when there is nothing to search for. */
export function patternOf(query: string): RegExp | null {
  const words = query.normalize("NFC").trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  // Markdown markup may stand between words.
  return new RegExp(words.map(escapeRegExp).join("[\\s|*_`#>\\\\]+"), "giu");
}

/** The matches in order, at most `hits_max`. */
export function findAll(text: string, query: string): Range[] {
  const pattern = patternOf(query);
  if (!pattern) return [];
  const ranges: Range[] = [];
  for (const match of text.matchAll(pattern)) {
    ranges.push({ from: match.index, to: match.index + match[0].length });
    if (ranges.length === hits_max) break;
  }
  return ranges;
}
