/** What a line of a passage is: a heading, a term with its definition, an incomplete sentence. */
import { codeBlocks } from "../../core/lib/code-blocks";
import { isEnded } from "./quote-text";
import { isTableHead } from "./table-row";

const numbered = /^(?:\d+(?:\.\d+)+\.?|[A-Z](?:\.\d+)+\.?)\s+\S/;
const heading_words_max = 14;
const marked_heading = /^\s*#{1,6}[ \t]+\S[^\n]*$/;
const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
/** A heading names a subject but says nothing about it. */
export function isHeading(text: string, heading: string | null): boolean {
  if (isTableHead(text) || marked_heading.test(text)) return true;
  if (isEnded(text)) return false;
  if (numbered.test(text) && text.split(/\s+/).length < heading_words_max) return true;
  const heading_letters = letters(text);
  return heading_letters !== "" && heading !== null && letters(heading).endsWith(heading_letters);
}
const term = /^\p{Lu}[\p{L}\p{M}\p{N} ()/,.’'-]*$/u;
const term_words_max = 6;
/** Whether a line is a term whose definition begins below it. */
export const isTerm = (line: string, below: string): boolean =>
  term.test(line) &&
  !isEnded(line) &&
  line.split(/\s+/).length <= term_words_max &&
  below.length > line.length &&
  /^\p{Lu}/u.test(below) &&
  isEnded(below);
/** Whether a line is the heading of a statement right below it. */
export const isHeadingOf = (line: string, below: string, heading: string | null): boolean =>
  below.length > line.length && isHeading(line, heading);
/** Whether a sentence is incomplete; one that introduces code is not. */
export function isBroken(text: string): boolean {
  const code = codeBlocks(text)[0];
  const prose = code !== undefined && code.start > 0 ? text.slice(0, code.start).trimEnd() : text;
  return /^[\p{Ll},;)]/u.test(prose) || !isEnded(prose);
}
