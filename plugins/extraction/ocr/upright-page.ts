/**
 * Runs in the child: recognises a page after rotating it by quarter turns so that its text runs to
 * the right.
 */
import { cropped, turned, type Gray, type Quarters } from "./bitmap";
import { withoutLeaders, type Leader } from "./dot-leaders";
import { countLetters, countLineLetters, meanConfidence, type RecognisedLine } from "./hocr";
import { turnedPage, type PreparedPage } from "./prepared-page";
import type { Recogniser } from "./tesseract";

/** Fewer letters may be stains. */
export const print_letters_min = 12;
/**
 * The confidence from which a page counts as certain. Readable print is above 75, an unknown script
 * at 35 to 65, an upside-down page or a photo at 25 to 50.
 */
export const sure_min = 70;

const isUnsure = (lines: readonly RecognisedLine[]): boolean =>
  countLineLetters(lines) >= print_letters_min && meanConfidence(lines) < sure_min;

/** What is needed to read a page. */
export interface Reading {
  readonly recogniser: Recogniser;
  readonly page: PreparedPage;
  readonly dots_per_inch: number | null;
}
/** The page in the orientation in which it was read best. */
export interface UprightPage {
  readonly page: PreparedPage;
  readonly lines: readonly RecognisedLine[];
  /** Dot leaders that were removed. */
  readonly leaders: readonly Leader[];
  /** The number of clockwise quarter turns applied. */
  readonly quarters: Quarters;
}

/** Reads a sample first, and turns the page only if that is doubtful. */
export function readUpright(reading: Reading): UprightPage {
  const { page } = reading;
  const sample = readAround(reading, { x: 0.5, y: 0.5 }, 0);
  const quarters = isDoubtful(sample) ? findTurn(reading, { x: 0.5, y: 0.5 }, sample) : 0;
  const first = readTurned(reading, quarters);
  if (quarters !== 0 || countLineLetters(sample) >= print_letters_min || !isDoubtful(first.lines))
    return first;
  // The middle is empty: try where the letters are.
  const turn = findTurn(reading, middleLine(first.lines, page.picture), first.lines);
  const turned = turn === 0 ? first : readTurned(reading, turn);
  return meanConfidence(turned.lines) > neededFrom(first.lines) ? turned : first;
}

const isDoubtful = (lines: readonly RecognisedLine[]): boolean => isUnsure(lines) || runDown(lines);
/** Tesseract also reads lines that run downwards, but tables are not found among them. */
const runDown = (lines: readonly RecognisedLine[]): boolean => {
  const long = lines.filter(({ text }) => countLetters(text) >= long_letters_min);
  return countLineLetters(long.filter(isTall)) > 0.5 * countLineLetters(long);
};
const long_letters_min = 4;
const isTall = ({ words }: RecognisedLine): boolean => {
  const wide =
    Math.max(...words.map(({ right }) => right)) - Math.min(...words.map(({ left }) => left));
  const tall =
    Math.max(...words.map(({ bottom }) => bottom)) - Math.min(...words.map(({ top }) => top));
  return tall > 1.5 * wide;
};
/** The confidence from which another rotation is the right one. */
const neededFrom = (lines: readonly RecognisedLine[]): number =>
  meanConfidence(lines) + (runDown(lines) ? -turn_gain_min : turn_gain_min);

function readTurned({ recogniser, page, dots_per_inch }: Reading, quarters: Quarters): UprightPage {
  const upright = turnedPage(page, quarters);
  const { picture, leaders } = withoutLeaders(upright.picture);
  return {
    page: { ...upright, picture },
    lines: recogniser.read({ picture, dots_per_inch }),
    leaders,
    quarters,
  };
}

/** In the right rotation, confidence is higher by much more than this. */
const turn_gain_min = 10;
/** A position on a page, as shares of its width and height. */
interface Place {
  readonly x: number;
  readonly y: number;
}
/** With this confidence no other rotation is tried. */
const certain_min = 85;

/** The clockwise rotation in which this part is read with most confidence; 0 if none is better. */
function findTurn(reading: Reading, place: Place, lines: readonly RecognisedLine[]): Quarters {
  const turns: readonly Quarters[] = reading.page.sideways ? [3, 1, 2] : [2, 3, 1];
  let [best, highest]: [Quarters, number] = [0, neededFrom(lines)];
  for (const turn of turns) {
    const read = readAround(reading, place, turn);
    const surer = countLineLetters(read) < print_letters_min ? 0 : meanConfidence(read);
    if (surer <= highest) continue;
    [best, highest] = [turn, surer];
    if (surer > certain_min) break;
  }
  return best;
}

/** How much of a page is read to detect its rotation. */
const window_share = 0.06;

/** The area to read around a position once the page is rotated. */
function readAround(
  { recogniser, page, dots_per_inch }: Reading,
  { x, y }: Place,
  quarters: Quarters,
): RecognisedLine[] {
  const { width, height } = page.picture;
  const side = Math.min(width, height, Math.ceil(Math.sqrt(window_share * width * height)));
  const start = (center: number, length: number): number =>
    Math.round(Math.min(Math.max(0, center * length - side / 2), length - side));
  const window = { left: start(x, width), top: start(y, height), width: side, height: side };
  if (quarters === 0) return recogniser.read({ picture: page.picture, dots_per_inch }, window);
  return recogniser.read({
    picture: turned(cropped(page.picture, window), quarters),
    dots_per_inch,
  });
}

/** The position of the line in the middle. */
function middleLine(lines: readonly RecognisedLine[], { width, height }: Gray): Place {
  const { left, right, base } = lines.toSorted((a, b) => a.base - b.base)[lines.length >> 1]!;
  return { x: (left + right) / 2 / width, y: -base / height };
}
