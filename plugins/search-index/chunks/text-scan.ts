/** Finds white space, line ends and pages in a text. */
import { countLeading } from "../../../core/lib/binary-search";
import type { ReadableText } from "../../../core/lib/text-window";
import type { PageSpan } from "../../extraction/contract";

/** What `trim` removes. */
export const isSpace = (unit: number): boolean =>
  unit === 32 || (unit > 8 && unit < 14) || (unit >= 0xa0 && rare_spaces.has(unit));
const rare_spaces = new Set([
  0xa0,
  0x1680,
  0x2028,
  0x2029,
  0x202f,
  0x205f,
  0x3000,
  0xfeff,
  ...Array.from({ length: 11 }, (_, i) => 0x2000 + i),
]);
/** The index of the next line feed, form feed or paragraph separator, or the length of the text. */
export function endOfLine(text: ReadableText, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 10 || unit === 12 || unit === 0x2029) return at;
  }
  return at;
}
/** The index of the first unit from `from` on that is not white space, or `to`. */
export function skipSpace(text: ReadableText, from: number, to: number): number {
  let at = from;
  while (at < to && isSpace(text.charCodeAt(at))) at++;
  return at;
}
/** The index after the last unit before `to` that is not white space, or `from`. */
export function trimSpace(text: ReadableText, from: number, to: number): number {
  let at = to;
  while (at > from && isSpace(text.charCodeAt(at - 1))) at--;
  return at;
}

/** Whether the unit before `from` and the unit at `to` are on different pages. */
export function crossesPage(pages: readonly PageSpan[], from: number, to: number): boolean {
  return pages.length > 0 && pageAt(pages, from - 1) !== pageAt(pages, to);
}
/** The index of the page that contains `at`, or of the last one before it; -1 before the first. */
export const pageAt = (pages: readonly PageSpan[], at: number): number =>
  countLeading(pages, ({ start }) => start <= at) - 1;
