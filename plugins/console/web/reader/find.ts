/** Finds what somebody types in a text, whatever case and spaces it has there. */
import type { Range } from "./text-ranges";

/** More are not shown, and the count says so. */
export const hits_max = 5_000;

/** Null when there is nothing to look for. */
export function patternOf(query: string): RegExp | null {
  const words = query.normalize("NFC").trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  // Between words may stand what Markdown writes around them.
  return new RegExp(escaped.join("[\\s|*_`#>\\\\]+"), "giu");
}

/** In their order, `hits_max` at most. */
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
