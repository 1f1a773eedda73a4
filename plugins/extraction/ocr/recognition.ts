/** Runs in the child: the text of a picture, whichever way it is turned, and how sure it is. */
import { joinLines } from "../child/paragraphs";
import { countLetters, meanConfidence, type RecognisedLine } from "./hocr";
import { cropped, turned, type Gray, type Quarters, type Scan } from "./bitmap";
import { preparePage, turnedPage, type PreparedPage } from "./prepared-page";
import type { Recogniser } from "./tesseract";

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

/** @throws EngineFailure */
export function recognise(
  recogniser: Recogniser,
  { picture, dots_per_inch }: Scan,
): RecognisedText {
  const page = preparePage(picture),
    reading = { recogniser, page, dots_per_inch };
  const sample = readAround(reading, { x: 0.5, y: 0.5 }, 0);
  const quarters = isUnsure(sample)
    ? findTurn(reading, { x: 0.5, y: 0.5 }, meanConfidence(sample))
    : 0;
  const upright = turnedPage(page, quarters);
  let lines = readWhole(reading, upright);
  if (quarters === 0 && letters(sample) < print_letters_min && isUnsure(lines)) {
    // The middle is empty: try where the letters are.
    const turn = findTurn(reading, middleLine(lines, page.picture), meanConfidence(lines)),
      again = turn === 0 ? [] : readWhole(reading, turnedPage(page, turn));
    if (meanConfidence(again) > meanConfidence(lines) + turn_gain_min) lines = again;
  }
  return judge(lines);
}

interface Reading {
  readonly recogniser: Recogniser;
  readonly page: PreparedPage;
  readonly dots_per_inch: number | null;
}

const readWhole = ({ recogniser, dots_per_inch }: Reading, { picture }: PreparedPage) =>
  recogniser.read({ picture, dots_per_inch });

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
/** A place on a page, as shares of its width and height. */
interface Place {
  readonly x: number;
  readonly y: number;
}
/** With this confidence no other turn is tried. */
const certain_min = 85;

/** Clockwise, so that the page is read with most confidence here; 0 when no turn is better. */
function findTurn(reading: Reading, place: Place, confidence: number): Quarters {
  const turns: readonly Quarters[] = reading.page.sideways ? [1, 3, 2] : [2, 1, 3];
  let [best, highest]: [Quarters, number] = [0, confidence + turn_gain_min];
  for (const turn of turns) {
    const read = readAround(reading, place, turn);
    const surer = letters(read) < print_letters_min ? 0 : meanConfidence(read);
    if (surer <= highest) continue;
    [best, highest] = [turn, surer];
    if (surer > certain_min) break;
  }
  return best;
}

/** How much of a page is read to detect which way it is turned. */
const window_share = 0.06;

/** What is read around a place once the page is turned. */
function readAround(
  { recogniser, page, dots_per_inch }: Reading,
  { x, y }: Place,
  quarters: Quarters,
): RecognisedLine[] {
  const { width, height } = page.picture,
    side = Math.min(width, height, Math.ceil(Math.sqrt(window_share * width * height)));
  const start = (center: number, whole: number): number =>
    Math.round(Math.min(Math.max(0, center * whole - side / 2), whole - side));
  const window = { left: start(x, width), top: start(y, height), width: side, height: side };
  if (quarters === 0) return recogniser.read({ picture: page.picture, dots_per_inch }, window);
  return recogniser.read({
    picture: turned(cropped(page.picture, window), quarters),
    dots_per_inch,
  });
}

/** The place of the line in the middle. */
function middleLine(lines: readonly RecognisedLine[], { width, height }: Gray): Place {
  const { left, right, base } = lines.toSorted((one, other) => one.base - other.base)[
    lines.length >> 1
  ]!;
  return { x: (left + right) / 2 / width, y: -base / height };
}
