/** The child's part of reading a picture: frame after frame, its text is recognised. */
import { ExtractionFailure } from "../contract";
import { EngineFailure, wantedMemory } from "../child/engine-failure";
import { recognise, type PictureText } from "../ocr/recognition";
import { openRecogniser, type Orientation, type Recogniser } from "../ocr/tesseract";
import {
  openPageOutput,
  type PageMessage,
  type PagesInput,
  type PageText,
  type PageWithoutText,
} from "../child/page-output";
import { describe, type Frame, type PictureType } from "./header";
import { frameFile } from "./tiff-frame";

export interface ImageInput extends PagesInput {
  readonly path: string;
  readonly type: PictureType;
}
type Send = (message: PageMessage) => void;

const pixels_max = 50_000_000;
/** A file is held in memory as a whole. */
const file_bytes_max = 256 * 1024 * 1024;

/** @throws ExtractionFailure */
export async function readImage(input: ImageInput, send: Send): Promise<null> {
  send({ step: "started" });
  const file = Bun.file(input.path);
  if (file.size > file_bytes_max)
    throw new ExtractionFailure(
      "too_large",
      `This image file is larger than ${file_bytes_max / 1024 ** 2} MiB.`,
    );
  const bytes = await file.bytes();
  const picture = describe(bytes, input.type);
  if (picture === null)
    throw new ExtractionFailure("corrupt", "This image is damaged and can't be read.");
  const { frames, orientation } = picture;
  if (frames.length > input.pages_max)
    throw new ExtractionFailure(
      "too_large",
      `This image has ${frames.length} pages; at most ${input.pages_max} are read.`,
    );
  if (frames.length === 1) checkSize(frames[0]!);
  send({ step: "opened", page_count: frames.length });
  try {
    await readFrames(bytes, frames, orientation, input, send);
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    throw wantedMemory(error)
      ? new ExtractionFailure("out_of_memory", "Reading this image needed too much memory.")
      : new ExtractionFailure("corrupt", "This image is damaged and can't be read.");
  }
  return null;
}

const tooLarge = ({ width, height }: Frame): boolean => width * height > pixels_max;
function checkSize(frame: Frame): void {
  if (tooLarge(frame))
    throw new ExtractionFailure(
      "too_large",
      `This image has ${frame.width} × ${frame.height} pixels; at most ${pixels_max / 1_000_000} million are read.`,
    );
}

async function readFrames(
  bytes: Uint8Array,
  frames: readonly Frame[],
  orientation: Orientation,
  input: ImageInput,
  send: Send,
): Promise<void> {
  const output = openPageOutput(input.output, input.characters_max, send);
  const recogniser = await openRecogniser(input.languages);
  send({ step: "languages", unusable: recogniser.unusable });
  try {
    for (const [index, frame] of frames.entries()) {
      if (index + 1 < input.first_page) continue;
      const read = async (): Promise<PageText | PageWithoutText> => {
        if (tooLarge(frame)) return "oversized";
        if (index + 1 - input.first_page >= input.ocr_pages_max) return "unrecognised";
        send({ step: "recognising", page: index + 1 });
        const file =
          input.type === "image/tiff"
            ? frameFile(bytes, frame.at)
            : { bytes, ...frame, orientation, type: input.type };
        return file === null ? "damaged" : readFrame(recogniser, file);
      };
      output.put(index + 1, await read());
    }
  } finally {
    output.close();
  }
}

/** A picture of one frame. */
interface FramePicture extends Sized {
  readonly orientation: Orientation;
  readonly type: PictureType;
}

async function readFrame(
  recogniser: Recogniser,
  picture: FramePicture,
): Promise<PageText | PageWithoutText> {
  const pixels = picture.width * picture.height;
  const read = (sized: Sized | null): PictureText | null => {
    if (sized === null) return null;
    const { bytes, width, height } = sized;
    return recognise(recogniser, {
      bytes,
      width,
      height,
      orientation: picture.orientation,
      dots_per_inch: null,
    });
  };
  const resized = async (scale: number): Promise<PictureText | null> =>
    picture.type === "image/tiff" ? null : read(await resize(picture.bytes, scale));
  const scale =
    pixels > many_pixels ? Math.sqrt(many_pixels / pixels) : pixels < few_pixels ? 2 : 1;
  let best = scale === 1 ? read(picture) : ((await resized(scale)) ?? read(picture));
  best ??= await resized(1); // What one decoder refuses another may know: pictures that move, say.
  if (best === null) return "damaged";
  if (
    scale === 1 &&
    pixels < small_pixels &&
    best.trust !== "blank" &&
    best.confidence < good_confidence
  ) {
    const larger = await resized(2);
    if (larger !== null && larger.confidence > best.confidence) best = larger;
  }
  if (best.trust === "blank" || best.trust === "illegible") return best.trust;
  return { text: best.text, doubtful: best.trust === "doubtful" };
}

/**
 * More than print needs on a page of paper: a larger picture would only take longer, and more
 * memory.
 */
const many_pixels = 16_000_000;
/**
 * Photos of screens and thumbnails: their letters are so small that they are recognised much better
 * when enlarged.
 */
const few_pixels = 1_200_000;
/** Here that is worth trying when the recogniser is not quite sure. */
const small_pixels = 4_000_000;
const good_confidence = 85;

interface Sized {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** The picture as PNG in another size; null when it can't be decoded. It is not turned. */
async function resize(bytes: Uint8Array, scale: number): Promise<Sized | null> {
  try {
    const image = new Bun.Image(bytes, { autoOrient: false, maxPixels: pixels_max });
    const { width } = await image.metadata();
    const png = await (scale === 1 ? image : image.resize(Math.max(1, Math.round(width * scale))))
      .png()
      .bytes();
    const size = describe(png, "image/png")!.frames[0]!;
    return { bytes: png, width: size.width, height: size.height };
  } catch {
    return null;
  }
}
