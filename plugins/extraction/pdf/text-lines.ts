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
  const shown = readable(content);
  if (shown.trim() === "") return null;
  const first = start + line.indexOf(content);
  const middle = middleOf(page, first, content.length);
  return {
    text: shown,
    hyphenated: hyphenated || content.endsWith("\u00ad"),
    start: first,
    end: first + content.length,
    middle,
    ...placeOf(page, first, middle, first + content.length - 1),
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

function sampleAt({ engine, memory, scratch, text }: TextPage, place: number): Sample {
  const index = engine.FPDFText_GetCharIndexFromTextIndex(text, place);
  engine.FPDFText_GetMatrix(text, index, scratch);
  const matrix = new Float32Array(memory(), scratch, 6);
  const a = matrix[0]!;
  const b = matrix[1]!;
  const c = matrix[2]!;
  const d = matrix[3]!;
  const x = matrix[4]!;
  const y = matrix[5]!;
  const scale = Math.hypot(a, b) || 1;
  const cos = a / scale;
  const sin = b / scale;
  return {
    index,
    cos,
    sin,
    left: x * cos + y * sin,
    base: y * cos - x * sin,
    size: engine.FPDFText_GetFontSize(text, index) * Math.hypot(c, d),
  };
}

/** The position of the line with these characters, rotated so that it runs from left to right. */
function placeOf(
  page: TextPage,
  first_at: number,
  middle_at: number,
  last_at: number,
): Pick<PlacedLine, "left" | "right" | "base" | "size" | "weight" | "cos" | "sin"> {
  const { engine, memory, scratch, text } = page;
  const first = sampleAt(page, first_at);
  const last = sampleAt(page, last_at);
  const { base, size } =
    first.size === last.size ? first : middleBySize(first, sampleAt(page, middle_at), last);
  const { cos, sin, left } = first;
  engine.FPDFText_GetCharBox(text, last.index, scratch, scratch + 8, scratch + 16, scratch + 24);
  const box = new Float64Array(memory(), scratch, 4);
  const right = Math.max(box[0]! * cos, box[1]! * cos) + Math.max(box[2]! * sin, box[3]! * sin);
  const weight = Math.max(0, engine.FPDFText_GetFontWeight(text, first.index));
  return { left, right, base, size, weight, cos, sin };
}

/** The sample with the median size, so neither a drop cap nor a footnote number. */
const middleBySize = (...samples: readonly [Sample, Sample, Sample]): Sample =>
  samples.toSorted((one, other) => one.size - other.size)[1]!;

/** A word of a line with its range in the engine's text, end exclusive. */
export interface PlacedWord extends Word {
  readonly end: number;
}

/** The words of a line, rotated like the line. */
export function wordsOf(page: TextPage, line: PlacedLine): PlacedWord[] {
  const { engine, memory, scratch, text, characters } = page;
  const { cos, sin } = line;
  const words: PlacedWord[] = [];
  for (const { 0: word, index } of characters.slice(line.start, line.end).matchAll(/\S+/g)) {
    const shown = readable(word).trim();
    if (shown === "") continue;
    const order = line.start + index;
    const end = order + word.length;
    const first = engine.FPDFText_GetCharIndexFromTextIndex(text, order);
    const last = engine.FPDFText_GetCharIndexFromTextIndex(text, end - 1);
    engine.FPDFText_GetCharBox(text, first, scratch, scratch + 8, scratch + 16, scratch + 24);
    let [left, right, bottom, top] = new Float64Array(memory(), scratch, 4);
    if (last !== first) {
      engine.FPDFText_GetCharBox(text, last, scratch, scratch + 8, scratch + 16, scratch + 24);
      const box = new Float64Array(memory(), scratch, 4);
      left = Math.min(left!, box[0]!);
      right = Math.max(right!, box[1]!);
      bottom = Math.min(bottom!, box[2]!);
      top = Math.max(top!, box[3]!);
    }
    engine.FPDFText_GetCharOrigin(text, first, scratch, scratch + 8);
    const origin = new Float64Array(memory(), scratch, 2);
    words.push({
      text: shown,
      order,
      end,
      hyphenated: line.hyphenated && end === line.end,
      left: Math.min(left! * cos, right! * cos) + Math.min(bottom! * sin, top! * sin),
      right: Math.max(left! * cos, right! * cos) + Math.max(bottom! * sin, top! * sin),
      bottom: Math.min(bottom! * cos, top! * cos) + Math.min(-left! * sin, -right! * sin),
      top: Math.max(bottom! * cos, top! * cos) + Math.max(-left! * sin, -right! * sin),
      base: origin[1]! * cos - origin[0]! * sin,
      size: line.size,
      weight: line.weight,
    });
  }
  return words;
}
