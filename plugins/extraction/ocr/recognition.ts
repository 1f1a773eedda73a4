/** Runs in the child: the text of an image in any orientation, and its confidence. */
import type { PageConcern } from "../child/page-output";
import { joinLines } from "../child/paragraphs";
import type { Scan } from "./bitmap";
import { countLineLetters, meanConfidence, type RecognisedLine } from "./hocr";
import { arrange, pointsPerPixel } from "./page-tables";
import { preparePage, scaledPage } from "./prepared-page";
import { readAgain } from "./second-reading";
import type { Recogniser } from "./tesseract";
import { print_letters_min, readUpright, sure_min } from "./upright-page";

/** The text of an image, and how far it can be trusted. */
export interface RecognisedText {
  readonly text: string;
  /** 0 to 100. */
  readonly confidence: number;
  readonly letters: number;
  /**
   * `doubtful` text is kept with a warning, `illegible` text is dropped, `blank` means there is
   * none.
   */
  readonly trust: "sure" | "doubtful" | "illegible" | "blank";
  readonly concerns: readonly PageConcern[];
}

/** Text with lower confidence is dropped. */
const doubtful_min = 55;
/** Minimum confidence of a line; below it is a stain, a rule or part of a photo. */
const line_min = 30;

/**
 * Collects the many copies of a picture that recognition makes. The collector does not see how
 * large they are, and would let those of a hundred pages pile up to the memory limit.
 */
export const collectPictures = (): void => Bun.gc(true);

/** Small letters are recognised better when enlarged by `scale`. @throws EngineFailure */
export function recognise(recogniser: Recogniser, scan: Scan, scale = 1): RecognisedText {
  const page = scaledPage(preparePage(scan.picture), scale);
  const dots_per_inch = scan.dots_per_inch && Math.round(scan.dots_per_inch * scale);
  const upright = readUpright({ recogniser, page, dots_per_inch });
  const legible = legibleLines(upright.lines);
  const points = pointsPerPixel(legible);
  const { rules, picture } = upright.page;
  const drawn = { rules, leaders: upright.leaders };
  const first = arrange(legible, drawn, points);
  const second_reading = readAgain(
    picture,
    { lines: legible, rules, tables: first.tables, points },
    (part) => recogniser.read({ picture, dots_per_inch }, part, "block"),
  );
  const arranged =
    second_reading.lines === legible ? first : arrange(second_reading.lines, drawn, points);
  const concerns: PageConcern[] = [
    ...(second_reading.incomplete ? (["table_incomplete"] as const) : []),
    ...(leavesOut(upright.lines) ? (["partly_legible"] as const) : []),
    ...(upright.quarters === 0 ? [] : (["turned"] as const)),
    ...(Math.abs(page.degrees) > askew_min ? (["askew"] as const) : []),
  ];
  return {
    ...judge(upright.lines, second_reading.lines),
    text: joinLines(arranged.lines).text,
    concerns,
  };
}

/** In degrees. */
const askew_min = 10;
/** Letters that were left out, and their share of all. */
const left_out_min = 40;
const left_out_share = 0.3;

const legibleLines = (lines: readonly RecognisedLine[]): readonly RecognisedLine[] =>
  lines.filter(({ confidence }) => confidence >= line_min);
function leavesOut(lines: readonly RecognisedLine[]): boolean {
  const all = countLineLetters(lines);
  const left_out = all - countLineLetters(legibleLines(lines));
  return left_out >= left_out_min && left_out >= left_out_share * all;
}

function judge(
  all: readonly RecognisedLine[],
  legible: readonly RecognisedLine[],
): Pick<RecognisedText, "confidence" | "letters" | "trust"> {
  const count = countLineLetters(legible);
  const confidence = meanConfidence(legible);
  const enough = count >= print_letters_min ? doubtful_min : sure_min;
  const trust =
    count > 0 && confidence >= enough
      ? confidence < sure_min
        ? "doubtful"
        : "sure"
      : countLineLetters(all) >= print_letters_min
        ? "illegible"
        : "blank";
  return { confidence, letters: count, trust };
}
