/**
 * Runs in the child: recognises parts of tables a second time, one by one, where the first pass
 * found no text or was uncertain: beside wide gaps it misses short cells.
 */
import { touchingGroups, merged } from "../child/tables/rules";
import { around, median, type Box, type Table } from "../child/tables/geometry";
import type { Gray, Window } from "./bitmap";
import {
  countLetters,
  lineOfWords,
  meanConfidence,
  type RecognisedLine,
  type RecognisedWord,
} from "./hocr";
import { inkRegions } from "./ink-regions";
import { drawingOf } from "./page-tables";
import type { PictureRules } from "./rules";

/** Words with lower confidence are read again. */
const unsure_max = 60;
/** Text with lower confidence is no better than none. */
const legible_min = 45;
/** The most parts of a page that are read again. */
const parts_max = 40;
/** White margin around a part, in letter sizes. */
const margin = 0.4;
/** Words with a smaller gap between them belong to one cell. */
const gap_max = 0.8;

/** The lines of a page after the second pass. */
export interface SecondReading {
  readonly lines: readonly RecognisedLine[];
  /** There are letters that could not be read. */
  readonly incomplete: boolean;
}
/** The result of the first pass. */
export interface ReadPage {
  readonly lines: readonly RecognisedLine[];
  readonly rules: PictureRules;
  readonly tables: readonly Table[];
  /** Points per pixel; tables are in points. */
  readonly points: number;
}

/** `read` recognises a part of the image as one block of text. */
export function readAgain(
  picture: Gray,
  { lines, rules, tables, points }: ReadPage,
  read: (part: Window) => readonly RecognisedLine[],
): SecondReading {
  const areas = areasOf(rules, tables, points, picture);
  if (areas.length === 0) return { lines, incomplete: false };
  const size = median(lines.flatMap((line) => line.words.map(() => line.size))) || usual_size;
  let left = parts_max;
  const surer = lines.flatMap((line) => {
    if (!line.words.some((word) => areas.some((area) => holds(area, word)))) return [line];
    return cellsOf(line).flatMap((words) => {
      const sure = meanConfidence(words);
      if (words.every(({ confidence }) => confidence >= unsure_max) || left <= 0)
        return [lineOfWords(line, words)];
      left--;
      const reread = read(grown(boxOf(words), margin * line.size, picture));
      const better = reread.flatMap((line) => line.words);
      return meanConfidence(better) > sure && lettersOf(better) >= 0.6 * lettersOf(words)
        ? reread
        : [lineOfWords(line, words)];
    });
  });
  let incomplete = false;
  for (const area of areas) {
    const words = surer.flatMap((line) => line.words.map((word) => boxOf([word])));
    for (const region of inkRegions(picture, area, words, size)) {
      const reread =
        left-- > 0
          ? read(grown(region, margin * size, picture)).filter(
              (line) => line.confidence >= legible_min,
            )
          : [];
      surer.splice(placeOf(surer, area), 0, ...reread);
      incomplete ||= reread.length === 0;
    }
  }
  return { lines: left === parts_max ? lines : surer, incomplete };
}
/** The assumed letter size where none was read, in pixels. */
const usual_size = 30;

/** Where lines found in an area are inserted: before the text below it. */
function placeOf(lines: readonly RecognisedLine[], { left, top, width, height }: Window): number {
  const below = lines.findIndex(
    (line) => -line.base > top + height && line.left < left + width && line.right > left,
  );
  return below < 0 ? lines.length : below;
}

const lettersOf = (words: readonly RecognisedWord[]): number =>
  words.reduce((sum, { text }) => sum + countLetters(text), 0);

/** Areas of tables, and areas where rules enclose more than one cell; in pixels. */
function areasOf(
  rules: PictureRules,
  tables: readonly Table[],
  scale: number,
  { width, height }: Gray,
): Window[] {
  const { across, down } = drawingOf(rules, scale);
  const grids = touchingGroups(merged(across), merged(down)).filter(
    (group) =>
      group.across.length >= 2 &&
      group.down.length >= 2 &&
      group.across.length + group.down.length >= 5,
  );
  const boxes: Box[] = [];
  for (const box of [...grids, ...tables]) {
    const same = boxes.findIndex(
      (other) =>
        box.left < other.right &&
        box.right > other.left &&
        box.bottom < other.top &&
        box.top > other.bottom,
    );
    if (same < 0) boxes.push(box);
    else boxes[same] = around([boxes[same]!, box]);
  }
  return boxes.map(({ left, right, top, bottom }) => {
    const x = Math.max(0, Math.floor(left / scale));
    const y = Math.max(0, Math.floor(-top / scale));
    return {
      left: x,
      top: y,
      width: Math.min(width, Math.ceil(right / scale)) - x,
      height: Math.min(height, Math.ceil(-bottom / scale)) - y,
    };
  });
}

const holds = ({ left, top, width, height }: Window, word: RecognisedWord): boolean => {
  const x = (word.left + word.right) / 2;
  const y = (word.top + word.bottom) / 2;
  return x >= left && x <= left + width && y >= top && y <= top + height;
};

/** Words of a line without wide gaps between them. */
function cellsOf({ words, size }: RecognisedLine): RecognisedWord[][] {
  const cells: RecognisedWord[][] = [];
  for (const word of words) {
    const last = cells.at(-1);
    if (last !== undefined && word.left - last.at(-1)!.right < gap_max * size) last.push(word);
    else cells.push([word]);
  }
  return cells;
}

function boxOf(words: readonly RecognisedWord[]): Window {
  const left = Math.min(...words.map((word) => word.left));
  const top = Math.min(...words.map((word) => word.top));
  return {
    left,
    top,
    width: Math.max(...words.map(({ right }) => right)) - left,
    height: Math.max(...words.map(({ bottom }) => bottom)) - top,
  };
}

function grown(part: Window, by: number, { width, height }: Gray): Window {
  const left = Math.max(0, Math.floor(part.left - by));
  const top = Math.max(0, Math.floor(part.top - by));
  return {
    left,
    top,
    width: Math.min(width, Math.ceil(part.left + part.width + by)) - left,
    height: Math.min(height, Math.ceil(part.top + part.height + by)) - top,
  };
}
