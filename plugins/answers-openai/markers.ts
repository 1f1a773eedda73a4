/** Source markers as models write them: `[1]`, `[1, 2]`, `[1-3]`, `[source 1]`, `【1†source】` … */

export interface Marker {
  /** UTF-16 index in the text without markers where it stood. */
  readonly at: number;
  /** Its length as it was written. */
  readonly raw: number;
  /** White space stood before it. */
  readonly spaced: boolean;
  /** Numbers of sources, from 1. */
  readonly sources: readonly number[];
}
export interface UnmarkedText {
  readonly text: string;
  readonly markers: readonly Marker[];
}

const word =
  "(?:id|sources?|src|citations?|cite|refs?|references?|docs?|documents?|passages?|" +
  "quellen?|fuentes?)";
const number = String.raw`\s*(?:${word}\s*[:#.]?\s*)?[#^]?\d+\s*`;
const list = String.raw`${number}(?:(?:,|;|、|&|\band\b|und|-|–)${number})*`;
const in_brackets = String.raw`[[［]{1,2}(${list})[\]］]{1,2}(?:\([^()\s]*\))?`;
const in_lenses = String.raw`【(${list})(?:†[^】\n]{0,80})?】`;
const in_parentheses = String.raw`\((?=\s*${word})(${list})\)`;
const marker = new RegExp(
  String.raw`([ \t]{0,20})(?:${in_brackets}|${in_lenses}|${in_parentheses})`,
  "giu",
);
const range_max = 10;

export function withoutMarkers(raw: string): UnmarkedText {
  const markers: Marker[] = [];
  let text = "";
  let end = 0;
  for (const match of raw.matchAll(marker)) {
    text += raw.slice(end, match.index);
    markers.push({
      at: text.length,
      raw: match[0].length,
      spaced: match[1] !== "",
      sources: numbersOf(match[2] ?? match[3] ?? match[4]!),
    });
    end = match.index + match[0].length;
  }
  return { text: text + raw.slice(end), markers };
}

/** `1, 3-5` → 1, 3, 4, 5: each once. */
function numbersOf(listed: string): number[] {
  const numbers = [...listed.matchAll(/(\d+)(?:\s*[-–]\s*(?=\D*(\d+)))?/g)].flatMap(
    ([, first, last]) => {
      const from = Number(first);
      const to = last === undefined ? from : Number(last);
      return to > from && to - from < range_max
        ? Array.from({ length: to - from + 1 }, (_, i) => from + i)
        : [from];
    },
  );
  return [...new Set(numbers)];
}

/** No marker is longer. */
const open_chars_max = 120;
const openers = ["[", "【", "［", "("];

/** How much of a growing text is final: an open bracket near its end may become a marker. */
export function settledLength(raw: string): number {
  let at = Math.max(...openers.map((opener) => raw.lastIndexOf(opener)));
  if (at < 0 || raw.length - at > open_chars_max) return raw.length;
  const closed = raw.slice(at).search(/[\]】］)](?![\]］(]|$)/);
  if (closed >= 0) return raw.length;
  while (at > 0 && openers.includes(raw[at - 1]!)) at--;
  return at;
}
