/**
 * Runs in the child: converts one frame of a TIFF file for Tesseract, whose decoder reads only the
 * first frame, and neither deflate nor JPEG.
 */
import { constants, inflateSync } from "node:zlib";
import { messageOf } from "../../../core/lib/error-message";
import type { FrameImage } from "./frame-text";
import { joinJpeg } from "./tiff-jpeg";
import { directoryAt, orientationOf, tags, type Directory, type Entry } from "./tiff";

/** Values of the tag `compression`. */
const none = 1;
const jpeg = 7;
const deflate: readonly number[] = [8, 32946];

/**
 * The frame whose directory is at this offset; null if it is damaged or its compression is unknown.
 * May overwrite the header of `file`.
 */
export function tiffFrameFile(file: Uint8Array, at: number): FrameImage | null {
  try {
    const directory = directoryAt(file, at);
    const width = directory.value(tags.width) ?? 0;
    const height = directory.value(tags.height) ?? 0;
    const orientation = orientationOf(directory);
    const compression = directory.value(tags.compression) ?? none;
    if (compression === jpeg) {
      const bytes = joinJpeg(directory, partsOf(file, directory));
      return bytes && { bytes, type: "image/jpeg", width, height, orientation };
    }
    const bytes = deflate.includes(compression) ? inflated(file, directory) : startingAt(file, at);
    // For TIFF, the decoder of Tesseract rotates the image itself.
    return (
      bytes && {
        bytes,
        type: "image/tiff",
        ...(orientation >= 5 ? { width: height, height: width } : { width, height }),
        orientation: 1,
      }
    );
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Tags that may differ between frames with the same picture. */
const not_in_picture: readonly number[] = [
  tags.strip_offsets,
  tags.tile_offsets,
  tags.page_number,
  tags.date,
];

/** Frames of more bytes are not compared. */
const compared_bytes_max = 1024 * 1024;

/**
 * Equal for frames with the same picture, such as the blank pages of a scan; null for large and
 * damaged ones.
 */
export function tiffFrameHash(file: Uint8Array, at: number): string | null {
  try {
    const directory = directoryAt(file, at);
    const entries = directory.entries().filter(({ tag }) => !not_in_picture.includes(tag));
    const parts = partsOf(file, directory);
    const all = [...entries.map(({ bytes }) => bytes), ...parts];
    if (all.reduce((sum, { length }) => sum + length, 0) > compared_bytes_max) return null;
    const hash = new Bun.CryptoHasher("sha256");
    for (const { tag, type, count } of entries) hash.update(`${tag} ${type} ${count} `);
    for (const bytes of all) hash.update(bytes);
    return hash.digest("base64");
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Makes this frame the first one, in place. */
function startingAt(file: Uint8Array, at: number): Uint8Array {
  new DataView(file.buffer, file.byteOffset, file.length).setUint32(4, at, file[0] === 0x49);
  return file;
}

/** The strips or tiles of a frame. */
function partsOf(file: Uint8Array, { values }: Directory): Uint8Array[] {
  const tiled = values(tags.tile_offsets).length > 0;
  const [offsets, lengths] = tiled
    ? [values(tags.tile_offsets), values(tags.tile_bytes)]
    : [values(tags.strip_offsets), values(tags.strip_bytes)];
  return offsets.map((offset, index) => file.subarray(offset, offset + (lengths[index] ?? 0)));
}

/** All strips or tiles of a frame, inflated. */
const bytes_max = 256 * 1024 * 1024;
/** The only supported value of the tag `predictor`. */
const horizontal = 2;

/** The frame without compression. */
function inflated(file: Uint8Array, directory: Directory): Uint8Array | null {
  const { value, values } = directory;
  const samples = value(tags.planes) === 2 ? 1 : (value(tags.samples) ?? 1);
  const predictor = value(tags.predictor) ?? none;
  if (
    predictor !== none &&
    (predictor !== horizontal || values(tags.bits).some((bits) => bits !== 8))
  )
    return null;
  let left = bytes_max;
  const parts = partsOf(file, directory).map((part) => {
    const bytes = inflate(part, left);
    left -= bytes.length;
    if (predictor === horizontal)
      undoDifferences(bytes, (value(tags.tile_width) ?? value(tags.width) ?? 0) * samples, samples);
    return bytes;
  });
  return composeTiff(directory, parts);
}

/** Truncated data is left out. @throws RangeError when it is damaged or too large */
function inflate(part: Uint8Array, bytes: number): Uint8Array {
  try {
    return inflateSync(part, {
      maxOutputLength: Math.max(1, bytes),
      finishFlush: constants.Z_SYNC_FLUSH,
    });
  } catch (error) {
    throw new RangeError(messageOf(error));
  }
}

/** Each sample was stored as its difference from the one to its left. */
function undoDifferences(bytes: Uint8Array, row_bytes: number, samples: number): void {
  for (let row = 0; row_bytes > 0 && row < bytes.length; row += row_bytes) {
    const end = Math.min(row + row_bytes, bytes.length);
    for (let at = row + samples; at < end; at++) bytes[at] = bytes[at]! + bytes[at - samples]!;
  }
}

const type_long = 4;
/** Tags that are not copied. */
const rewritten: readonly number[] = [
  tags.compression,
  tags.predictor,
  tags.strip_offsets,
  tags.strip_bytes,
  tags.tile_offsets,
  tags.tile_bytes,
];

/** A TIFF file of one frame with these strips or tiles, uncompressed. */
function composeTiff(directory: Directory, parts: readonly Uint8Array[]): Uint8Array {
  const { little } = directory;
  const longs = (values: readonly number[]): Uint8Array => {
    const view = new DataView(new ArrayBuffer(4 * values.length));
    values.forEach((value, index) => view.setUint32(4 * index, value, little));
    return new Uint8Array(view.buffer);
  };
  const long = (tag: number, values: readonly number[]): Entry => ({
    tag,
    type: type_long,
    count: values.length,
    bytes: longs(values),
  });
  const tiled = directory.values(tags.tile_offsets).length > 0;
  const compose = (offsets: readonly number[]): Entry[] =>
    [
      ...directory.entries().filter(({ tag }) => !rewritten.includes(tag)),
      long(tags.compression, [none]),
      long(tiled ? tags.tile_offsets : tags.strip_offsets, offsets),
      long(
        tiled ? tags.tile_bytes : tags.strip_bytes,
        parts.map(({ length }) => length),
      ),
    ].toSorted((a, b) => a.tag - b.tag);
  const header_bytes = 8;
  const sizes = compose(parts.map(() => 0));
  const values_at = header_bytes + 2 + 12 * sizes.length + 4;
  let at =
    values_at + sizes.reduce((sum, { bytes }) => sum + (bytes.length > 4 ? bytes.length : 0), 0);
  const places = parts.map(({ length }) => {
    const start = at;
    at += length;
    return start;
  });
  const entries = compose(places);

  const file = new Uint8Array(at);
  const view = new DataView(file.buffer);
  file.set(little ? [0x49, 0x49] : [0x4d, 0x4d]);
  view.setUint16(2, 42, little);
  view.setUint32(4, header_bytes, little);
  view.setUint16(header_bytes, entries.length, little);
  let value_at = values_at;
  entries.forEach(({ tag, type, count, bytes }, index) => {
    const place = header_bytes + 2 + 12 * index;
    view.setUint16(place, tag, little);
    view.setUint16(place + 2, type, little);
    view.setUint32(place + 4, count, little);
    if (bytes.length <= 4) return file.set(bytes, place + 8);
    view.setUint32(place + 8, value_at, little);
    file.set(bytes, value_at);
    value_at += bytes.length;
  });
  for (const part of parts) {
    file.set(part, value_at);
    value_at += part.length;
  }
  return file;
}
