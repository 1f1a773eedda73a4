/**
 * Runs in the child: parses the output of Tesseract (hOCR): words with their confidence, lines with
 * their position.
 */
import type { Line } from "../child/paragraphs";

/** A line of text as recognised. */
export interface RecognisedLine extends Line {
  /** Tesseract's confidence in its letters, 0 to 100. */
  readonly confidence: number;
  readonly words: readonly RecognisedWord[];
}
/** A word and its position, in pixels from the left and from the top. */
export interface RecognisedWord {
  readonly text: string;
  readonly confidence: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const line_or_word = /<span class='(ocr\w*)'[^>]*? title=(["'])(.*?)\2[^>]*>([^\n]*)/g;
const box = /bbox (-?\d+) (-?\d+) (-?\d+) (-?\d+)/;
const boxOf = (title: string): [number, number, number, number] =>
  (box.exec(title)?.slice(1).map(Number) ?? [0, 0, 0, 0]) as [number, number, number, number];
const baseline = /baseline (-?[\d.]+) (-?[\d.]+)/;
const font_size = /x_size ([\d.]+)/;
const word_confidence = /x_wconf (\d+)/;

interface Row {
  readonly title: string;
  readonly words: RecognisedWord[];
}

/** A word without letters and with lower confidence is a stain. */
const symbol_confidence_min = 50;

/** All lines, including false ones in photos. */
export function parseHocr(hocr: string): RecognisedLine[] {
  const rows: Row[] = [];
  for (const [, kind, , title, content] of hocr.matchAll(line_or_word)) {
    if (kind !== "ocrx_word") {
      rows.push({ title: title!, words: [] });
      continue;
    }
    const text = unescape(content!).trim();
    const confidence = Number(word_confidence.exec(title!)?.[1] ?? 0);
    const [left, top, right, bottom] = boxOf(title!);
    if (text !== "" && (confidence >= symbol_confidence_min || countLetters(text) > 0))
      rows.at(-1)?.words.push({ text, confidence, left, top, right, bottom });
  }
  return rows.filter(({ words }) => words.length > 0).map(lineOf);
}

/** The mean confidence, weighted by length. */
export function meanConfidence(
  parts: readonly { readonly text: string; readonly confidence: number }[],
): number {
  let weight = 0;
  let sure = 0;
  for (const { text, confidence } of parts) {
    weight += text.length;
    sure += text.length * confidence;
  }
  return weight === 0 ? 0 : sure / weight;
}

/** Letters and digits in a text. */
export const countLetters = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

/** Letters and digits in all lines. */
export const countLineLetters = (lines: readonly RecognisedLine[]): number =>
  lines.reduce((sum, { text }) => sum + countLetters(text), 0);

const ideograph = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303f]/u.source;
/** Tesseract puts spaces between words of scripts that have none. */
const space_between_ideographs = new RegExp(`(?<=${ideograph}) (?=${ideograph})`, "gu");

/** Pixels are counted downwards, baselines upwards. */
function lineOf({ title, words }: Row): RecognisedLine {
  const [, , , bottom] = boxOf(title);
  const offset = Number(baseline.exec(title)?.[2] ?? 0);
  const size = Number(font_size.exec(title)?.[1] ?? 0) || 1;
  return lineOfWords({ base: -(bottom + offset), size }, words);
}

/** A line, or a part of one, made of these words. */
export function lineOfWords(
  { base, size }: Pick<Line, "base" | "size">,
  words: readonly RecognisedWord[],
): RecognisedLine {
  const text = words
    .map((word) => word.text)
    .join(" ")
    .replace(space_between_ideographs, "");
  const hyphenated = /\p{L}-$/u.test(text);
  return {
    text: hyphenated ? text.slice(0, -1) : text,
    hyphenated,
    left: words[0]!.left,
    right: words.at(-1)!.right,
    base,
    size,
    weight: 0,
    confidence: meanConfidence(words),
    words,
  };
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
};
const unescape = (markup: string): string =>
  markup
    .replace(/<[^>]*>/g, "")
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name]!);
