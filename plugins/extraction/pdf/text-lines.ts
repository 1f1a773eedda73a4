/** Runs in the child: lines and words of a page's text, with their positions. */
import type { Word } from "../child/tables/geometry";
import type { Line } from "../child/paragraphs";
import type { PdfiumAccess } from "./pdfium";

/** The text of an open page in the engine. */
export interface TextPage extends PdfiumAccess {
  readonly text: number;
  readonly characters: string;
}

/** A line with its range of characters in the engine's text, end exclusive. */
export interface PlacedLine extends Line {
  readonly start: number;
  readonly end: number;
  /** A character in the middle of it. */
  readonly middle: number;
  /** The direction of its text. */
  readonly cos: number;
  readonly sin: number;
}

/**
 * PDFium ends a line with CR LF, and replaces a hyphen at its end, together with the line break, by
 * U+FFFE or U+0002.
 */
const line_end = /\r\n|[\ufffe\u0002]/g;

/** Codes that no letter has: they come from fonts without a mapping to Unicode. */
export const no_letters = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]/g;

/** Removes control characters and soft hyphens; bullets of symbol fonts become `•`. */
const readable = (line: string): string =>
  /^[ -~]*$/.test(line)
    ? line
    : line
        .replace(no_letters, "")
        .replaceAll("\r", "")
        .replaceAll("\u00ad", "")
        .replace(/[\uf0a7\uf0b7]/g, "•")
        .toWellFormed();

/** `guessed`: the number of characters for which the font has no mapping. */
export function readLines(page: TextPage): { lines: PlacedLine[]; guessed: number } {
  const { characters } = page;
  const lines: PlacedLine[] = [];
  let guessed = 0;
  let start = 0;
  const add = (end: number, hyphenated: boolean): void => {
    const line = lineAt(page, start, end, hyphenated);
    if (line === null) return;
    lines.push(line);
    if (isGuessed(page, line)) guessed++;
  };
  for (const { 0: mark, index } of characters.matchAll(line_end)) {
    add(index, mark.length === 1);
    start = index + mark.length;
  }
  add(characters.length, false);
  return { lines, guessed };
}

/** The line made of these characters; null if nothing of it is readable. */
export function lineAt(
  page: TextPage,
  start: number,
  end: number,
  hyphenated: boolean,
): PlacedLine | null {
  const line = page.characters.slice(start, end);
  const content = line.trim();
  const readable_text = readable(content);
  if (readable_text.trim() === "") return null;
  const first = start + line.indexOf(content);
  const middle = middleOf(page, first, content.length);
  const place = placeOf(page, first, middle, first + content.length - 1);
  return {
    text: readable_text,
    hyphenated: hyphenated || content.endsWith("\u00ad"),
    start: first,
    end: first + content.length,
    middle,
    left: place.left,
    right: place.right,
    base: place.base,
    size: place.size,
    weight: place.weight,
    cos: place.cos,
    sin: place.sin,
  };
}

/** Not a space: PDFium inserts spaces, which have no position on the page. */
function middleOf({ characters }: TextPage, first: number, length: number): number {
  const half = length >> 1;
  return first + half + characters.slice(first + half, first + length).search(/\S/);
}

const isGuessed = ({ engine, text }: TextPage, { middle }: PlacedLine): boolean =>
  engine.FPDFText_HasUnicodeMapError(
    text,
    engine.FPDFText_GetCharIndexFromTextIndex(text, middle),
  ) === 1;

interface Sample {
  readonly index: number;
  readonly cos: number;
  readonly sin: number;
  readonly left: number;
  readonly base: number;
  readonly size: number;
}

function sampleAt({ engine, float32, scratch, text }: TextPage, place: number): Sample {
  const index = engine.FPDFText_GetCharIndexFromTextIndex(text, place);
  engine.FPDFText_GetMatrix(text, index, scratch);
  const a = float32(scratch);
  const b = float32(scratch + 4);
  const c = float32(scratch + 8);
  const d = float32(scratch + 12);
  const x = float32(scratch + 16);
  const y = float32(scratch + 20);
  const scale = length(a, b) || 1;
  const cos = a / scale;
  const sin = b / scale;
  return {
    index,
    cos,
    sin,
    left: x * cos + y * sin,
    base: y * cos - x * sin,
    size: engine.FPDFText_GetFontSize(text, index) * length(c, d),
  };
}

