/** Runs in the child: finds light letters on a dark background, such as table headers. */
import type { Gray } from "./bitmap";
import { levelAround, type Tiles } from "./tiles";

/** An area of one shade, in pixels; right and bottom are exclusive. */
export interface Ground {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Darker than this share of the surrounding paper. */
const ground_max = 0.72;
/** The share of its tiles that are dark. */
const filled_min = 0.65;
/** The smallest area, in tiles. */
const across_min = 3;
/** The share of dark pixels in a row at its edge, and in rows a little further inside. */
const edge_min = 0.5;
const rim_min = 0.85;
const rim = 2;
/** The share that its letters cover. */
const letters_min = 0.004;
const letters_max = 0.45;
/** A larger share means a photo, not a table. */
const grounds_max = 400;

/** The image with such areas inverted: dark letters on white. */
export function invertGrounds(
  picture: Gray,
  tiles: Tiles,
): { readonly picture: Gray; readonly grounds: readonly Ground[] } {
  const paper = levelAround(tiles);
  const areas = darkAreas(tiles, paper);
  if (areas.length === 0 || areas.length > grounds_max) return { picture, grounds: [] };
  let pixels: Uint8Array | null = null;
  const grounds: Ground[] = [];
  for (const area of areas) {
    const shades = shadesOf(picture, area, tiles, paper);
    const ground = shades && refined(picture, area, shades, tiles.side);
    if (!ground || !hasLightLetters(picture, ground, shades)) continue;
    pixels ??= Uint8Array.from(picture.pixels);
    invert({ ...picture, pixels }, ground, shades);
    grounds.push(ground);
  }
  return { picture: pixels === null ? picture : { ...picture, pixels }, grounds };
}

/** Connected dark tiles, as boxes in pixels. */
function darkAreas({ side, across, down, median }: Tiles, paper: Uint8Array): Ground[] {
  const is_dark = Uint8Array.from(median, (shade, at) => +(shade < ground_max * paper[at]!));
  const areas: Ground[] = [];
  for (let start = is_dark.indexOf(1); start >= 0; start = is_dark.indexOf(1, start)) {
    let left = across;
    let right = 0;
    let top = down;
    let bottom = 0;
    let count = 0;
    const open = [start];
    is_dark[start] = 0;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const x = at % across;
      const y = Math.floor(at / across);
      [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y + 1)];
      count++;
      const neighbours = [
        x > 0 ? at - 1 : -1,
        x < across - 1 ? at + 1 : -1,
        at - across,
        y < down - 1 ? at + across : -1,
      ];
      for (const next of neighbours)
        if (next >= 0 && is_dark[next] === 1) {
          is_dark[next] = 0;
          open.push(next);
        }
    }
    if (right - left >= across_min && count >= filled_min * (right - left) * (bottom - top))
      areas.push({
        left: left * side,
        top: top * side,
        right: right * side,
        bottom: bottom * side,
      });
  }
  return areas;
}

interface Shades {
  readonly ground: number;
  readonly paper: number;
}

function shadesOf(
  { width, height, pixels }: Gray,
  { left, top, right, bottom }: Ground,
  { side, across }: Tiles,
  paper: Uint8Array,
): Shades | null {
  const counts = new Uint32Array(256);
  let count = 0;
  for (let y = top; y < Math.min(bottom, height); y += 2)
    for (let x = left; x < Math.min(right, width); x += 2, count++)
      counts[pixels[y * width + x]!]!++;
  let ground = 0;
  let below = count / 2;
  while (below > counts[ground]!) below -= counts[ground++]!;
  const at = Math.floor((top + bottom) / 2 / side) * across + Math.floor((left + right) / 2 / side);
  return paper[at]! > ground + 40 ? { ground, paper: paper[at]! } : null;
}

/** Tightens the box to rows and columns of dark pixels; null if there are none. */
function refined(
  { width, height, pixels }: Gray,
  area: Ground,
  { ground, paper }: Shades,
  side: number,
): Ground | null {
  const limit = (ground + paper) / 2;
  const left = Math.max(0, area.left - side);
  const right = Math.min(width, area.right + side);
  const top = Math.max(0, area.top - side);
  const bottom = Math.min(height, area.bottom + side);
  const inner_width = Math.min(width, area.right) - area.left;
  const inner_height = Math.min(height, area.bottom) - area.top;
  const isDarkRow = (y: number): boolean => {
    let dark = 0;
    for (let x = left; x < right; x++) if (pixels[y * width + x]! < limit) dark++;
    return dark >= edge_min * inner_width;
  };
  let first = top;
  let last = bottom - 1;
  while (first < last && !isDarkRow(first)) first++;
  while (last > first && !isDarkRow(last)) last--;
  const isDarkColumn = (x: number): boolean => {
    let dark = 0;
    for (let y = first; y <= last; y++) if (pixels[y * width + x]! < limit) dark++;
    return dark >= edge_min * Math.min(inner_height, last - first + 1);
  };
  let start = left;
  let end = right - 1;
  while (start < end && !isDarkColumn(start)) start++;
  while (end > start && !isDarkColumn(end)) end--;
  const box = { left: start, top: first, right: end + 1, bottom: last + 1 };
  return last - first < side || end - start < 2 * side || !hasRim(pixels, width, box, limit)
    ? null
    : box;
}

/** Whether its whole edge is dark, which is not the case for letters. */
function hasRim(
  pixels: Uint8Array,
  width: number,
  { left, top, right, bottom }: Ground,
  limit: number,
): boolean {
  const share = (from: number, step: number, count: number): number => {
    let dark = 0;
    for (let at = from, left_over = count; left_over > 0; at += step, left_over--)
      if (pixels[at]! < limit) dark++;
    return dark / count;
  };
  const upper = (top + rim) * width;
  const lower = (bottom - 1 - rim) * width;
  return (
    Math.min(
      share(upper + left, 1, right - left),
      share(lower + left, 1, right - left),
      share(top * width + left + rim, width, bottom - top),
      share(top * width + right - 1 - rim, width, bottom - top),
    ) >= rim_min
  );
}

/** Contains light letters, and no dark ones. */
function hasLightLetters(
  { width, pixels }: Gray,
  area: Ground,
  { ground, paper }: Shades,
): boolean {
  const lighter = ground + 0.55 * (paper - ground);
  const darker = ground - Math.max(25, 0.3 * ground);
  let light = 0;
  let dark = 0;
  let count = 0;
  const margin = 2;
  for (let y = area.top + margin; y < area.bottom - margin; y++)
    for (let x = area.left + margin; x < area.right - margin; x++, count++)
      if (pixels[y * width + x]! > lighter) light++;
      else if (pixels[y * width + x]! < darker) dark++;
  return light >= letters_min * count && light <= letters_max * count && light > 2 * dark;
}

/** Pixels at the edge of letters, neither dark nor light. */
const edge = 2;

function invert({ width, height, pixels }: Gray, area: Ground, { ground, paper }: Shades): void {
  const scale = 255 / (paper - ground);
  for (let y = Math.max(0, area.top - edge); y < Math.min(height, area.bottom + edge); y++)
    for (let x = Math.max(0, area.left - edge); x < Math.min(width, area.right + edge); x++) {
      const inside =
        y >= area.top + edge &&
        y < area.bottom - edge &&
        x >= area.left + edge &&
        x < area.right - edge;
      const at = y * width + x;
      const light = inside ? Math.min(255, Math.max(0, (pixels[at]! - ground) * scale)) : 0;
      pixels[at] = Math.round(paper * (1 - light / 255));
    }
}
