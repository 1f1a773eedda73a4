/** Limits the size of a tool's output, and reports what was left out. */
import { tokensOf } from "../../core/lib/tokens";
import type { ToolText } from "./tool";

/** Reserved for the note about the rest. */
const note_tokens = 120;
/** Ids and numbers have more tokens than the estimate for prose. */
const margin = 0.85;

/** A response of limited size: a text, then as many items as fit, then a note about the others. */
export function bounded({ text, items = [], continuation }: ToolText, tokens_max: number): string {
  let left = tokens_max * margin - note_tokens;
  const head = cutTo(text, left);
  left -= tokensOf(head);
  const shown: string[] = [];
  for (const item of items) {
    const tokens = tokensOf(item) + 1;
    if (tokens > left && shown.length > 0) break;
    shown.push(tokens > left ? cutTo(item, left) : item);
    left -= tokens;
    if (left <= 0) break;
  }
  const hidden = items.length - shown.length;
  const notes = [
    hidden > 0 ? `${hidden} more did not fit.` : "",
    continuation?.(shown.length) ?? "",
  ];
  const note = notes.filter((note) => note !== "").join(" ");
  return [head, ...shown, note === "" ? "" : `(${note})`]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** As much of the beginning as fits, with a note that it was cut. */
export function cutTo(text: string, tokens_max: number): string {
  const beginning = beginningOf(text, tokens_max);
  return beginning.length === text.length ? text : `${beginning}\n(cut: the rest did not fit)`;
}

/** As much of a text as fits, without splitting a character. */
export function beginningOf(text: string, tokens_max: number): string {
  if (tokensOf(text) <= tokens_max) return text;
  let low = 0;
  let high = text.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (tokensOf(text.slice(0, middle)) <= tokens_max) low = middle;
    else high = middle;
  }
  const is_half = /[\uD800-\uDBFF]$/.test(text.slice(0, low));
  return text.slice(0, is_half ? low - 1 : low);
}

/** For the text of a document, which itself says where it continues. */
export const textTokens = (tokens_max: number): number => tokens_max * margin - 2 * note_tokens;
