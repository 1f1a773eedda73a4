/**
 * Runs in the child: measures the skew of a page. At the right angle, the lower edges of letters
 * and rules project onto few lines, and so do their side edges.
 */
import { resized, transposed, type Gray } from "./bitmap";

/** In degrees; rotating the page counter-clockwise by it makes it straight. */
export interface Skew {
  readonly degrees: number;
  /** The lines of text run downwards: the page is rotated by 90 degrees. */
  readonly sideways: boolean;
}

/** The longer side of the image that is measured, in pixels. */
const side_max = 1_300;
/** The most edges that are used: an even sample of all. */
const points_max = 24_000;
/** A page with fewer edges has too little content. */
const points_min = 150;
/** In degrees. A page with more skew is left unchanged. */
const degrees_max = 20;
const coarse_step = 0.25;
const fine_step = 0.05;
/** Bin heights of the coarse and the fine projection, in pixels. */
const coarse_bin = 3;
const fine_bin = 1;
/** How much better than most angles the best one must be. */
const gain_min = 1.25;
/** The same for more than ten degrees, which is rare. */
const far_gain_min = 1.6;
const far_degrees = 10;
/** The minimum step at an edge, relative to that from ink to paper; it must also exceed noise. */
const edge_share = 0.3;
const edge_min = 14;
/** The percentiles that stand for ink and for paper. */
const ink_share = 0.005;
const paper_share = 0.7;

/** Null if the page has nothing to measure. */
export function skewOf(picture: Gray): Skew | null {
  const shrink = Math.min(1, side_max / Math.max(picture.width, picture.height));
  const small = resized(
    picture,
    Math.max(1, Math.round(picture.width * shrink)),
    Math.max(1, Math.round(picture.height * shrink)),
  );
  const contrast = Math.max(edge_min, edge_share * rangeOf(small));
  const across = measure(lowerEdges(small, contrast));
  const down = measure(lowerEdges(transposed(small), contrast));
  const best = (across?.gain ?? 0) >= (down?.gain ?? 0) ? across : down;
  if (best === null || best.gain < (Math.abs(best.degrees) > far_degrees ? far_gain_min : gain_min))
    return null;
  return best === across
    ? { degrees: across.degrees, sideways: false }
    : { degrees: -best.degrees, sideways: true };
}

/** From ink to paper. */
function rangeOf({ pixels }: Gray): number {
  const counts = new Uint32Array(256);
  for (const pixel of pixels) counts[pixel]!++;
  const shadeAt = (share: number): number => {
    let shade = 0;
    let left = share * pixels.length;
    while (left > counts[shade]!) left -= counts[shade++]!;
    return shade;
  };
  return shadeAt(paper_share) - shadeAt(ink_share);
}

interface Points {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

/** Dark pixels with light ones below. */
function lowerEdges({ width, height, pixels }: Gray, contrast: number): Points {
  let count = 0;
  const isEdge = (at: number): boolean => pixels[at + width]! - pixels[at]! >= contrast;
  const end = width * (height - 1);
  for (let at = 0; at < end; at++) if (isEdge(at)) count++;
  const every = Math.max(1, count / points_max);
  const points = Math.floor(count / every);
  const sample = { x: new Float32Array(points), y: new Float32Array(points) };
  let seen_count = 0;
  let taken = 0;
  for (let at = 0; at < end && taken < points; at++)
    if (isEdge(at) && seen_count++ >= taken * every) {
      sample.x[taken] = (at % width) - width / 2;
      sample.y[taken++] = Math.floor(at / width) - height / 2;
    }
  return sample;
}

interface Measured {
  readonly degrees: number;
  /** How many times better than the median the best angle is. */
  readonly gain: number;
}

function measure(points: Points): Measured | null {
  if (points.x.length < points_min) return null;
  const coarse = anglesAround(0, degrees_max, coarse_step);
  const scores = coarse.map((angle) => concentration(points, angle, coarse_bin));
  const best = Math.max(...scores);
  const gain = best / scores.toSorted((a, b) => a - b)[scores.length >> 1]!;
  const about = coarse[scores.indexOf(best)]!;
  const fine = anglesAround(about, 2 * coarse_step, fine_step);
  const finer = fine.map((angle) => concentration(points, angle, fine_bin));
  const at = finer.indexOf(Math.max(...finer));
  return { degrees: fine[at]! + fine_step * peak(finer, at), gain };
}

const anglesAround = (middle: number, reach: number, step: number): number[] =>
  Array.from({ length: 2 * Math.round(reach / step) + 1 }, (_, at) => middle - reach + at * step);

/** The vertex of the parabola through the highest value and its neighbours, -0.5 to 0.5. */
function peak(values: readonly number[], at: number): number {
  const before = values[at - 1];
  const here = values[at]!;
  const after = values[at + 1];
  if (before === undefined || after === undefined) return 0;
  const bend = before - 2 * here + after;
  return bend === 0 ? 0 : (0.5 * (before - after)) / bend;
}

/** How few lines the points project onto at this angle. */
function concentration({ x, y }: Points, degrees: number, bin: number): number {
  const radians = (degrees * Math.PI) / 180;
  const sine = Math.sin(radians) / bin;
  const cosine = Math.cos(radians) / bin;
  const middle = Math.ceil((2 * side_max) / bin);
  const counts = new Uint16Array(2 * middle);
  for (let at = 0; at < x.length; at++)
    counts[Math.round(y[at]! * cosine - x[at]! * sine) + middle]!++;
  let sum = 0;
  for (const count of counts) sum += count * count;
  return sum / x.length;
}
