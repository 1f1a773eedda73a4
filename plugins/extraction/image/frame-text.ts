/** Runs in the child: decodes one frame, and recognises its text, resized where that helps. */
import type { PageText, PageWithoutText } from "../child/page-output";
import { collectPictures, recognise, type RecognisedText } from "../ocr/recognition";
import { hasContrast, resized, type Scan } from "../ocr/bitmap";
import type { Orientation, Recogniser } from "../ocr/tesseract";
import type { ImageType } from "./header";

/** The largest image that is read. */
export const pixels_max = 50_000_000;
/** Enough for print on a page of paper: a larger image would only take more time and memory. */
const large_pixels = 9_000_000;
/** Thumbnails and screenshots: their small letters are recognised much better when enlarged. */
const tiny_pixels = 1_200_000;
/** Part of a page scanned at this resolution is small, but its letters are not. */
const fine_dots = 150;
/** Up to this size enlarging is tried if confidence is low. */
const small_pixels = 4_000_000;
const good_confidence = 85;

/** An image file of one frame. */
export interface FrameImage {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly orientation: Orientation;
  readonly type: ImageType;
}

/** Without text if it is blank, or can't be decoded. @throws EngineFailure */
export async function decodeFrame(
  recogniser: Recogniser,
  image: FrameImage,
): Promise<Scan | PageWithoutText> {
  const scan = await decoded(recogniser, image);
  if (scan === null) return "damaged";
  return hasContrast(scan.picture) ? scan : "blank";
}

/** @throws EngineFailure */
export function readFrame(recogniser: Recogniser, scan: Scan): PageText | PageWithoutText {
  const text = recogniseScan(recogniser, scan);
  collectPictures();
  if (text.trust === "blank" || text.trust === "illegible") return text.trust;
  return { text: text.text, doubtful: text.trust === "doubtful", concerns: text.concerns };
}

/** Enlarges tiny images, and small ones too if that raises confidence. */
function recogniseScan(recogniser: Recogniser, scan: Scan): RecognisedText {
  const pixels = scan.picture.width * scan.picture.height;
  if (pixels < tiny_pixels && (scan.dots_per_inch ?? 0) < fine_dots)
    return recognise(recogniser, scan, 2);
  const text = recognise(recogniser, scan);
  if (pixels >= small_pixels || text.trust === "blank" || text.confidence >= good_confidence)
    return text;
  const larger = recognise(recogniser, scan, 2);
  return larger.confidence > text.confidence ? larger : text;
}

function shrunk({ picture, dots_per_inch }: Scan, scale: number): Scan {
  const side = (length: number): number => Math.max(1, Math.round(length * scale));
  return {
    picture: resized(picture, side(picture.width), side(picture.height)),
    dots_per_inch: dots_per_inch && Math.round(dots_per_inch * scale),
  };
}

/** Shrunk if it is large; null if it can't be decoded. @throws EngineFailure */
async function decoded(recogniser: Recogniser, image: FrameImage): Promise<Scan | null> {
  const { bytes, orientation, width, height, type } = image;
  const scale = Math.min(1, Math.sqrt(large_pixels / (width * height)));
  // Large images are shrunk before the engine loads them in colour. Bun's decoder may handle those
  // that the engine can't, such as animations.
  const small = scale < 1 && type !== "image/tiff" ? await reencoded(bytes, scale) : null;
  const scan =
    (small && recogniser.decode(small, orientation)) ??
    recogniser.decode(bytes, orientation) ??
    (await decodeOtherwise(recogniser, image));
  if (scan === null) return null;
  const pixels = scan.picture.width * scan.picture.height;
  return pixels <= large_pixels ? scan : shrunk(scan, Math.sqrt(large_pixels / pixels));
}

async function decodeOtherwise(
  recogniser: Recogniser,
  { bytes, orientation, type }: FrameImage,
): Promise<Scan | null> {
  const png = type === "image/tiff" ? null : await reencoded(bytes, 1);
  return png && recogniser.decode(png, orientation);
}

/** As PNG, not rotated; null if it can't be decoded. */
async function reencoded(bytes: Uint8Array, scale: number): Promise<Uint8Array | null> {
  try {
    const image = new Bun.Image(bytes, { autoOrient: false, maxPixels: pixels_max });
    const { width } = await image.metadata();
    return await (scale === 1 ? image : image.resize(Math.max(1, Math.round(width * scale))))
      .png()
      .bytes();
  } catch {
    return null;
  }
}
