/** Runs in the child: the text layer of a page, as positioned lines and tables. */
import type { Line } from "../child/paragraphs";
import { withTables } from "./page-tables";
import type { Pdfium, PdfiumAccess } from "./pdfium";
import { no_letters, readLines } from "./text-lines";

/** The text that a page has without recognition. */
export interface TextLayer {
  readonly lines: readonly Line[];
  /** Unreadable: its fonts lack a mapping to characters, so many characters are missing. */
  readonly garbled: boolean;
  /**
   * Suspect: the mapping may be wrong, because PDFium had to guess, or there are hardly any vowels.
   */
  readonly suspect: boolean;
}

/** For an open page. */
export function readTextLayer(access: PdfiumAccess, page: number): TextLayer {
  const { engine, memory } = access;
  const text = engine.FPDFText_LoadPage(page);
  if (text === 0) return { lines: [], garbled: false, suspect: false };
  const characters = readCharacters(engine, memory, text);
  const text_page = { ...access, text, characters };
  const garbled = isGarbled(characters);
  const { lines, guessed } = readLines(text_page);
  const layer = {
    lines: garbled ? lines : withTables(text_page, page, lines),
    garbled,
    suspect: guessed > 0.5 * lines.length || lacksVowels(characters),
  };
  engine.FPDFText_ClosePage(text);
  return layer;
}

const decoder = new TextDecoder("utf-16le");

function isGarbled(characters: string): boolean {
  const missing = characters.match(no_letters)?.length ?? 0;
  return missing > 0 && missing > 0.3 * characters.replace(/\s/g, "").length;
}

/** In every language with Latin letters, at least a third of them are vowels. */
const vowels_min = 0.2;
const letters_judged_min = 60;
function lacksVowels(characters: string): boolean {
  let letters = 0;
  let vowels = 0;
  for (let at = 0; at < characters.length; at++) {
    const code = characters.charCodeAt(at) | 32;
    if (code < 97 || code > 122) continue;
    letters++;
    vowels += (vowel_bits >> (code - 97)) & 1;
  }
  return letters >= letters_judged_min && vowels < vowels_min * letters;
}
/** The bit of each vowel, counted from `a`. */
const vowel_bits = [..."aeiouy"].reduce(
  (bits, letter) => bits | (1 << (letter.charCodeAt(0) - 97)),
  0,
);

function readCharacters(engine: Pdfium, memory: () => ArrayBuffer, text: number): string {
  const count = Math.max(0, engine.FPDFText_CountChars(text));
  const buffer = engine.malloc((count + 1) * 2);
  const written = engine.FPDFText_GetText(text, 0, count, buffer);
  const characters = decoder.decode(new Uint8Array(memory(), buffer, Math.max(0, written - 1) * 2));
  engine.free(buffer);
  return characters;
}
