/**
 * Generated images of text: pages of a PDF are rendered, rotated, and written as PNG, JPEG, TIFF or
 * a scanned PDF.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import type { Gray } from "../../plugins/extraction/ocr/bitmap";
import { openPdf } from "../../plugins/extraction/pdf/document";

export type { Gray };

/** The pages of a PDF as scanned at 200 dots per inch. An empty page is white. */
export async function scan(pdf: Uint8Array): Promise<Gray[]> {
  const directory = mkdtempSync(join(tmpdir(), "dossier-pictures-"));
  try {
    const path = join(directory, "a.pdf");
    writeFileSync(path, pdf);
    const document = await openPdf(path);
    if (typeof document === "string") throw new Error(`The PDF is ${document}.`);
    const pages = Array.from(
      { length: document.page_count },
      (_, index) => document.render(index)?.picture ?? plain(1654, 2339, 255),
    );
    document.close();
    return pages;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** A picture of one shade. */
export const plain = (width: number, height: number, shade: number): Gray => ({
  width,
  height,
  pixels: new Uint8Array(width * height).fill(shade),
});

/** By this number of quarter turns, clockwise. */
export function turn(picture: Gray, quarters: number): Gray {
  if (quarters === 0) return picture;
  const { width, height, pixels } = picture;
  const turned = new Uint8Array(pixels.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) turned[x * height + height - 1 - y] = pixels[y * width + x]!;
  return turn({ width: height, height: width, pixels: turned }, quarters - 1);
}

/** The rows of a picture from `top` on. */
export const crop = ({ width, pixels }: Gray, top: number, height: number): Gray => ({
  width,
  height,
  pixels: pixels.subarray(top * width, (top + height) * width),
});

const words = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32BE(value, 4 * index));
  return bytes;
};

/** As a PNG file. */
export function png({ width, height, pixels }: Gray): Uint8Array<ArrayBuffer> {
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const chunk = (type: string, data: Uint8Array): Buffer => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    return Buffer.concat([words(data.length), body, words(crc32(body))]);
  };
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", Buffer.concat([words(width, height), Buffer.from([8, 0, 0, 0, 0])])),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", new Uint8Array()),
  ]);
}

/** As a JPEG file. */
export const jpeg = (picture: Gray): Promise<Uint8Array> =>
  new Bun.Image(png(picture)).jpeg({ quality: 90 }).bytes();
/** As a WebP file. */
export const webp = (picture: Gray): Promise<Uint8Array> =>
  new Bun.Image(png(picture)).webp({ quality: 90 }).bytes();

/** A JPEG file with an EXIF orientation. */
export function withOrientation(file: Uint8Array, orientation: number, little = false): Uint8Array {
  const exif = little
    ? [
        0x49,
        0x49,
        0x2a,
        0,
        8,
        0,
        0,
        0,
        1,
        0,
        0x12,
        1,
        3,
        0,
        1,
        0,
        0,
        0,
        orientation,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
      ]
    : [
        0x4d,
        0x4d,
        0,
        0x2a,
        0,
        0,
        0,
        8,
        0,
        1,
        1,
        0x12,
        0,
        3,
        0,
        0,
        0,
        1,
        0,
        orientation,
        0,
        0,
        0,
        0,
        0,
        0,
      ];
  const segment = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), Buffer.from(exif)]);
  return Buffer.concat([
    file.subarray(0, 2),
    Buffer.from([0xff, 0xe1, 0, segment.length + 2]),
    segment,
    file.subarray(2),
  ]);
}

