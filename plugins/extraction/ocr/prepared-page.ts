/**
 * Runs in the child: prepares the image of a page for recognition: straightened, with dark letters
 * on white paper, and without the lines of tables, which are returned separately.
 */
import { resized, turned, type Gray, type Quarters } from "./bitmap";
import { withoutRules } from "./rule-removal";
import { enlarged, rulesOf, type PictureRules } from "./rules";
import { skewOf } from "./skew";
import { rotated } from "./rotation";
import { tilesOf } from "./tiles";
import { toned } from "./tone";
import type { PictureRule } from "./traced-lines";

/** An image that is ready for recognition. */
export interface PreparedPage {
  readonly picture: Gray;
  readonly rules: PictureRules;
  /** The skew of the page, in degrees. */
  readonly degrees: number;
  /** Its lines of text run downwards: it is rotated by 90 degrees. */
  readonly sideways: boolean;
}

/** Smaller angles don't harm recognition: pixels stay unchanged. */
const degrees_min = 0.2;

/** Straightens, cleans and measures the image of a page. */
export function preparePage(picture: Gray): PreparedPage {
  const skew = skewOf(picture);
  const degrees = skew === null || Math.abs(skew.degrees) < degrees_min ? 0 : skew.degrees;
  const straight = degrees === 0 ? picture : rotated(picture, degrees, paperOf(picture));
  const { picture: even, noise, grounds } = toned(straight);
  const rules = rulesOf(even, noise, grounds);
  return {
    picture: withoutRules(even, rules),
    rules,
    degrees,
    sideways: skew?.sideways ?? false,
  };
}

/** The shade of most of the light parts of the page. */
function paperOf(picture: Gray): number {
  const { light } = tilesOf(picture);
  return light.toSorted()[light.length >> 1]!;
}

/** Resizes the page. */
export function scaledPage(page: PreparedPage, scale: number): PreparedPage {
  if (scale === 1) return page;
  const { picture, rules } = page;
  const side = (length: number): number => Math.max(1, Math.round(length * scale));
  const scaled = (lines: readonly PictureRule[]): PictureRule[] =>
    lines.map((line) => enlarged(line, scale));
  return {
    ...page,
    picture: resized(picture, side(picture.width), side(picture.height)),
    rules: { across: scaled(rules.across), down: scaled(rules.down) },
  };
}

/** Rotates the page clockwise, by this many quarter turns. */
export function turnedPage(page: PreparedPage, quarters: Quarters): PreparedPage {
  let { picture, rules } = page;
  picture = turned(picture, quarters);
  for (let turn: number = quarters, { width, height } = page.picture; turn > 0; turn--) {
    rules = quarterTurn(rules, height);
    [width, height] = [height, width];
  }
  return { ...page, picture, rules, sideways: quarters % 2 === 1 ? !page.sideways : page.sideways };
}

/** Clockwise: the top becomes the right. `height` is that of the page before. */
const quarterTurn = ({ across, down }: PictureRules, height: number): PictureRules => ({
  across: down.map((rule) => mirrored(rule, height)),
  down: across.map((rule) => ({ ...rule, at: height - 1 - rule.at, slope: -rule.slope })),
});
const mirrored = (rule: PictureRule, length: number): PictureRule => ({
  ...rule,
  from: length - 1 - rule.to,
  to: length - 1 - rule.from,
  slope: -rule.slope,
});
