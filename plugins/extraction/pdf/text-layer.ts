/** Runs in the child: the text layer of a page, as lines with their place. */
import type { Line } from "../child/paragraphs";
import type { Pdfium, PdfiumAccess } from "./pdfium";

export interface TextLayer {
  readonly lines: readonly Line[];
  /** Its fonts do not say which letters they show: many of its characters are none. */
  readonly garbled: boolean;
  /** Its fonts may be wrong about that: PDFium had to guess, or hardly any vowels came out. */
  readonly suspect: boolean;
}

/** Of a page that is open. */
export function readTextLayer({ engine, memory, scratch }: PdfiumAccess, page: number): TextLayer {
  const text = engine.FPDFText_LoadPage(page);
  if (text === 0) return { lines: [], garbled: false, suspect: false };
  const characters = readCharacters(engine, memory, text);
  const { lines, guessed } = readLines(engine, memory, text, scratch, characters);
  engine.FPDFText_ClosePage(text);
  return {
    lines,
    garbled: isGarbled(characters),
    suspect: guessed > 0.5 * lines.length || lacksVowels(characters),
  };
}

const decoder = new TextDecoder("utf-16le");
/**
 * PDFium ends a line with CR LF, and replaces a hyphen at its end, together with the line break, by
 * U+FFFE or U+0002.
 */
const line_end = /\r\n|[\ufffe\u0002]/g;

/** Codes that no letter has: they come from fonts without a map to Unicode. */
const no_letters = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]/g;
const isGarbled = (characters: string): boolean =>
  (characters.match(no_letters)?.length ?? 0) > 0.3 * characters.replace(/\s/g, "").length;

/** In every language with Latin letters a third of them or more are vowels. */
const vowels_min = 0.2;
const letters_judged_min = 60;
function lacksVowels(characters: string): boolean {
  let [letters, vowels] = [0, 0];
  for (let at = 0; at < characters.length; at++) {
    const code = characters.charCodeAt(at) | 32;
    if (code < 97 || code > 122) continue;
    letters++;
    if (vowel_codes.has(code)) vowels++;
  }
  return letters >= letters_judged_min && vowels < vowels_min * letters;
}
const vowel_codes = new Set([..."aeiouy"].map((letter) => letter.charCodeAt(0)));

function readCharacters(engine: Pdfium, memory: () => ArrayBuffer, text: number): string {
  const count = Math.max(0, engine.FPDFText_CountChars(text));
  const buffer = engine.malloc((count + 1) * 2);
  const written = engine.FPDFText_GetText(text, 0, count, buffer);
  const characters = decoder.decode(new Uint8Array(memory(), buffer, Math.max(0, written - 1) * 2));
  engine.free(buffer);
  return characters;
}

function readLines(
  engine: Pdfium,
  memory: () => ArrayBuffer,
  text: number,
  scratch: number,
  characters: string,
): { lines: Line[]; guessed: number } {
  const lines: Line[] = [];
  /** Lines in whose middle the font does not say which letter a character is. */
  let guessed = 0;
  let start = 0;
  const add = (end: number, hyphenated: boolean): void => {
    const line = characters.slice(start, end);
    const content = line.trim();
    const shown = readable(content);
    if (shown.trim() === "") return;
    const first = start + line.indexOf(content);
    const half = content.length >> 1;
    // Not a space: PDFium adds spaces, which have no place on the page.
    const middle = first + half + content.slice(half).search(/\S/);
    if (
      engine.FPDFText_HasUnicodeMapError(
        text,
        engine.FPDFText_GetCharIndexFromTextIndex(text, middle),
      ) === 1
    )
      guessed++;
    lines.push({
      text: shown,
      hyphenated: hyphenated || content.endsWith("\u00ad"),
      ...placeOf(engine, memory, text, scratch, {
        first,
        middle,
        last: first + content.length - 1,
      }),
    });
  };
  for (const { 0: mark, index } of characters.matchAll(line_end)) {
    add(index, mark.length === 1);
    start = index + mark.length;
  }
  add(characters.length, false);
  return { lines, guessed };
}

/** Without control characters and soft hyphens; bullets of symbol fonts become `•`. */
const readable = (line: string): string =>
  line
    .replace(no_letters, "")
    .replaceAll("\r", "")
    .replaceAll("\u00ad", "")
    .replace(/[\uf0a7\uf0b7]/g, "•")
    .toWellFormed();

interface Sample {
  readonly index: number;
  readonly cos: number;
  readonly sin: number;
  readonly left: number;
  readonly base: number;
  readonly size: number;
}

/** The place of the line that has these characters, turned so that it runs from left to right. */
function placeOf(
  engine: Pdfium,
  memory: () => ArrayBuffer,
  text: number,
  scratch: number,
  at: { readonly first: number; readonly middle: number; readonly last: number },
): Pick<Line, "left" | "right" | "base" | "size" | "weight"> {
  const sample = (place: number): Sample => {
    const index = engine.FPDFText_GetCharIndexFromTextIndex(text, place);
    engine.FPDFText_GetMatrix(text, index, scratch);
    const matrix = new Float32Array(memory(), scratch, 6);
    const [a, b, c, d, x, y] = [
      matrix[0]!,
      matrix[1]!,
      matrix[2]!,
      matrix[3]!,
      matrix[4]!,
      matrix[5]!,
    ];
    const scale = Math.hypot(a, b) || 1;
    const [cos, sin] = [a / scale, b / scale];
    return {
      index,
      cos,
      sin,
      left: x * cos + y * sin,
      base: y * cos - x * sin,
      size: engine.FPDFText_GetFontSize(text, index) * Math.hypot(c, d),
    };
  };
  const [first, last] = [sample(at.first), sample(at.last)];
  const { base, size } =
    first.size === last.size ? first : middleBySize(first, sample(at.middle), last);
  const { cos, sin, left } = first;
  engine.FPDFText_GetCharBox(text, last.index, scratch, scratch + 8, scratch + 16, scratch + 24);
  const box = new Float64Array(memory(), scratch, 4);
  const right = Math.max(box[0]! * cos, box[1]! * cos) + Math.max(box[2]! * sin, box[3]! * sin);
  const weight = Math.max(0, engine.FPDFText_GetFontWeight(text, first.index));
  return { left, right, base, size, weight };
}

/** The sample of medium size: no initial of a chapter, no number of a footnote. */
const middleBySize = (...samples: readonly [Sample, Sample, Sample]): Sample =>
  samples.toSorted((one, other) => one.size - other.size)[1]!;
