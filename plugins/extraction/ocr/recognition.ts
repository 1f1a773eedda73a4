/** Reads the text of a picture, whichever way it is turned, and says how far it can be trusted. */
import { joinLines } from "../child/paragraphs";
import { confidenceIn, lettersIn, type SeenLine } from "./hocr";
import type { Orientation, Picture, Recogniser, Window } from "./tesseract";

export interface PictureText {
  readonly text: string;
  /** 0 to 100. */
  readonly confidence: number;
  readonly letters: number;
  /**
   * Whether the words are worth keeping: those that are `doubtful` are, but it must be said that
   * they may be wrong. Of a `blank` picture there are none.
   */
  readonly trust: "sure" | "doubtful" | "illegible" | "blank";
}

/**
 * Readable print comes out above 75, a script that the languages do not have at 35 to 65, a page
 * upside down or a photo at 25 to 50.
 */
const sure_from = 70;
const doubtful_from = 55;
/** A line that the recogniser is less sure of than this is a stain, a rule or a part of a photo. */
const line_from = 30;
/** Letters too few to tell print from stains. */
const few_letters = 12;

const letters = (lines: readonly SeenLine[]): number =>
  lines.reduce((sum, { text }) => sum + lettersIn(text), 0);
const isUnsure = (lines: readonly SeenLine[]): boolean =>
  letters(lines) >= few_letters && confidenceIn(lines) < sure_from;

/** Null when the picture can't be decoded. @throws EngineFailure */
export function recognise(recogniser: Recogniser, picture: Picture): PictureText | null {
  const middle = { x: 0.5, y: 0.5 };
  const glance = recogniser.read(picture, windowOn(picture, middle));
  if (glance === null) return null;
  const upright = isUnsure(glance)
    ? (turned(recogniser, picture, middle, confidenceIn(glance)) ?? picture)
    : picture;
  let lines = recogniser.read(upright);
  if (lines !== null && letters(glance) < few_letters && isUnsure(lines)) {
    // The middle was empty: look where the letters are.
    const other = turned(recogniser, picture, middleLine(lines, picture), confidenceIn(lines));
    const again = other && recogniser.read(other);
    if (again && confidenceIn(again) > confidenceIn(lines) + surer_by) lines = again;
  }
  return lines && judge(lines);
}

function judge(lines: readonly SeenLine[]): PictureText {
  const legible = lines.filter(({ confidence }) => confidence >= line_from);
  const [count, confidence] = [letters(legible), confidenceIn(legible)];
  const enough = count >= few_letters ? doubtful_from : sure_from;
  const trust =
    count > 0 && confidence >= enough
      ? confidence < sure_from
        ? "doubtful"
        : "sure"
      : letters(lines) >= few_letters
        ? "illegible"
        : "blank";
  return { text: joinLines(legible), confidence, letters: count, trust };
}

/** The right way round a page is surer than any other way by much more than this. */
const surer_by = 10;
/** A place on a picture as a part of its width and height, when it is turned as EXIF says. */
interface Place {
  readonly x: number;
  readonly y: number;
}

/** The picture with the turn that makes it surest at this place; null when none does. */
function turned(
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
    const surer = read === null || letters(read) < few_letters ? 0 : confidenceIn(read);
    if (surer <= Math.max(confidence + surer_by, best?.confidence ?? 0)) continue;
    best = { picture: other, confidence: surer };
    if (surer > certain) break;
  }
  return best?.picture ?? null;
}
const certain = 85;

/** How much of a page is looked at to tell which way it is turned. */
const window_part = 0.06;

function windowOn({ width, height, orientation }: Picture, { x, y }: Place): Window {
  const [across, down] = orientation >= 5 ? [height, width] : [width, height];
  const side = Math.min(width, height, Math.ceil(Math.sqrt(window_part * width * height)));
  const start = (center: number, whole: number): number =>
    Math.round(Math.min(Math.max(0, center * whole - side / 2), whole - side));
  return { left: start(x, across), top: start(y, down), width: side, height: side };
}

function middleLine(lines: readonly SeenLine[], { width, height, orientation }: Picture): Place {
  const [across, down] = orientation >= 5 ? [height, width] : [width, height];
  const { left, right, base } = lines.toSorted((one, other) => one.base - other.base)[
    lines.length >> 1
  ]!;
  return { x: (left + right) / 2 / across, y: -base / down };
}

/** Clockwise quarters, and whether the picture is mirrored before. */
const parts: Readonly<Record<Orientation, readonly [number, boolean]>> = {
  1: [0, false],
  6: [1, false],
  3: [2, false],
  8: [3, false],
  2: [0, true],
  7: [1, true],
  4: [2, true],
  5: [3, true],
};

/** First as EXIF says, then this turn on top. */
export function turnedBy(turn: Orientation, orientation: Orientation): Orientation {
  const [quarters, mirrored] = parts[orientation];
  const wanted = (quarters + parts[turn][0]) % 4;
  const found = Object.entries(parts).find(
    ([, [some, mirror]]) => some === wanted && mirror === mirrored,
  )!;
  return Number(found[0]) as Orientation;
}
