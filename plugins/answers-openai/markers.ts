/**
 * Source markers as models write them: `[1]`, `[1, 2]`, `[1-3]`, `[source 1]`, `【1†source】`, `¹`,
 * `According to source 1, …` (also with `[1]` behind it), and `(1)` at the end of a sentence.
 */

/** A marker that was removed from a text. */
export interface Marker {
  /** UTF-16 index of its position in the text without markers. */
  readonly at: number;
  /** Its original length. */
  readonly raw: number;
  /** White space preceded it. */
  readonly spaced: boolean;
  /** It introduces what follows: it belongs to the sentence that begins there. */
  readonly leads: boolean;
  /** Numbers of sources, starting at 1. */
  readonly sources: readonly number[];
}
/** A text without its markers, and the markers. */
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
/** No number in the text itself is written like that; `exit(1)` is a call. */
const bare_parentheses =
  String.raw`(?<=[\p{L}%"”»] |[%"”»\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])` +
  String.raw`\((\d{1,2}(?:\s*[,;]\s*\d{1,2})*)\)` +
  String.raw`(?=\s*(?:[.!?](?:\s|$)|$|\n))`;
/** Not an exponent: `m²`, `x²`, `10³`. */
const raised = "¹²³⁴⁵⁶⁷⁸⁹⁰";
const superscript = String.raw`(?<=\p{L}{3}|[.,;:!?)\]"”»])([${raised}]+(?:[,⁻ ]?[${raised}]+)*)`;
const as_stated = "as (?:stated|described|mentioned|noted|explained)";
const said_by = `according to|${as_stated} in|as per|per|laut|gemäß|selon|d['’]après|según`;
const in_words =
  String.raw`(?:,\s*)?(?<!\p{L})(?:${said_by})\s+(?:the\s+|der\s+|la\s+)?` +
  String.raw`(?=${word}\s*[:#]?\s*\d)(${list}),?[ \t]*(?:[[【](${list})[\]】],?[ \t]*)?`;
const kinds = [in_brackets, in_lenses, in_parentheses, bare_parentheses, superscript, in_words];
const marker = new RegExp(String.raw`([ \t]{0,20})(?:${kinds.join("|")})`, "giu");
const range_max = 10;

/** `sources`: their number. */
export function withoutMarkers(raw: string, sources: number): UnmarkedText {
  const markers: Marker[] = [];
  let text = "";
  let end = 0;
  const addText = (addition: string): void => {
    const begins = markers.at(-1)?.leads === true && markers.at(-1)!.at === text.length;
    text += begins ? withCapital(addition) : addition;
  };
  for (const match of raw.matchAll(marker)) {
    const [written, spaces, brackets, lenses, words, bare, superscripts, phrase, behind] = match;
    const named = phrase !== undefined && behind !== undefined ? `${phrase}, ${behind}` : phrase;
    const numbers = numbersOf(
      brackets ?? lenses ?? words ?? bare ?? named ?? digitsOf(superscripts!),
    );
    const is_unsure = (bare ?? superscripts) !== undefined;
    if (is_unsure && !numbers.every((n) => n >= 1 && n <= sources)) continue;
    addText(raw.slice(end, match.index));
    const leads = phrase !== undefined && /(?:^|[.!?:\n])\s*$/.test(text);
    let kept_length = 0;
    if (leads) kept_length = spaces!.length;
    // The space before what it introduces.
    else if (phrase !== undefined && /\s$/.test(written)) kept_length = 1;
    if (leads) text += spaces!;
    markers.push({
      at: text.length,
      raw: written.length - kept_length,
      spaced: spaces !== "" || phrase !== undefined,
      leads,
      sources: numbers,
    });
    end = match.index + written.length;
    if (kept_length > 0 && !leads) text += " ";
  }
  addText(raw.slice(end));
  return { text, markers };
}

/** Keeps the length. */
function withCapital(text: string): string {
  const first = text.slice(0, 1).toUpperCase();
  return first.length === 1 ? first + text.slice(1) : text;
}
const digitsOf = (superscripts: string): string =>
  superscripts.replace(/./gu, (char) => {
    const value = "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(char);
    return value < 0 ? "," : String(value);
  });

/** `1, 3-5` → 1, 3, 4, 5, without duplicates. */
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

/**
 * The start of something that may be shown differently: a marker, a quotation, a link, the end of a
 * row.
 */
const risky = new RegExp(
  String.raw`[[\]【］［(<>"“”„«»「」『』!|◁${raised}。！？]|[.?…]+(?=\s|$)|` +
    String.raw`(?<=\S)\s*\n|\|(?=[ \t]*(?:[[【［(\n]|$))|` +
    String.raw`\bNO(?![a-z])|\b(?:${said_by}|${word})(?![\p{L}])|https?:|^[ \t]*>|` +
    // The beginning of words that introduce a marker.
    String.raw`\b(?:according|as|${as_stated})(?:\s+\p{L}*)?$`,
  "iu",
);
/** How much of an unfinished sentence will certainly be shown as it is. */
export function certainLength(raw: string): number {
  const cut = raw.search(risky);
  let end = cut < 0 ? raw.length : cut;
  // The last word may continue, and a marker may come before the space.
  if (cut < 0 || /\s/.test(raw[end - 1] ?? " ")) {
    while (cut < 0 && end > 0 && !/\s/.test(raw[end - 1]!)) end -= 1;
    while (end > 0 && /\s/.test(raw[end - 1]!)) end -= 1;
  }
  return end;
}
