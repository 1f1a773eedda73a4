/** Shaded rows of a table: adjacent areas form one band. */
import type { Box } from "./geometry";

/** The area of one or more shaded rows. */
export type ShadedBand = Box;

const tolerance = 1.5;
const width_min = 40;
const height_min = 5;
const height_max = 200;
/** A page with more shaded areas is a drawing. */
const fills_max = 4_000;

/** Bands of adjacent areas with the same top and bottom. */
export function bandsOf(fills: readonly Box[]): ShadedBand[] {
  if (fills.length > fills_max) return [];
  const bands: { left: number; right: number; bottom: number; top: number }[] = [];
  const sorted = fills
    .filter(({ bottom, top }) => top - bottom >= height_min && top - bottom <= height_max)
    .toSorted((a, b) => b.top - a.top || a.left - b.left);
  for (const row of rowsOf(sorted))
    for (const { left, right, bottom, top } of row) {
      const last = bands.findLast(
        (band) =>
          Math.abs(band.top - top) <= tolerance && Math.abs(band.bottom - bottom) <= tolerance,
      );
      if (last !== undefined && left <= last.right + tolerance)
        last.right = Math.max(last.right, right);
      else bands.push({ left, right, bottom, top });
    }
  return bands.filter(({ left, right }) => right - left >= width_min);
}

/** Areas with about the same top, from left to right. */
function rowsOf(fills: readonly Box[]): Box[][] {
  const rows: Box[][] = [];
  for (const fill of fills) {
    const row = rows.at(-1);
    if (row !== undefined && row[0]!.top - fill.top <= tolerance) row.push(fill);
    else rows.push([fill]);
  }
  return rows.map((row) => row.toSorted((a, b) => a.left - b.left));
}
