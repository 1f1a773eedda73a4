/** Reads the text of a picture, whichever way it is turned, and says how far it can be trusted. */
import { joinLines } from "../paragraphs";
import type { Recognised } from "./hocr";
import type { Orientation, Recogniser } from "./tesseract";

export interface PictureText {
  readonly text: string;
  /** 0 to 100. */
  readonly confidence: number;
  readonly letters: number;
  /** Whether the words are worth keeping; `doubtful` ones are, and that they may be wrong must be said. */
  readonly trust: "sure" | "doubtful" | "none";
}

/** Readable print comes out above 75, a script that the languages do not have at 35 to 65, a page upside down or a photo at 25 to 50. */
const sure_from = 70;
const doubtful_from = 55;
/** Letters too few to tell print from stains must be surer. */
const few_letters = 12;

/** A page turned by a half, by a quarter counter-clockwise, by a quarter clockwise. */
const turns: readonly Orientation[] = [3, 6, 8];
/** Together the attempts at one picture should take no longer, milliseconds. */
const attempts_ms = 12_000;

/** Null when the picture can't be decoded. @throws EngineFailure */
export function recognise(recogniser: Recogniser, picture: Uint8Array, orientation: Orientation, dots_per_inch: number | null): PictureText | null {
  const begun_ms = performance.now();
  let best = recogniser.read(picture, orientation, dots_per_inch);
  if (best === null) return null;
  const first_ms = performance.now() - begun_ms;
  for (const turn of turns) {
    if (best.letters === 0 || best.confidence >= sure_from || performance.now() - begun_ms + first_ms > attempts_ms) break;
    const turned = recogniser.read(picture, turnedBy(turn, orientation), dots_per_inch);
    if (turned !== null && turned.letters > few_letters && turned.confidence > best.confidence + 10) best = turned;
  }
  return { text: joinLines(best.lines), confidence: best.confidence, letters: best.letters, trust: trustIn(best) };
}

function trustIn({ confidence, letters }: Recognised): PictureText["trust"] {
  if (letters === 0 || confidence < doubtful_from || (letters < few_letters && confidence < sure_from)) return "none";
  return confidence < sure_from ? "doubtful" : "sure";
}

/** Clockwise quarters, and whether the picture is mirrored before. */
const parts: Readonly<Record<Orientation, readonly [number, boolean]>> = { 1: [0, false], 6: [1, false], 3: [2, false], 8: [3, false], 2: [0, true], 7: [1, true], 4: [2, true], 5: [3, true] };

/** First as EXIF says, then this turn on top. */
export function turnedBy(turn: Orientation, orientation: Orientation): Orientation {
  const [quarters, mirrored] = parts[orientation];
  const wanted = (quarters + parts[turn][0]) % 4;
  const found = Object.entries(parts).find(([, [some, mirror]]) => some === wanted && mirror === mirrored)!;
  return Number(found[0]) as Orientation;
}
