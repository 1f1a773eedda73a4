/**
 * Runs in the child: normalises the shades of an image. Shaded, yellowed or badly lit paper becomes
 * white, faint ink dark, and white letters on a dark background become dark on white.
 */
import type { Gray } from "./bitmap";
import { invertGrounds, type Ground } from "./dark-grounds";
import { levelAround, tilesOf, type Tiles } from "./tiles";

/** The normalised image. */
export interface Toned {
  /** The paper is white. */
  readonly picture: Gray;
  /** Areas that were dark with light letters. */
  readonly grounds: readonly Ground[];
  /** The usual difference between two pixels of paper, in levels. */
  readonly noise: number;
}

/** Makes the paper white and the letters dark. */
export function toned(picture: Gray): Toned {
  const tiles = tilesOf(picture);
  const { picture: positive, grounds } = invertGrounds(picture, tiles);
  const even = withWhitePaper(positive, grounds.length > 0 ? tilesOf(positive) : tiles);
  return { picture: even, grounds, noise: noiseOf(even) };
}

/** Paper lighter than this needs no change. */
const white_min = 246;
/** A tile darker than this share of the surrounding paper is a picture or a large letter. */
const paper_min = 0.6;
/** The highest shade of ink relative to paper, and the one below which ink stays unchanged. */
const ink_max = 0.85;
const dark_max = 0.45;
/** The target shade of faint ink. */
const ink_wanted = 0.25;
const stretch_max = 0.75;

function withWhitePaper(picture: Gray, tiles: Tiles): Gray {
  const paper = paperOf(tiles);
  const ink = inkOf(picture, tiles, paper);
  const floor = ink <= dark_max ? 0 : Math.min(stretch_max, ink - ink_wanted);
  if (floor === 0 && paper.every((shade) => shade >= white_min)) return picture;
  const { width, height, pixels } = picture;
  const { side, across, down } = tiles;
  const white = new Uint8ClampedArray(pixels.length);
  const row_paper = new Float32Array(across);
  const scale = 255 / (1 - floor);
  for (let y = 0; y < height; y++) {
    // The shade of paper is interpolated between the centres of tiles.
    const place = Math.min(down - 1, Math.max(0, (y + 0.5) / side - 0.5));
    const above = Math.floor(place);
    const below = Math.min(down - 1, above + 1);
    for (let tile = 0; tile < across; tile++) {
      const upper = paper[above * across + tile]!;
      row_paper[tile] = upper + (paper[below * across + tile]! - upper) * (place - above);
    }
    for (let tile = -1, x = 0; tile < across; tile++) {
      const left = row_paper[Math.max(0, tile)]!;
      const right = row_paper[Math.min(across - 1, tile + 1)]!;
      const end = Math.min(width, Math.round((tile + 1.5) * side));
      const step = (right - left) / side;
      let shade = left + step * (x + 0.5 - (tile + 0.5) * side);
      for (let at = y * width + x; x < end; x++, at++, shade += step)
        white[at] = (pixels[at]! / shade - floor) * scale;
    }
  }
  return { width, height, pixels: new Uint8Array(white.buffer) };
}

/** The shade of the paper of each tile. */
function paperOf(tiles: Tiles): Float32Array {
  const { across, down, light } = tiles;
  const around = levelAround(tiles);
  const paper = Float32Array.from(light);
  for (let y = 0; y < down; y++)
    for (let x = 0; x < across; x++) {
      const at = y * across + x;
      const least = paper_min * around[at]!;
      if (light[at]! >= least) continue;
      let best = 0;
      for (let near_y = Math.max(0, y - 1); near_y <= Math.min(down - 1, y + 1); near_y++)
        for (let near_x = Math.max(0, x - 1); near_x <= Math.min(across - 1, x + 1); near_x++)
          best = Math.max(best, light[near_y * across + near_x]!);
      paper[at] = Math.max(1, least, best);
    }
  return paper;
}

const sampled_rows = 5;

/** The usual shade of ink, relative to paper; 0 if there is hardly any. */
function inkOf({ width, height, pixels }: Gray, tiles: Tiles, paper: Float32Array): number {
  const counts = new Uint32Array(101);
  let inked = 0;
  for (let y = 0; y < height; y += sampled_rows) {
    const tile_row = Math.floor(y / tiles.side) * tiles.across;
    for (let x = 0; x < width; x++) {
      const share = pixels[y * width + x]! / paper[tile_row + Math.floor(x / tiles.side)]!;
      if (share > ink_max) continue;
      counts[Math.floor(share * 100)]!++;
      inked++;
    }
  }
  if (inked < 50) return 0;
  let level = 0;
  let left = inked / 2;
  while (left > counts[level]!) left -= counts[level++]!;
  return level / 100;
}

/** Darker pixels are not paper. */
const paper_noise_min = 200;

function noiseOf({ width, height, pixels }: Gray): number {
  let sum = 0;
  let count = 1;
  for (let y = 0; y < height; y += sampled_rows)
    for (let at = y * width; at < (y + 1) * width - 1; at += 2) {
      const tone = pixels[at]!;
      const next = pixels[at + 1]!;
      if (tone < paper_noise_min || next < paper_noise_min) continue;
      sum += Math.abs(tone - next);
      count++;
    }
  return sum / count;
}
