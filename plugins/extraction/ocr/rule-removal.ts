/** Runs in the child: removes lines from an image, but not the letters that touch them. */
import { transposed, type Gray } from "./bitmap";
import type { PictureRules } from "./rules";
import type { PictureRule } from "./traced-lines";

const white = 255;
/** Lighter than this is paper. */
const ink_max = 225;

/** A new image. The paper has to be white. */
export function withoutRules(picture: Gray, { across, down }: PictureRules): Gray {
  if (across.length + down.length === 0) return picture;
  // Both directions use the original image, where crossing lines are intact.
  const cleared = { ...picture, pixels: Uint8Array.from(picture.pixels) };
  for (const rule of across) clear(picture, cleared.pixels, rule, down);
  if (down.length === 0) return cleared;
  const turned = transposed(picture);
  const cleared_turned = transposed(cleared);
  for (const rule of down) clear(turned, cleared_turned.pixels, rule, across);
  return transposed(cleared_turned);
}

/** `crossing` are the lines in the other direction. */
function clear(
  { width, height, pixels }: Gray,
  into: Uint8Array,
  rule: PictureRule,
  crossing: readonly PictureRule[],
): void {
  const middle = (rule.from + rule.to) / 2;
  const half = Math.ceil(rule.thickness / 2) + 1;
  const crossings = crossingsOf(rule, crossing);
  const isInk = (x: number, y: number): boolean =>
    y >= 0 && y < height && pixels[y * width + x]! < ink_max;
  for (let x = Math.max(0, rule.from - 2); x <= Math.min(width - 1, rule.to + 2); x++) {
    const y = Math.round(rule.at + rule.slope * (x - middle));
    let top = y - half;
    let bottom = y + half;
    while (top < y && !isInk(x, top)) top++;
    while (bottom > y && !isInk(x, bottom)) bottom--;
    // A letter that crosses the line continues above and below it.
    const is_crossed =
      isInk(x, top - 1) && isInk(x, bottom + 1) && isInk(x, top - 3) && isInk(x, bottom + 3);
    if (is_crossed && !crossings.has(x)) continue;
    for (let row = Math.max(0, top - 1); row <= Math.min(height - 1, bottom + 1); row++)
      into[row * width + x] = white;
  }
}

/** Where other lines cross this one. */
function crossingsOf(rule: PictureRule, others: readonly PictureRule[]): ReadonlySet<number> {
  const places = new Set<number>();
  for (const { from, to, at, slope, thickness } of others) {
    if (rule.at < from - thickness || rule.at > to + thickness) continue;
    const x = Math.round(at + slope * (rule.at - (from + to) / 2));
    const half = Math.ceil(thickness / 2) + 2;
    for (let column = x - half; column <= x + half; column++) places.add(column);
  }
  return places;
}