/** Of a vector, which is mostly along an axis: then this is much faster than the library's. */
function length(x: number, y: number): number {
  if (y === 0) return Math.abs(x);
  return x === 0 ? Math.abs(y) : Math.hypot(x, y);
}

/** The position of the line with these characters, rotated so that it runs from left to right. */
function placeOf(
  page: TextPage,
  first_at: number,
  middle_at: number,
  last_at: number,
): Pick<PlacedLine, "left" | "right" | "base" | "size" | "weight" | "cos" | "sin"> {
  const { engine, float64, scratch, text } = page;
  const first = sampleAt(page, first_at);
  const last = sampleAt(page, last_at);
  const { base, size } =
    first.size === last.size ? first : middleBySize(first, sampleAt(page, middle_at), last);
  const { cos, sin, left } = first;
  engine.FPDFText_GetCharBox(text, last.index, scratch, scratch + 8, scratch + 16, scratch + 24);
  const right =
    Math.max(float64(scratch) * cos, float64(scratch + 8) * cos) +
    Math.max(float64(scratch + 16) * sin, float64(scratch + 24) * sin);
  const weight = Math.max(0, engine.FPDFText_GetFontWeight(text, first.index));
  return { left, right, base, size, weight, cos, sin };
}

/** The sample with the median size, so neither a drop cap nor a footnote number. */
const middleBySize = (...samples: readonly [Sample, Sample, Sample]): Sample =>
  samples.toSorted((a, b) => a.size - b.size)[1]!;

/** A word of a line with its range in the engine's text, end exclusive. */
export interface PlacedWord extends Word {
  readonly end: number;
}

/** The words of a line, rotated like the line. */
export function wordsOf(page: TextPage, line: PlacedLine): PlacedWord[] {
  const { engine, float64, scratch, text, characters } = page;
  const { cos, sin } = line;
  const words: PlacedWord[] = [];
  for (const { 0: word, index } of characters.slice(line.start, line.end).matchAll(/\S+/g)) {
    const readable_text = readable(word).trim();
    if (readable_text === "") continue;
    const order = line.start + index;
    const end = order + word.length;
    const first = engine.FPDFText_GetCharIndexFromTextIndex(text, order);
    const last = engine.FPDFText_GetCharIndexFromTextIndex(text, end - 1);
    engine.FPDFText_GetCharBox(text, first, scratch, scratch + 8, scratch + 16, scratch + 24);
    let left = float64(scratch);
    let right = float64(scratch + 8);
    let bottom = float64(scratch + 16);
    let top = float64(scratch + 24);
    if (last !== first) {
      engine.FPDFText_GetCharBox(text, last, scratch, scratch + 8, scratch + 16, scratch + 24);
      left = Math.min(left, float64(scratch));
      right = Math.max(right, float64(scratch + 8));
      bottom = Math.min(bottom, float64(scratch + 16));
      top = Math.max(top, float64(scratch + 24));
    }
    engine.FPDFText_GetCharOrigin(text, first, scratch, scratch + 8);
    words.push({
      text: readable_text,
      order,
      end,
      hyphenated: line.hyphenated && end === line.end,
      left: Math.min(left * cos, right * cos) + Math.min(bottom * sin, top * sin),
      right: Math.max(left * cos, right * cos) + Math.max(bottom * sin, top * sin),
      bottom: Math.min(bottom * cos, top * cos) + Math.min(-left * sin, -right * sin),
      top: Math.max(bottom * cos, top * cos) + Math.max(-left * sin, -right * sin),
      base: float64(scratch + 8) * cos - float64(scratch) * sin,
      size: line.size,
      weight: line.weight,
    });
  }
  return words;
}
