/**
 * Runs in the child: traces thin horizontal lines in an image. A pixel of such a line is darker
 * than those a little above and a little below it, and many of them are consecutive.
 */
import { DisjointSets } from "../child/disjoint-sets";
import type { Gray } from "./bitmap";

/** A horizontal or vertical line in an image, in pixels. */
export interface PictureRule {
  readonly from: number;
  readonly to: number;
  /** The position of its middle, from the top or from the left. */
  readonly at: number;
  /** Its slope. */
  readonly slope: number;
  readonly thickness: number;
}
/** A line that was traced. */
export interface TracedLine extends PictureRule {
  /** The share of its length that is drawn, 0 to 1. */
  readonly drawn: number;
}

/** The distance at which pixels above and below must be lighter, in units. */
const reach = 4.5;
/** How much lighter, in multiples of the image's noise. */
const contrast_noise = 3.5;
/** The penalty of a missing pixel, relative to one that is there. */
const miss = 0.7;
/** The most consecutive missing pixels, in units. */
const gap_max = 11;
/** The shortest fragment in one row of pixels, and the shortest line, in units. */
const piece_min = 22;
const line_min = 26;
/** The steepest slope. */
const slope_max = 0.015;
/** How far fragments may deviate from the line, in units. */
const straight_max = 3;
/** An image with more fragments is a drawing, or noise. */
const pieces_max = 150_000;

/**
 * Empty if there are too many to be rules of a text. `contrast` is the minimum difference from
 * paper.
 */
export function tracedLines(
  picture: Gray,
  unit: number,
  noise: number,
  contrast: number,
): TracedLine[] {
  const ridges = ridgesOf(picture, unit, Math.max(contrast, contrast_noise * noise));
  const pieces = piecesOf(ridges, picture, unit);
  if (pieces === null) return [];
  return linesOf(pieces, unit).flatMap((line) => {
    const traced = { ...line, drawn: drawnShare(line, ridges, picture) };
    return isLine(traced, unit) ? [traced] : [];
  });
}

/** 1 where a pixel is darker than those above and below. */
function ridgesOf({ width, height, pixels }: Gray, unit: number, contrast: number): Uint8Array {
  const ridges = new Uint8Array(pixels.length);
  const far = Math.max(3, Math.round(reach * unit)) * width;
  const last = pixels.length - width;
  // At the edges of the image, the outermost row is repeated outside.
  for (let row = 0; row < height; row++) {
    const start = row * width;
    const up = Math.max(0, start - far) - start;
    const down = Math.min(last, start + far) - start;
    for (let at = start; at < start + width; at++) {
      const limit = pixels[at]! + contrast;
      if (limit < pixels[at + up]! && limit < pixels[at + down]!) ridges[at] = 1;
    }
  }
  return ridges;
}

/** Fragments of lines in single rows of pixels, as parallel lists. */
interface Pieces {
  readonly row: number[];
  readonly from: number[];
  readonly to: number[];
}

/** Null if there are too many. */
function piecesOf(ridges: Uint8Array, { width, height }: Gray, unit: number): Pieces | null {
  const pieces: Pieces = { row: [], from: [], to: [] };
  const length_min = piece_min * unit;
  const drop = gap_max * unit * miss;
  const add = (row: number, from: number, to: number): void => {
    if (to - from + 1 < length_min) return;
    pieces.row.push(row);
    pieces.from.push(from);
    pieces.to.push(to);
  };
  for (let row = 0; row < height; row++) {
    const start = row * width;
    for (let x = ridges.indexOf(1, start) - start; x >= 0 && x < width;) {
      // From here to where the score is highest.
      let gained = 0;
      let best = 0;
      let end = x;
      const from = x;
      for (; x < width && best - gained <= drop && gained >= 0; x++) {
        if (ridges[start + x] === 1) gained++;
        else gained -= miss;
        if (gained > best) [best, end] = [gained, x];
      }
      add(row, from, end);
      const next = ridges.indexOf(1, start + x);
      x = next < 0 ? width : next - start;
    }
    if (pieces.row.length > pieces_max) return null;
  }
  return pieces;
}

/** Fragments that continue each other in the same row or the next two form a line. */
function linesOf(pieces: Pieces, unit: number): PictureRule[] {
  const { row, from, to } = pieces;
  const connected = new DisjointSets(row.length);
  const gap = gap_max * unit;
  // Fragments of previous rows that may still reach the current one.
  for (let at = 0, first = 0; at < row.length; at++) {
    while (row[first]! < row[at]! - 2) first++;
    for (let other = first; other < at; other++)
      if (from[at]! <= to[other]! + gap && to[at]! >= from[other]! - gap)
        connected.merge(at, other);
  }
  const lines = new Map<number, Sums>();
  for (let at = 0; at < row.length; at++) {
    const key = connected.rootOf(at);
    let sums = lines.get(key);
    if (sums === undefined) lines.set(key, (sums = new Sums()));
    sums.add(row[at]!, from[at]!, to[at]!);
  }
  return [...lines.values()].flatMap((sums) => sums.line(unit));
}

/** Sums over the pixels of the fragments, for a linear fit. */
class Sums {
  private weight = 0;
  private x = 0;
  private y = 0;
  private xx = 0;
  private xy = 0;
  private from = Infinity;
  private to = -Infinity;
  private top = Infinity;
  private bottom = -Infinity;

  add(row: number, from: number, to: number): void {
    const length = to - from + 1;
    const middle = (from + to) / 2;
    this.weight += length;
    this.x += length * middle;
    this.y += length * row;
    this.xy += length * middle * row;
    this.xx += length * (middle * middle + (length * length - 1) / 12);
    this.from = Math.min(this.from, from);
    this.to = Math.max(this.to, to);
    this.top = Math.min(this.top, row);
    this.bottom = Math.max(this.bottom, row);
  }

  /** None if the fragments don't lie on a line. */
  line(unit: number): PictureRule[] {
    const { weight, from, to } = this;
    const x = this.x / weight;
    const y = this.y / weight;
    const spread = this.xx / weight - x * x;
    const slope = spread < 1 ? 0 : (this.xy / weight - x * y) / spread;
    const length = to - from + 1;
    const drift = Math.abs(slope) * length;
    const thickness = weight / length;
    const height = this.bottom - this.top + 1;
    if (Math.abs(slope) > slope_max || height > drift + 1.5 * thickness + straight_max * unit)
      return [];
    return [{ from, to, at: y + slope * ((from + to) / 2 - x), slope, thickness }];
  }
}

function drawnShare(
  { from, to, at, slope, thickness }: PictureRule,
  ridges: Uint8Array,
  { width, height }: Gray,
): number {
  const middle = (from + to) / 2;
  // A line is drawn in its middle; a row of letters has gaps at every height.
  const around = thickness < 3 ? 1 : 0;
  let drawn = 0;
  for (let x = from; x <= to; x++) {
    const y = Math.round(at + slope * (x - middle));
    for (let row = Math.max(0, y - around); row <= Math.min(height - 1, y + around); row++)
      if (ridges[row * width + x] === 1) {
        drawn++;
        break;
      }
  }
  return drawn / (to - from + 1);
}

const isLine = ({ from, to, thickness, drawn }: TracedLine, unit: number): boolean => {
  const length = to - from + 1;
  return length >= line_min * unit && length >= 4 * thickness && drawn >= 0.4;
};
