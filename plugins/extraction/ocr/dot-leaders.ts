/**
 * Runs in the child: removes dot leaders (the dots before page numbers) from an image, because
 * Tesseract reads them as letters.
 */
import { unitOf, type Gray } from "./bitmap";

/**
 * Darker than this is ink, and lighter than that is paper; values between are the edge of a dot.
 */
const ink_max = 170;
const paper_min = 200;
/** The widest dot and the widest space between two, in units. */
const dot_max = 7;
const space_max = 26;
/** The minimum number of evenly spaced dots; fewer are an ellipsis, or the bottoms of letters. */
const dots_min = 8;
/** Their minimum total length, in units. */
const length_min = 130;
/** Tolerance of the spacing, relative to its mean, and at least. */
const difference_max = 0.25;
const difference_min = 2.5;
const white = 255;

interface Dot {
  readonly from: number;
  readonly to: number;
}
interface Chain {
  readonly dots: Dot[];
  pitch: number;
}

/** A dot leader, in pixels. */
export interface Leader {
  readonly from: number;
  readonly to: number;
  /** Its distance from the top. */
  readonly at: number;
}

/** A new image if there are any. The paper has to be white. */
export function withoutLeaders(picture: Gray): {
  readonly picture: Gray;
  readonly leaders: readonly Leader[];
} {
  const { width, height, pixels } = picture;
  const unit = unitOf(picture);
  const reach = Math.ceil(dot_max * unit);
  let cleared: Uint8Array | null = null;
  const leaders: Leader[] = [];
  const end = ({ dots }: Chain, y: number): void => {
    if (dots.length < dots_min || dots.at(-1)!.to - dots[0]!.from < length_min * unit) return;
    cleared ??= Uint8Array.from(pixels);
    const from = dots[0]!.from;
    const to = dots.at(-1)!.to;
    const last = leaders.findLast((leader) => leader.from <= to && leader.to >= from);
    if (last === undefined || y - last.at > reach) leaders.push({ from, to, at: y });
    for (const { from, to } of dots)
      for (let row = Math.max(0, y - reach + 2); row <= Math.min(height - 1, y + reach - 2); row++)
        cleared.fill(white, row * width + from - 1, row * width + Math.min(width, to + 2));
  };
  for (let y = reach; y < height - reach; y++) {
    const row = y * width;
    let chain: Chain = { dots: [], pitch: 0 };
    for (let x = 1; x < width - 1; x++) {
      if (pixels[row + x]! >= ink_max) continue;
      const from = x;
      while (x < width - 1 && pixels[row + x]! < ink_max) x++;
      const dot = { from, to: x - 1 };
      const is_dot =
        dot.to - dot.from < dot_max * unit &&
        isPaper(picture, dot, y - reach) &&
        isPaper(picture, dot, y + reach);
      if (is_dot && follows(chain, dot, unit)) continue;
      end(chain, y);
      chain = { dots: is_dot ? [dot] : [], pitch: 0 };
    }
    end(chain, y);
  }
  return { picture: cleared === null ? picture : { ...picture, pixels: cleared }, leaders };
}

/** Whether a dot is isolated: nothing is above, below or directly beside it. */
function isPaper({ width, pixels }: Gray, { from, to }: Dot, y: number): boolean {
  const margin = to - from + 1;
  for (let x = Math.max(0, from - margin); x <= Math.min(width - 1, to + margin); x++)
    if (pixels[y * width + x]! < paper_min) return false;
  return true;
}

/** Adds the dot if its distance from the last one matches the spacing. */
function follows(chain: Chain, dot: Dot, unit: number): boolean {
  const last = chain.dots.at(-1);
  if (last === undefined) return false;
  const step = (dot.from + dot.to - last.from - last.to) / 2;
  const tolerance = Math.max(difference_min * unit, difference_max * chain.pitch);
  if (dot.from - last.to > space_max * unit || dot.from - last.to < 2) return false;
  if (chain.pitch > 0 && Math.abs(step - chain.pitch) > tolerance) return false;
  chain.pitch = chain.pitch === 0 ? step : 0.8 * chain.pitch + 0.2 * step;
  chain.dots.push(dot);
  return true;
}
