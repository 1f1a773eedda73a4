/** Runs in the child: greyscale images: cropping, rotating by quarter turns, resizing. */

/** One byte per pixel, row by row from the top; 0 is black. */
export interface Gray {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}
/** The image of a page. */
export interface Scan {
  readonly picture: Gray;
  /** Dots per inch; null if unknown. */
  readonly dots_per_inch: number | null;
}
/** A part of an image, in pixels. */
export interface Window {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The longer side of an A4 page at 200 dots per inch. */
const usual_side = 2_300;
/**
 * The pixels of this image per pixel of such a page: lengths that depend on the scan resolution are
 * in these units.
 */
export const unitOf = ({ width, height }: Gray): number =>
  Math.min(2, Math.max(0.6, Math.max(width, height) / usual_side));

/** The minimum difference between the darkest and the lightest pixel; less is invisible. */
const contrast_min = 24;

/** Whether anything is visible. */
export function hasContrast({ pixels }: Gray): boolean {
  let darkest = 255;
  let lightest = 0;
  for (const pixel of pixels) {
    if (pixel < darkest) darkest = pixel;
    if (pixel > lightest) lightest = pixel;
    if (lightest - darkest >= contrast_min) return true;
  }
  return false;
}

/** As a PGM file. */
export function toPgm({ width, height, pixels }: Gray): Uint8Array {
  const header = new TextEncoder().encode(`P5\n${width} ${height}\n255\n`);
  const file = new Uint8Array(header.length + pixels.length);
  file.set(header);
  file.set(pixels, header.length);
  return file;
}

/** The part of an image in a window. */
export function cropped({ width, pixels }: Gray, window: Window): Gray {
  const part = new Uint8Array(window.width * window.height);
  for (let row = 0; row < window.height; row++) {
    const from = (window.top + row) * width + window.left;
    part.set(pixels.subarray(from, from + window.width), row * window.width);
  }
  return { width: window.width, height: window.height, pixels: part };
}

/** Size of the blocks copied at a time, so that both images stay in the cache. */
const block = 64;

/** Swaps rows and columns. */
export function transposed({ width, height, pixels }: Gray): Gray {
  const turned = new Uint8Array(pixels.length);
  for (let top = 0; top < height; top += block)
    for (let left = 0; left < width; left += block) {
      const bottom = Math.min(height, top + block);
      const right = Math.min(width, left + block);
      for (let y = top; y < bottom; y++)
        for (let x = left; x < right; x++) turned[x * height + y] = pixels[y * width + x]!;
    }
  return { width: height, height: width, pixels: turned };
}

/** Clockwise, by this many quarter turns. */
export type Quarters = 0 | 1 | 2 | 3;

/** The image after clockwise quarter turns. */
export function turned(picture: Gray, quarters: Quarters): Gray {
  if (quarters === 0) return picture;
  if (quarters === 2) return { ...picture, pixels: Uint8Array.from(picture.pixels).reverse() };
  const { width, height, pixels } = transposed(picture);
  if (quarters === 1)
    for (let at = 0; at < pixels.length; at += width) pixels.subarray(at, at + width).reverse();
  else
    for (let top = 0, bottom = height - 1; top < bottom; top++, bottom--) {
      const upper = pixels.slice(top * width, (top + 1) * width);
      pixels.copyWithin(top * width, bottom * width, (bottom + 1) * width);
      pixels.set(upper, bottom * width);
    }
  return { width, height, pixels };
}

/** Resizes: each pixel is the mean of the area it covers, or is interpolated. */
export function resized(picture: Gray, width: number, height: number): Gray {
  const across = width < picture.width ? shrunkRows : stretchedRows;
  const down = height < picture.height ? shrunkRows : stretchedRows;
  const wide = width === picture.width ? picture : across(picture, width);
  return height === picture.height ? wide : transposed(down(transposed(wide), height));
}

function shrunkRows({ width, height, pixels }: Gray, to: number): Gray {
  const shrunk = new Uint8Array(to * height);
  const step = width / to;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < to; x++) {
      const from = x * step;
      const end = Math.min(width, from + step);
      let sum = 0;
      for (let at = Math.floor(from); at < end; at++)
        sum += pixels[y * width + at]! * (Math.min(end, at + 1) - Math.max(from, at));
      shrunk[y * to + x] = sum / (end - from);
    }
  return { width: to, height, pixels: shrunk };
}

/** By cubic interpolation (Catmull-Rom), which keeps edges sharp. */
function stretchedRows({ width, height, pixels }: Gray, to: number): Gray {
  const stretched = new Uint8ClampedArray(to * height);
  const step = width / to;
  for (let x = 0; x < to; x++) {
    const place = (x + 0.5) * step - 0.5;
    const floor = Math.floor(place);
    const t = place - floor;
    const inside = (at: number): number => Math.min(width - 1, Math.max(0, at));
    const [a, b, c, d] = [floor - 1, floor, floor + 1, floor + 2].map(inside) as [
      number,
      number,
      number,
      number,
    ];
    const wa = 0.5 * t * (t * (2 - t) - 1);
    const wb = 0.5 * (t * t * (3 * t - 5) + 2);
    const wc = 0.5 * t * (t * (4 - 3 * t) + 1);
    const wd = 0.5 * t * t * (t - 1);
    for (let row = 0, out = x; row < pixels.length; row += width, out += to)
      stretched[out] =
        wa * pixels[row + a]! +
        wb * pixels[row + b]! +
        wc * pixels[row + c]! +
        wd * pixels[row + d]!;
  }
  return { width: to, height, pixels: new Uint8Array(stretched.buffer) };
}
