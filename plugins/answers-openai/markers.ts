/**
 * The markers that models write: `[1]`, `[1, 2]`, `[1-3]`, `[source 1]`, `[ID:1]`, `【1†source】` and
 * their kin.
 */

/**
 * Text without its markers. A marker's `at` is the UTF-16 index in `text` where it stood; `raw` its
 * length as it was written.
 */
export interface Unmarked {
  readonly text: string;
  readonly markers: readonly Marker[];
}
export interface Marker {
  readonly at: number;
  readonly raw: number;
  readonly spaced: boolean;
  readonly sources: readonly number[];
}

const word = String.raw`(?:id|sources?|src|citations?|cite|refs?|references?|docs?|documents?|passages?|quellen?|fuentes?)`;
const number = String.raw`\s*(?:${word}\s*[:#.]?\s*)?[#^]?\d+\s*`;
const list = String.raw`${number}(?:(?:,|;|、|&|\band\b|und|-|–)${number})*`;
const marker = new RegExp(
  String.raw`([ \t]{0,20})(?:[[［]{1,2}(${list})[\]］]{1,2}(?:\([^()\s]*\))?|【(${list})(?:†[^】\n]{0,80})?】|\((?=\s*${word})(${list})\))`,
  "giu",
);
const range_max = 10;

/** Takes the markers out of a text. */
export function unmarked(raw: string): Unmarked {
  const markers: Marker[] = [];
  let text = "",
    end = 0;
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
      const from = Number(first),
        to = last === undefined ? from : Number(last);
      return to > from && to - from < range_max
        ? Array.from({ length: to - from + 1 }, (_, i) => from + i)
        : [from];
    },
  );
  return [...new Set(numbers)];
}

const opened_max = 120;
const openers = ["[", "【", "［", "("];

/**
 * How much of a text that still grows may be looked at: an open bracket near its end may become a
 * marker.
 */
export function settledLength(raw: string): number {
  let at = Math.max(...openers.map((one) => raw.lastIndexOf(one)));
  if (at < 0 || raw.length - at > opened_max) return raw.length;
  const closed = raw.slice(at).search(/[\]】］)](?![\]］(]|$)/);
  if (closed >= 0) return raw.length;
  while (at > 0 && openers.includes(raw[at - 1]!)) at--;
  return at;
}
