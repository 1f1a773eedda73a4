/**
 * Reads what the recogniser says about a picture (hOCR): words with their certainty, lines with
 * their place.
 */
import type { Line } from "../child/paragraphs";

export interface SeenLine extends Line {
  /** How sure the recogniser is of its letters, 0 to 100. */
  readonly confidence: number;
}

const line_or_word = /<span class='(ocr\w*)'[^>]*? title=(["'])(.*?)\2[^>]*>([^\n]*)/g;
const box = /bbox (-?\d+) (-?\d+) (-?\d+) (-?\d+)/;
const boxOf = (title: string): [number, number, number, number] =>
  (box.exec(title)?.slice(1).map(Number) ?? [0, 0, 0, 0]) as [number, number, number, number];
const base_line = /baseline (-?[\d.]+) (-?[\d.]+)/;
const type_size = /x_size ([\d.]+)/;
const certainty = /x_wconf (\d+)/;

interface Word {
  readonly text: string;
  readonly confidence: number;
  readonly right: number;
}
interface Row {
  readonly title: string;
  readonly words: Word[];
}

/** A sign between words that the recogniser is less sure of than this is a stain. */
const sign_confidence_min = 50;

/** Every line that the recogniser takes for one, also on a photo. */
export function parseHocr(hocr: string): SeenLine[] {
  const rows: Row[] = [];
  for (const [, kind, , title, rest] of hocr.matchAll(line_or_word)) {
    if (kind !== "ocrx_word") {
      rows.push({ title: title!, words: [] });
      continue;
    }
    const text = unescape(rest!).trim();
    const confidence = Number(certainty.exec(title!)?.[1] ?? 0);
    if (text !== "" && (confidence >= sign_confidence_min || lettersIn(text) > 0))
      rows.at(-1)?.words.push({ text, confidence, right: boxOf(title!)[2] });
  }
  return rows.filter(({ words }) => words.length > 0).map(lineOf);
}

/** Long words and lines count more. */
export function confidenceIn(
  parts: readonly { readonly text: string; readonly confidence: number }[],
): number {
  let [weight, sure] = [0, 0];
  for (const { text, confidence } of parts) {
    weight += text.length;
    sure += text.length * confidence;
  }
  return weight === 0 ? 0 : sure / weight;
}

export const lettersIn = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

/** The recogniser parts words where the script does not. */
const between_ideographs =
  /(?<=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303f]) (?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303f])/gu;

/** Pixels count downwards, the base of a line upwards. */
function lineOf({ title, words }: Row): SeenLine {
  const [left, , , bottom] = boxOf(title);
  const offset = Number(base_line.exec(title)?.[2] ?? 0);
  const text = words
    .map((word) => word.text)
    .join(" ")
    .replace(between_ideographs, "");
  const hyphenated = /\p{L}-$/u.test(text);
  const size = Number(type_size.exec(title)?.[1] ?? 0) || 1;
  return {
    text: hyphenated ? text.slice(0, -1) : text,
    hyphenated,
    left,
    right: words.at(-1)!.right,
    base: -(bottom + offset),
    size,
    confidence: confidenceIn(words),
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
