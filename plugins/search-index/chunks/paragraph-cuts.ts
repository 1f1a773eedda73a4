/** Where to split paragraphs that are too long for a chunk. */
import type { ReadableText } from "../../../core/lib/text-window";
import { isSpace, skipSpace, trimSpace } from "./text-scan";

/** The maximum length of a chunk, UTF-16 units … */
export const long_chars = 1_600;
/** … and the approximate length of the parts of a long paragraph. */
export const target_chars = 1_000;

/**
 * Splits a long paragraph evenly: at sentence ends, otherwise at white space, otherwise between
 * characters.
 */
export function* pieces(
  text: ReadableText,
  start: number,
  end: number,
): Generator<readonly [number, number]> {
  let from = start;
  while (end - from > long_chars) {
    const target = Math.ceil((end - from) / Math.max(2, Math.round((end - from) / target_chars)));
    const cut = cutNear(text, from, from + target, Math.min(from + long_chars, end));
    yield [from, trimSpace(text, from, cut)];
    from = skipSpace(text, cut, end);
  }
  if (from < end) yield [from, end];
}

function cutNear(text: ReadableText, from: number, ideal: number, limit: number): number {
  const reach = Math.floor((ideal - from) / 2);
  const sentence = nearest(text, ideal, Math.max(from + reach, from + 1), limit, endsSentence);
  if (sentence > 0) return sentence;
  const space = nearest(text, ideal, from + 1, limit, (units, at) => isSpace(units.charCodeAt(at)));
  if (space > 0) return space;
  let cut = ideal;
  while (cut > from + reach && /^[\p{M}\u200d\ufe0f\udc00-\udfff]/u.test(text.slice(cut, cut + 1)))
    cut--;
  return cut;
}
/** The index closest to `ideal`, from `low` to below `limit`, that `fits`; 0 when there is none. */
function nearest(
  text: ReadableText,
  ideal: number,
  low: number,
  limit: number,
  fits: (text: ReadableText, at: number) => boolean,
): number {
  for (let distance = 0; ideal - distance >= low || ideal + distance < limit; distance++) {
    if (ideal - distance >= low && fits(text, ideal - distance)) return ideal - distance;
    if (ideal + distance < limit && fits(text, ideal + distance)) return ideal + distance;
  }
  return 0;
}
/**
 * Whether a sentence ends just before `at`: at a line break, after an ideographic full stop, or
 * after a full stop and closing marks followed by white space.
 */
function endsSentence(text: ReadableText, at: number): boolean {
  const unit = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  if (unit === 10) return true;
  if (before === 0x3002 || before === 0xff01 || before === 0xff1f || before === 0x0964)
    return unit !== 0x300d && unit !== 0x300f && unit !== 0x201d;
  return isSpace(unit) && /[.!?…؟۔][)\]"'”’»]*$/.test(text.slice(Math.max(0, at - 4), at));
}
