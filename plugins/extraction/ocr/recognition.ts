/** Runs in the child: the text of a picture, whichever way it is turned, and how sure it is. */
import { joinLines } from "../child/paragraphs";
import { countLetters, meanConfidence, type RecognisedLine } from "./hocr";
import type { Orientation, Picture, Recogniser, Window } from "./tesseract";

export interface RecognisedText {
  readonly text: string;
  /** 0 to 100. */
  readonly confidence: number;
  readonly letters: number;
  /** `doubtful` text is kept with a warning, `illegible` text is not kept, `blank` has none. */
  readonly trust: "sure" | "doubtful" | "illegible" | "blank";
}

/**
 * Confidence of a page. Readable print is above 75, an unknown script at 35 to 65, a page upside
 * down or a photo at 25 to 50.
 */
const sure_min = 70;
const doubtful_min = 55;
/** Confidence of a line; below it is a stain, a rule or a part of a photo. */
const line_min = 30;
/** Fewer letters may be stains. */
const print_letters_min = 12;

const letters = (lines: readonly RecognisedLine[]): number =>
  lines.reduce((sum, { text }) => sum + countLetters(text), 0);
const isUnsure = (lines: readonly RecognisedLine[]): boolean =>
  letters(lines) >= print_letters_min && meanConfidence(lines) < sure_min;

/** Null when the picture can't be decoded. @throws EngineFailure */
export function recognise(recogniser: Recogniser, picture: Picture): RecognisedText | null {
  const middle = { x: 0.5, y: 0.5 };
  const sample = recogniser.read(picture, windowOn(picture, middle));
  if (sample === null) return null;
  const upright = isUnsure(sample)
    ? (findTurn(recogniser, picture, middle, meanConfidence(sample)) ?? picture)
    : picture;
  let lines = recogniser.read(upright);
  if (lines !== null && letters(sample) < print_letters_min && isUnsure(lines)) {
    // The middle is empty: try where the letters are.
    const other = findTurn(recogniser, picture, middleLine(lines, picture), meanConfidence(lines));
    const again = other && recogniser.read(other);
    if (again && meanConfidence(again) > meanConfidence(lines) + turn_gain_min) lines = again;
  }
  return lines && judge(lines);
}

function judge(lines: readonly RecognisedLine[]): RecognisedText {
  const legible = lines.filter(({ confidence }) => confidence >= line_min);
  const [count, confidence] = [letters(legible), meanConfidence(legible)];
  const enough = count >= print_letters_min ? doubtful_min : sure_min;
  const trust =
    count > 0 && confidence >= enough
      ? confidence < sure_min
        ? "doubtful"
        : "sure"
      : letters(lines) >= print_letters_min
        ? "illegible"
        : "blank";
  return { text: joinLines(legible).text, confidence, letters: count, trust };
}

/** Turned the right way, confidence is higher by much more than this. */
const turn_gain_min = 10;
/** A place on a picture, as shares of its width and height, once it is turned as EXIF says. */
interface Place {
  readonly x: number;
  readonly y: number;
}

/** The picture with the turn that is read with most confidence here; null when none is better. */
function findTurn(
  recogniser: Recogniser,
  picture: Picture,
  { x, y }: Place,
  confidence: number,
): Picture | null {
  const turns: readonly [Orientation, Place][] = [
    [3, { x: 1 - x, y: 1 - y }],
    [6, { x: 1 - y, y: x }],
    [8, { x: y, y: 1 - x }],
  ];
  let best: { readonly picture: Picture; readonly confidence: number } | null = null;
  for (const [turn, place] of turns) {
    const other = { ...picture, orientation: turnedBy(turn, picture.orientation) };
    const read = recogniser.read(other, windowOn(other, place));
    const surer = read === null || letters(read) < print_letters_min ? 0 : meanConfidence(read);
    if (surer <= Math.max(confidence + turn_gain_min, best?.confidence ?? 0)) continue;
    best = { picture: other, confidence: surer };
    if (surer > certain_min) break;
  }
  return best?.picture ?? null;
}
/** With this confidence no other turn is tried. */
const certain_min = 85;

/** How much of a page is read to detect which way it is turned. */
const window_share = 0.06;

function windowOn({ width, height, orientation }: Picture, { x, y }: Place): Window {
  const [across, down] = orientation >= 5 ? [height, width] : [width, height];
  const side = Math.min(width, height, Math.ceil(Math.sqrt(window_share * width * height)));
  const start = (center: number, whole: number): number =>
    Math.round(Math.min(Math.max(0, center * whole - side / 2), whole - side));
  return { left: start(x, across), top: start(y, down), width: side, height: side };
}

/** The place of the line in the middle. */
function middleLine(
  lines: readonly RecognisedLine[],
  { width, height, orientation }: Picture,
): Place {
  const [across, down] = orientation >= 5 ? [height, width] : [width, height];
  const { left, right, base } = lines.toSorted((one, other) => one.base - other.base)[
    lines.length >> 1
  ]!;
  return { x: (left + right) / 2 / across, y: -base / down };
}

/** Clockwise quarter turns, and whether the picture is mirrored before. */
const turns_of: Readonly<Record<Orientation, readonly [number, boolean]>> = {
  1: [0, false],
  6: [1, false],
  3: [2, false],
  8: [3, false],
  2: [0, true],
  7: [1, true],
  4: [2, true],
  5: [3, true],
};

/** The orientation that turns a picture as EXIF says, and then once more. */
export function turnedBy(turn: Orientation, orientation: Orientation): Orientation {
  const [quarters, mirrored] = turns_of[orientation];
  const wanted = (quarters + turns_of[turn][0]) % 4;
  const found = Object.entries(turns_of).find(
    ([, [some, mirror]]) => some === wanted && mirror === mirrored,
  )!;
  return Number(found[0]) as Orientation;
}
