/** Runs in the child: recognises the text of one frame, in another size where that helps. */
import type { PageText, PageWithoutText } from "../child/page-output";
import { recognise, type RecognisedText } from "../ocr/recognition";
import type { Orientation, Recogniser } from "../ocr/tesseract";
import { readHeader, type ImageType } from "./header";

/** The largest image that is read. */
export const pixels_max = 50_000_000;
/** Enough for print on a page of paper: a larger image would only take more time and memory. */
const large_pixels = 16_000_000;
/** Thumbnails and photos of screens: their small letters are recognised much better enlarged. */
const tiny_pixels = 1_200_000;
/** Up to here enlarging is worth an attempt when confidence is not good. */
const small_pixels = 4_000_000;
const good_confidence = 85;

interface Sized {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}
/** An image file of one frame. */
export interface FrameImage extends Sized {
  readonly orientation: Orientation;
  readonly type: ImageType;
}

/** @throws EngineFailure */
export async function readFrame(
  recogniser: Recogniser,
  image: FrameImage,
): Promise<PageText | PageWithoutText> {
  const text = await recogniseFrame(recogniser, image);
  if (text === null) return "damaged";
  if (text.trust === "blank" || text.trust === "illegible") return text.trust;
  return { text: text.text, doubtful: text.trust === "doubtful" };
}

/** Null when it can't be decoded. */
async function recogniseFrame(
  recogniser: Recogniser,
  image: FrameImage,
): Promise<RecognisedText | null> {
  const { orientation } = image;
  const read = ({ bytes, width, height }: Sized): RecognisedText | null =>
    recognise(recogniser, { bytes, width, height, orientation, dots_per_inch: null });
  const readResized = async (scale: number): Promise<RecognisedText | null> => {
    const resized = image.type === "image/tiff" ? null : await resize(image.bytes, scale);
    return resized && read(resized);
  };
  const pixels = image.width * image.height;
  const scale =
    pixels > large_pixels ? Math.sqrt(large_pixels / pixels) : pixels < tiny_pixels ? 2 : 1;
  // What Tesseract can't decode, such as an animation, the decoder of Bun may.
  const text =
    (scale === 1 ? null : await readResized(scale)) ?? read(image) ?? (await readResized(1));
  const may_gain =
    scale === 1 &&
    pixels < small_pixels &&
    text !== null &&
    text.trust !== "blank" &&
    text.confidence < good_confidence;
  if (!may_gain) return text;
  const larger = await readResized(2);
  return larger !== null && larger.confidence > text.confidence ? larger : text;
}

/** As PNG, not turned; null when it can't be decoded. */
async function resize(bytes: Uint8Array, scale: number): Promise<Sized | null> {
  try {
    const image = new Bun.Image(bytes, { autoOrient: false, maxPixels: pixels_max });
    const { width } = await image.metadata();
    const png = await (scale === 1 ? image : image.resize(Math.max(1, Math.round(width * scale))))
      .png()
      .bytes();
    const size = readHeader(png, "image/png")!.frames[0]!;
    return { bytes: png, width: size.width, height: size.height };
  } catch {
    return null;
  }
}
