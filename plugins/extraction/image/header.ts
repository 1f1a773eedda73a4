/**
 * Runs in the child: parses the header of an image: type, size, orientation. Nothing is decoded.
 * `imageType` is called in the server too.
 */
import type { Orientation } from "../ocr/tesseract";
import { framesOf, orientationIn } from "./tiff";

const media_types = [
  "image/png",
  "image/jpeg",
  "image/tiff",
  "image/webp",
  "image/gif",
  "image/bmp",
] as const;
/** The media type of an image that can be read. */
export type ImageType = (typeof media_types)[number];

/** One picture in a file. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  /** Offset of its directory in a TIFF file, bytes. */
  readonly at: number;
}
/** What the header tells. */
export interface ImageHeader {
  readonly orientation: Orientation;
  /** The pages of a TIFF; one for every other type, including animations. */
  readonly frames: readonly Frame[];
}

const latin = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(
    bytes.buffer,
    bytes.byteOffset + from,
    Math.max(0, Math.min(to, bytes.length) - from),
  ).toString("latin1");

/** By the first bytes of a file. */
export function imageType(head: Uint8Array): ImageType | null {
  if (head.length < 16) return null;
  const start = latin(head, 0, 16);
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (start.startsWith("II*\0") || start.startsWith("MM\0*")) return "image/tiff";
  if (start.startsWith("RIFF") && start.slice(8, 12) === "WEBP") return "image/webp";
  // A text may begin with these letters, but does not have bytes like those of the size and flags.
  if (/^GIF8[79]a[^]{0,7}[\0-\x08]/.test(start)) return "image/gif";
  return start.startsWith("BM") && start.slice(6, 10) === "\0\0\0\0" ? "image/bmp" : null;
}

/** Null if the header is damaged. */
export function readHeader(bytes: Uint8Array, type: ImageType): ImageHeader | null {
  try {
    const header = readers[type](bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.length));
    return header === null ||
      header.frames.length === 0 ||
      header.frames.some(({ width, height }) => width < 1 || height < 1)
      ? null
      : header;
  } catch (error) {
    if (error instanceof RangeError) return null; // The header is truncated.
    throw error;
  }
}

type Reader = (bytes: Uint8Array, view: DataView) => ImageHeader | null;
const single = (width: number, height: number, orientation: Orientation = 1): ImageHeader => ({
  orientation,
  frames: [{ width, height, at: 0 }],
});

const readers: Readonly<Record<ImageType, Reader>> = {
  "image/png": (_, view) => single(view.getUint32(16), view.getUint32(20)),
  "image/jpeg": readJpegHeader,
  // Each frame has its own orientation.
  "image/tiff": (bytes) => ({ orientation: 1, frames: framesOf(bytes) }),
  "image/webp": readWebpHeader,
  "image/gif": (_, view) => single(view.getUint16(6, true), view.getUint16(8, true)),
  "image/bmp": (_, view) =>
    view.getUint32(14, true) === 12
      ? single(view.getUint16(18, true), view.getUint16(20, true))
      : single(view.getInt32(18, true), Math.abs(view.getInt32(22, true))),
};

const exif = "Exif\0\0";
const app1 = 0xe1;
/**
 * Markers of segments with the size, except DHT, JPG and DAC, whose numbers are in the same range.
 */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function readJpegHeader(bytes: Uint8Array, view: DataView): ImageHeader | null {
  let orientation: Orientation = 1;
  for (let at = 2; ;) {
    if (bytes[at] !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    } // Padding.
    const length = view.getUint16(at + 2);
    if (isFrame(marker)) return single(view.getUint16(at + 7), view.getUint16(at + 5), orientation);
    if (marker === app1 && latin(bytes, at + 4, at + 10) === exif)
      orientation = orientationIn(bytes.subarray(at + 10, at + 2 + length));
    at += 2 + length;
  }
}

function readWebpHeader(bytes: Uint8Array, view: DataView): ImageHeader | null {
  const kind = latin(bytes, 12, 16);
  if (kind === "VP8 ")
    return single(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
  if (kind === "VP8L") {
    const packed = view.getUint32(21, true);
    return single((packed & 0x3fff) + 1, ((packed >>> 14) & 0x3fff) + 1);
  }
  if (kind !== "VP8X") return null;
  const side = (at: number): number =>
    view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000 + 1;
  return single(side(24), side(27));
}
