/** Runs in the child: the structure of TIFF files, which EXIF data shares: directories of tags. */
import type { Orientation } from "../ocr/tesseract";

/** The numbers of the tags that are read. */
export const tags = {
  kind: 254,
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  strip_offsets: 273,
  orientation: 274,
  samples: 277,
  rows_per_strip: 278,
  strip_bytes: 279,
  planes: 284,
  page_number: 297,
  date: 306,
  predictor: 317,
  tile_width: 322,
  tile_offsets: 324,
  tile_bytes: 325,
  jpeg_tables: 347,
} as const;
const header_bytes = 8;
const entry_bytes = 12;
/** Bytes of one value of each type. */
const type_bytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];
const type_short = 3;
const type_byte = 1;
/** More frames than any scan has. */
const frames_max = 10_000;
/** More values than the largest image has strips. */
const values_max = 1_000_000;

/** A tag with its values, not decoded. */
export interface Entry {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  readonly bytes: Uint8Array;
}
/** A directory of tags. */
export interface Directory {
  readonly little: boolean;
  readonly entries: () => Entry[];
  /** The numbers of a tag; empty if it is missing. */
  readonly values: (tag: number) => number[];
  readonly value: (tag: number) => number | null;
  /** Offset of the next directory, 0 if there is none. */
  readonly next: number;
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
const isLittle = (view: DataView): boolean => view.getUint8(0) === 0x49;

/** The directory at this offset. @throws RangeError past the end of the file */
export function directoryAt(file: Uint8Array, at: number): Directory {
  const view = viewOf(file);
  const little = isLittle(view);
  const count = view.getUint16(at, little);
  const end = at + 2 + count * entry_bytes;
  const entryAt = (place: number): Entry => {
    const type = view.getUint16(place + 2, little);
    const values = view.getUint32(place + 4, little);
    const bytes = (type_bytes[type] ?? 0) * values;
    const start = bytes <= 4 ? place + 8 : view.getUint32(place + 8, little);
    if (values > values_max || start + bytes > file.length)
      throw new RangeError("An entry lies behind the end of the file.");
    return {
      tag: view.getUint16(place, little),
      type,
      count: values,
      bytes: file.subarray(start, start + bytes),
    };
  };
  const places = Array.from({ length: count }, (_, index) => at + 2 + index * entry_bytes);
  const values = (tag: number): number[] => {
    const place = places.find((entry) => view.getUint16(entry, little) === tag);
    return place === undefined ? [] : numbersOf(entryAt(place), little);
  };
  return {
    little,
    entries: () => places.map(entryAt),
    values,
    value: (tag) => values(tag)[0] ?? null,
    next: end + 4 <= file.length ? view.getUint32(end, little) : 0,
  };
}

function numbersOf({ type, count, bytes }: Entry, little: boolean): number[] {
  const view = viewOf(bytes);
  return Array.from({ length: count }, (_, index) =>
    type === type_short
      ? view.getUint16(2 * index, little)
      : type === type_byte || type === 7
        ? view.getUint8(index)
        : view.getUint32(4 * index, little),
  );
}

/**
 * The frames in the order of the file, without previews. Those after a damaged link are left out.
 */
export function framesOf(file: Uint8Array): { at: number; width: number; height: number }[] {
  const frames: { at: number; width: number; height: number }[] = [];
  const visited = new Set<number>();
  const view = viewOf(file);
  for (
    let at = view.getUint32(4, isLittle(view));
    at >= header_bytes && at + 2 <= file.length && !visited.has(at) && visited.size < frames_max;
  ) {
    visited.add(at);
    try {
      const { value, next } = directoryAt(file, at);
      const is_preview = ((value(tags.kind) ?? 0) & 1) !== 0;
      if (!is_preview)
        frames.push({ at, width: value(tags.width) ?? 0, height: value(tags.height) ?? 0 });
      at = next;
    } catch (error) {
      if (error instanceof RangeError) break;
      throw error;
    }
  }
  return frames;
}

/** Of a frame; 1 by default. */
export function orientationOf({ value }: Directory): Orientation {
  const orientation = value(tags.orientation) ?? 1;
  return orientation >= 1 && orientation <= 8 ? (orientation as Orientation) : 1;
}

/** Of EXIF data, which is a TIFF file without frames; 1 by default. */
export function orientationIn(exif: Uint8Array): Orientation {
  try {
    const view = viewOf(exif);
    return orientationOf(directoryAt(exif, view.getUint32(4, isLittle(view))));
  } catch (error) {
    if (error instanceof RangeError) return 1;
    throw error;
  }
}