/** One of several pictures in a TIFF file. */
export interface TiffFrame extends Gray {
  /** Marked as a thumbnail of another frame. */
  readonly preview?: boolean;
  readonly orientation?: number;
  /** Compressed strips of this many rows each, and their shared JPEG tables. */
  readonly strips?: {
    readonly compression: number;
    readonly rows: number;
    readonly parts: readonly Uint8Array[];
    readonly tables?: Uint8Array;
    readonly predictor?: number;
  };
}
/** A TIFF file. With `loop` the last frame refers to the first as the next one. */
export function tiff(
  frames: readonly TiffFrame[],
  { little = true, loop = false } = {},
): Uint8Array<ArrayBuffer> {
  const number = (value: number, bytes: 2 | 4): Buffer => {
    const out = Buffer.alloc(bytes);
    if (little) out.writeUIntLE(value, 0, bytes);
    else out.writeUIntBE(value, 0, bytes);
    return out;
  };
  const parts: Buffer[] = [
    Buffer.from(little ? "II" : "MM", "latin1"),
    number(42, 2),
    number(8, 4),
  ];
  let at = 8;
  frames.forEach(
    (
      {
        width,
        height,
        pixels,
        preview = false,
        orientation = 1,
        strips = { compression: 1, rows: height, parts: [pixels] },
      },
      index,
    ) => {
      const { compression, rows, tables = new Uint8Array(), predictor = 1 } = strips;
      const count = strips.parts.length;
      const entries_count = 12 + (tables.length > 0 ? 1 : 0);
      const values_at = at + 2 + 12 * entries_count + 4;
      const strips_at = values_at + (count > 1 ? 8 * count : 0) + tables.length;
      const offsets = strips.parts.map(
        (_, strip) =>
          strips_at + strips.parts.slice(0, strip).reduce((sum, { length }) => sum + length, 0),
      );
      const next = strips_at + strips.parts.reduce((sum, { length }) => sum + length, 0);
      const several = (values: readonly number[], behind: number): [number, number] =>
        count > 1 ? [count, values_at + behind] : [1, values[0]!];
      const entries: [tag: number, count: number, value: number, type?: number][] = [
        [254, 1, preview ? 1 : 0],
        [256, 1, width],
        [257, 1, height],
        [258, 1, 8],
        [259, 1, compression],
        [262, 1, 1],
        [273, ...several(offsets, 0)],
        [274, 1, orientation],
        [277, 1, 1],
        [278, 1, rows],
        [
          279,
          ...several(
            strips.parts.map(({ length }) => length),
            4 * count,
          ),
        ],
        [317, 1, predictor],
        ...(tables.length > 0
          ? [[347, tables.length, strips_at - tables.length, 7] as [number, number, number, number]]
          : []),
      ];
      parts.push(number(entries.length, 2));
      for (const [tag, values, value, type = 4] of entries)
        parts.push(number(tag, 2), number(type, 2), number(values, 4), number(value, 4));
      parts.push(number(index === frames.length - 1 ? (loop ? 8 : 0) : next, 4));
      if (count > 1)
        parts.push(
          ...offsets.map((offset) => number(offset, 4)),
          ...strips.parts.map(({ length }) => number(length, 4)),
        );
      parts.push(Buffer.from(tables), ...strips.parts.map((part) => Buffer.from(part)));
      at = next;
    },
  );
  return Buffer.concat(parts);
}

const strip_rows = 64;
const inStrips = (picture: Gray): Gray[] =>
  Array.from({ length: Math.ceil(picture.height / strip_rows) }, (_, index) =>
    crop(picture, index * strip_rows, Math.min(strip_rows, picture.height - index * strip_rows)),
  );

/** A frame of several deflated strips; with `differences`, using horizontal prediction. */
export function deflated(picture: Gray, { differences = false } = {}): TiffFrame {
  const different = ({ width, height, pixels }: Gray): Gray => ({
    width,
    height,
    pixels: pixels.map((pixel, at) => (at % width === 0 ? pixel : pixel - pixels[at - 1]!)),
  });
  const parts = inStrips(picture).map((strip) =>
    deflateSync((differences ? different(strip) : strip).pixels),
  );
  return {
    ...picture,
    strips: { compression: 8, rows: strip_rows, parts, predictor: differences ? 2 : 1 },
  };
}

/** A frame of JPEG strips, which share their tables if `shared`. */
export async function jpegStrips(picture: Gray, { shared = false } = {}): Promise<TiffFrame> {
  const files = await Promise.all(inStrips(picture).map(jpeg));
  const tables = shared
    ? Buffer.concat([
        Buffer.from([0xff, 0xd8]),
        ...segments(files[0]!, true),
        Buffer.from([0xff, 0xd9]),
      ])
    : undefined;
  const parts = shared
    ? files.map((file) => Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments(file, false)]))
    : files;
  return {
    ...picture,
    strips: { compression: 7, rows: strip_rows, parts, ...(tables && { tables }) },
  };
}

/** The table segments of a JPEG file, or all others with the data after them. */
function segments(file: Uint8Array, of_tables: boolean): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (let at = 2; ;) {
    const [marker, next] = [file[at + 1]!, at + 2 + file[at + 2]! * 256 + file[at + 3]!];
    if (marker === 0xda) return of_tables ? found : [...found, file.subarray(at)];
    if ((marker === 0xdb || marker === 0xc4) === of_tables) found.push(file.subarray(at, next));
    at = next;
  }
}
