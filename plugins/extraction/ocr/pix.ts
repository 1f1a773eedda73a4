/** Runs in the child: images in the engine's memory, in the format of its library (Leptonica). */
import { resized, type Gray, type Scan } from "./bitmap";

/** The fields at the beginning of such an image, in order. */
const fields = 13;
const places = { width: 0, height: 1, bits: 2, words_per_row: 4, xres: 6, yres: 7, data: 12 };

/** Faxes have a lower vertical resolution: from this ratio on, pixels are made square. */
const square_max = 1.2;
/** No device has such pixels: the resolution is wrong. */
const oblong_min = 8;

/** The image at this address, in grey; its pixels have 1, 8 or 32 bits. */
export function readPix(memory: WebAssembly.Memory, address: number): Scan | null {
  const head = new Uint32Array(memory.buffer, address, fields);
  const { width, height, words_per_row, xres, yres, data } = Object.fromEntries(
    Object.entries(places).map(([name, at]) => [name, head[at]!]),
  ) as Record<keyof typeof places, number>;
  const bits = head[places.bits]!;
  const words = new Uint32Array(memory.buffer, data, words_per_row * height);
  const shade = shades[bits];
  if (shade === undefined) return null;
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; y++)
    shade(words, y * words_per_row, pixels.subarray(y * width, (y + 1) * width));
  return { picture: squared({ width, height, pixels }, xres, yres), dots_per_inch: xres || null };
}

type RowReader = (words: Uint32Array, from: number, into: Uint8Array) => void;

/** The first pixel is in the highest bits of a word. */
const shades: Readonly<Record<number, RowReader>> = {
  // 1 is black.
  1: (words, from, into) => {
    for (let x = 0; x < into.length; x++)
      into[x] = ((words[from + (x >> 5)]! >>> (31 - (x & 31))) & 1) === 1 ? 0 : 255;
  },
  8: (words, from, into) => {
    for (let x = 0; x < into.length; x++) into[x] = words[from + (x >> 2)]! >>> (24 - 8 * (x & 3));
  },
  // Luminance of red, green and blue.
  32: (words, from, into) => {
    for (let x = 0; x < into.length; x++) {
      const color = words[from + x]!;
      into[x] =
        (77 * (color >>> 24) + 151 * ((color >>> 16) & 255) + 28 * ((color >>> 8) & 255)) >> 8;
    }
  },
};

function squared(picture: Gray, xres: number, yres: number): Gray {
  if (xres === 0 || yres === 0 || xres / yres < square_max || xres / yres >= oblong_min)
    return picture;
  return resized(picture, picture.width, Math.round((picture.height * xres) / yres));
}
