/** Runs in the child: the shades of an image, tile by tile. */
import { unitOf, type Gray } from "./bitmap";

/** The shades of an image. Values are 0 (black) to 255. */
export interface Tiles {
  /** In pixels. */
  readonly side: number;
  /** The number of tiles. */
  readonly across: number;
  readonly down: number;
  /** For each tile, row by row: the shade of its lightest parts, and the median. */
  readonly light: Uint8Array;
  readonly median: Uint8Array;
}

const tile_side = 12;
/** The share of pixels lighter than what counts as the shade of the lightest parts. */
const light_share = 0.15;
/** Sampling step, in pixels. */
const every = 2;

/** Measures each tile once. */
export function tilesOf(picture: Gray): Tiles {
  const { width, height, pixels } = picture;
  const side = Math.max(6, Math.round(tile_side * unitOf(picture)));
  const across = Math.ceil(width / side);
  const down = Math.ceil(height / side);
  const light = new Uint8Array(across * down);
  const median = new Uint8Array(across * down);
  const counts = new Uint16Array(256);
  for (let tile = 0; tile < light.length; tile++) {
    const left = (tile % across) * side;
    const top = Math.floor(tile / across) * side;
    counts.fill(0);
    let count = 0;
    for (let y = top; y < Math.min(height, top + side); y += every)
      for (let x = left; x < Math.min(width, left + side); x += every, count++)
        counts[pixels[y * width + x]!]!++;
    light[tile] = lighterThan(counts, count * light_share);
    median[tile] = lighterThan(counts, count / 2);
  }
  return { side, across, down, light, median };
}

/** The shade at this percentile. */
function lighterThan(counts: Uint16Array, count: number): number {
  let shade = 255;
  for (let left = count; shade > 0 && left > counts[shade]!; shade--) left -= counts[shade]!;
  return shade;
}

/** How far around a tile paper is searched for, in tiles. */
const reach = 20;

/** For each tile the shade of the lightest tile around it: that of unshaded paper. */
export function levelAround({ across, down, light }: Tiles): Uint8Array {
  const rows = new Uint8Array(light.length);
  const around = new Uint8Array(light.length);
  for (let y = 0; y < down; y++)
    for (let x = 0; x < across; x++)
      for (
        let neighbour = Math.max(0, x - reach);
        neighbour <= Math.min(across - 1, x + reach);
        neighbour++
      )
        rows[y * across + x] = Math.max(rows[y * across + x]!, light[y * across + neighbour]!);
  for (let y = 0; y < down; y++)
    for (let x = 0; x < across; x++)
      for (
        let neighbour = Math.max(0, y - reach);
        neighbour <= Math.min(down - 1, y + reach);
        neighbour++
      )
        around[y * across + x] = Math.max(around[y * across + x]!, rows[neighbour * across + x]!);
  return around;
}
