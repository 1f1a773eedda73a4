/** From cues to a text that reads well, with the place of each cue in it. Pure. */
import type { TimeSpan } from "../extraction/contract";
import type { Segment } from "./segments";

/**
 * A pause as long as this begins a paragraph, seconds; unless the one before is shorter than so
 * many characters.
 */
const pause_s = 2,
  short_chars = 80;
/**
 * A paragraph of this length ends with its next sentence, and one of the second length with its
 * next cue.
 */
const long_chars = 500,
  endless_chars = 1_000;

/** `times`: UTF-16 indices into `text`; none for what nobody knows the time of. */
export function assemble(segments: readonly Segment[]): {
  readonly text: string;
  readonly times: TimeSpan[];
} {
  const parts: string[] = [],
    times: TimeSpan[] = [];
  let length = 0,
    paragraph = 0;
  const add = (part: string): void => {
    parts.push(part);
    length += part.length;
  };
  segments.forEach((segment, at) => {
    const before = segments[at - 1];
    const begins = before === undefined || breaks(before, segment, length - paragraph);
    if (before !== undefined)
      add(begins ? "\n\n" : isSpaceless(before.text.at(-1)!, segment.text[0]!) ? "" : " ");
    const start = length;
    if (begins) {
      paragraph = length;
      if (segment.speaker !== null) add(`${segment.speaker}: `);
    }
    add(segment.text);
    if (segment.end > 0)
      times.push({ start, end: length, time_start: segment.start, time_end: segment.end });
  });
  return { text: parts.join(""), times };
}

function breaks(before: Segment, segment: Segment, chars: number): boolean {
  if (
    segment.speaker !== before.speaker ||
    segment.text.includes("\n") ||
    before.text.includes("\n")
  )
    return true;
  if (segment.start - before.end >= pause_s && chars >= short_chars) return true;
  return (
    chars >= endless_chars ||
    (chars >= long_chars && /[.!?…。！？।؟][)\]"'”’»」』]*$/u.test(before.text))
  );
}

/** Scripts that put no space between words. */
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff01-\uff60]/u;
const isSpaceless = (last: string, first: string): boolean =>
  spaceless.test(last) && spaceless.test(first);
