/** Runs in the child: finds letters on an image that are not covered by any recognised word. */
import type { Gray, Window } from "./bitmap";

/** Darker than this is ink. */
const ink_max = 150;
/** Tiles per letter size, and the share of a tile that is ink. */
const tiles_per_size = 5;
const inked_min = 0.1;
/** Letters of a region are no further apart, in letter sizes. */
const gap_max = 0.7;
/**
 * The smallest letter, relative to the usual size: smaller ones are specks, and remains of lines.
 */
const height_min = 0.55;
const width_min = 0.15;
/** The highest text in a cell. */
const height_max = 12;
/** With more regions it is a drawing. */
const regions_max = 400;

/** Inside `area`; `words` are the recognised ones, `size` the usual letter size in pixels. */
export function inkRegions(
  picture: Gray,
  area: Window,
  words: readonly Window[],
  size: number,
): Window[] {
  const side = Math.max(3, Math.round(size / tiles_per_size));
  const across = Math.ceil(area.width / side);
  const down = Math.ceil(area.height / side);
  const inked = inkedTiles(picture, area, side, across, down);
  for (const { left, top, width, height } of words) {
    const [first, last] = [left - area.left, left + width - area.left].map((x) =>
      Math.floor(x / side),
    ) as [number, number];
    const [upper, lower] = [top - area.top, top + height - area.top].map((y) =>
      Math.floor(y / side),
    ) as [number, number];
    for (let y = Math.max(0, upper - 1); y <= Math.min(down - 1, lower + 1); y++)
      for (let x = Math.max(0, first - 1); x <= Math.min(across - 1, last + 1); x++)
        inked[y * across + x] = 0;
  }
  const regions = touching(inked, across, down, Math.ceil((gap_max * size) / side)).map(
    (tiles) => ({
      left: area.left + tiles.left * side,
      top: area.top + tiles.top * side,
      width: tiles.width * side,
      height: tiles.height * side,
    }),
  );
  return regions.length > regions_max
    ? []
    : regions.filter(
        ({ width, height }) =>
          height >= height_min * size && width >= width_min * size && height <= height_max * size,
      );
}

/** 1 where there is ink. */
function inkedTiles(
  { width, height, pixels }: Gray,
  area: Window,
  side: number,
  across: number,
  down: number,
): Uint8Array {
  const counts = new Uint16Array(across * down);
  for (let y = Math.max(0, area.top); y < Math.min(height, area.top + area.height); y++) {
    const row = Math.floor((y - area.top) / side) * across;
    for (let x = Math.max(0, area.left); x < Math.min(width, area.left + area.width); x++)
      if (pixels[y * width + x]! < ink_max) counts[row + Math.floor((x - area.left) / side)]!++;
  }
  return Uint8Array.from(counts, (count) => +(count >= inked_min * side * side));
}

/** Connected tiles, allowing small gaps within a row, as boxes of tiles. */
function touching(inked: Uint8Array, across: number, down: number, gap: number): Window[] {
  const boxes: Window[] = [];
  for (let start = inked.indexOf(1); start >= 0; start = inked.indexOf(1, start)) {
    let left = across;
    let right = 0;
    let top = down;
    let bottom = 0;
    const open = [start];
    inked[start] = 0;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const x = at % across;
      const y = Math.floor(at / across);
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
      for (let near_y = Math.max(0, y - 1); near_y <= Math.min(down - 1, y + 1); near_y++)
        for (let column = Math.max(0, x - gap); column <= Math.min(across - 1, x + gap); column++)
          if (inked[near_y * across + column] === 1) {
            inked[near_y * across + column] = 0;
            open.push(near_y * across + column);
          }
    }
    boxes.push({ left, top, width: right - left + 1, height: bottom - top + 1 });
  }
  return boxes;
}
