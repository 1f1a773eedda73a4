/** Pictures of text, made here: pages of a PDF are drawn, turned, and written as PNG, JPEG, TIFF or a scanned PDF. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { openPdf } from "../../plugins/extraction/pdfium";

/** A byte for each pixel, 0 is black; row by row. */
export interface Gray { readonly width: number; readonly height: number; readonly pixels: Uint8Array }

/** The pages of a PDF as a scanner sees them, at 200 dots per inch. A page without anything on it is white. */
export async function scan(pdf: Uint8Array): Promise<Gray[]> {
  const directory = mkdtempSync(join(tmpdir(), "dossier-pictures-"));
  try {
    const path = join(directory, "a.pdf");
    writeFileSync(path, pdf);
    const document = await openPdf(path);
    if (typeof document === "string") throw new Error(`The PDF is ${document}.`);
    const pages = Array.from({ length: document.page_count }, (_, index) => fromPgm(document.draw(index)?.bytes));
    document.close();
    return pages;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function fromPgm(pgm: Uint8Array | undefined): Gray {
  if (pgm === undefined) return plain(1654, 2339, 255);
  const [header, width, height] = /^P5\n(\d+) (\d+)\n255\n/.exec(Buffer.from(pgm.buffer, 0, 40).toString("latin1"))!;
  return { width: Number(width), height: Number(height), pixels: pgm.subarray(header.length) };
}

export const plain = (width: number, height: number, shade: number): Gray => ({ width, height, pixels: new Uint8Array(width * height).fill(shade) });

/** By so many quarters, clockwise. */
export function turn(picture: Gray, quarters: number): Gray {
  if (quarters === 0) return picture;
  const { width, height, pixels } = picture;
  const turned = new Uint8Array(pixels.length);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) turned[x * height + height - 1 - y] = pixels[y * width + x]!;
  return turn({ width: height, height: width, pixels: turned }, quarters - 1);
}

export const crop = ({ width, pixels }: Gray, top: number, height: number): Gray => ({ width, height, pixels: pixels.subarray(top * width, (top + height) * width) });

const words = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32BE(value, 4 * index));
  return bytes;
};

export function png({ width, height, pixels }: Gray): Uint8Array<ArrayBuffer> {
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const chunk = (type: string, data: Uint8Array): Buffer => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    return Buffer.concat([words(data.length), body, words(crc32(body))]);
  };
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", Buffer.concat([words(width, height), Buffer.from([8, 0, 0, 0, 0])])), chunk("IDAT", deflateSync(rows)), chunk("IEND", new Uint8Array()),
  ]);
}

export const jpeg = (picture: Gray): Promise<Uint8Array> => new Bun.Image(png(picture)).jpeg({ quality: 90 }).bytes();
export const webp = (picture: Gray): Promise<Uint8Array> => new Bun.Image(png(picture)).webp({ quality: 90 }).bytes();

/** A JPEG file that says, in EXIF, how a viewer has to turn it. */
export function withOrientation(file: Uint8Array, orientation: number, little = false): Uint8Array {
  const exif = little
    ? [0x49, 0x49, 0x2a, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
    : [0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0];
  const segment = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), Buffer.from(exif)]);
  return Buffer.concat([file.subarray(0, 2), Buffer.from([0xff, 0xe1, 0, segment.length + 2]), segment, file.subarray(2)]);
}

export interface TiffFrame extends Gray {
  /** A small copy of another frame. */
  readonly preview?: boolean;
  readonly orientation?: number;
}
/** A TIFF file. `loop` makes the last frame name the first as the next one. */
export function tiff(frames: readonly TiffFrame[], { little = true, loop = false, deflate = false } = {}): Uint8Array<ArrayBuffer> {
  const number = (value: number, bytes: 2 | 4): Buffer => {
    const out = Buffer.alloc(bytes);
    if (little) out.writeUIntLE(value, 0, bytes); else out.writeUIntBE(value, 0, bytes);
    return out;
  };
  const parts: Buffer[] = [Buffer.from(little ? "II" : "MM", "latin1"), number(42, 2), number(8, 4)];
  let at = 8;
  frames.forEach(({ width, height, pixels, preview = false, orientation = 1 }, index) => {
    const strip = deflate ? deflateSync(pixels) : Buffer.from(pixels);
    const entries = [[254, preview ? 1 : 0], [256, width], [257, height], [258, 8], [259, deflate ? 8 : 1], [262, 1], [273, 0], [274, orientation], [277, 1], [278, height], [279, strip.length]] as [number, number][];
    const directory_bytes = 2 + 12 * entries.length + 4;
    const next = at + directory_bytes + strip.length;
    const last = index === frames.length - 1;
    parts.push(number(entries.length, 2));
    for (const [tag, value] of entries) parts.push(number(tag, 2), number(4, 2), number(1, 4), number(tag === 273 ? at + directory_bytes : value, 4));
    parts.push(number(last ? loop ? 8 : 0 : next, 4), strip);
    at = next;
  });
  return Buffer.concat(parts);
}
