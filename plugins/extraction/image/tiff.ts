/** The frames of a TIFF file: where they are described, how large they are; and the same file with another one in front. */
import type { Orientation } from "../ocr/tesseract";

const tag_kind = 254;
const tag_width = 256;
const tag_height = 257;
const tag_orientation = 274;
const type_short = 3;
const header_bytes = 8;
const entry_bytes = 12;
/** More frames than any scan has; a chain that is longer leads back to itself. */
const frames_max = 10_000;

interface Directory { readonly value: (tag: number) => number | null; readonly next: number }

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
const isLittle = (view: DataView): boolean => view.getUint8(0) === 0x49;

/** @throws RangeError behind the end of the file */
function directoryAt(view: DataView, at: number): Directory {
  const little = isLittle(view);
  const count = view.getUint16(at, little);
  const end = at + 2 + count * entry_bytes;
  const value = (tag: number): number | null => {
    for (let entry = at + 2; entry < end; entry += entry_bytes) {
      if (view.getUint16(entry, little) !== tag) continue;
      return view.getUint16(entry + 2, little) === type_short ? view.getUint16(entry + 8, little) : view.getUint32(entry + 8, little);
    }
    return null;
  };
  return { value, next: end + 4 <= view.byteLength ? view.getUint32(end, little) : 0 };
}

/** As the decoder gives them, which turns the frame. */
function sidesOf({ value }: Directory): { width: number; height: number } {
  const [across, down] = [value(tag_width) ?? 0, value(tag_height) ?? 0];
  return (value(tag_orientation) ?? 1) >= 5 ? { width: down, height: across } : { width: across, height: down };
}

/** In the order of the file, without the small previews that some programs add. What lies behind a damaged link is left out. */
export function framesOf(bytes: Uint8Array): { at: number; width: number; height: number }[] {
  const view = viewOf(bytes);
  const frames: { at: number; width: number; height: number }[] = [];
  const seen = new Set<number>();
  for (let at = view.getUint32(4, isLittle(view)); at >= header_bytes && at + 2 <= view.byteLength && !seen.has(at) && seen.size < frames_max;) {
    seen.add(at);
    let directory: Directory;
    let size: { sides: { width: number; height: number }; preview: boolean };
    try {
      directory = directoryAt(view, at);
      size = { sides: sidesOf(directory), preview: ((directory.value(tag_kind) ?? 0) & 1) !== 0 };
    } catch (error) {
      if (error instanceof RangeError) break;
      throw error;
    }
    if (!size.preview) frames.push({ at, ...size.sides });
    at = directory.next;
  }
  return frames;
}

/** Makes the frame that is described at this place the first one: that is the one a decoder takes. Changes `bytes`. */
export function putFirst(bytes: Uint8Array, at: number): void {
  const view = viewOf(bytes);
  view.setUint32(4, at, isLittle(view));
}

/** Of EXIF, which is a TIFF file without a picture; 1 when it says nothing. */
export function orientationIn(exif: Uint8Array): Orientation {
  try {
    const view = viewOf(exif);
    const orientation = directoryAt(view, view.getUint32(4, isLittle(view))).value(tag_orientation) ?? 1;
    return orientation >= 1 && orientation <= 8 ? orientation as Orientation : 1;
  } catch (error) {
    if (error instanceof RangeError) return 1;
    throw error;
  }
}
