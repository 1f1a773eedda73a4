/** Runs in the child: recognises the text of an image, frame by frame. */
import { EngineFailure, ranOutOfMemory } from "../child/engine-failure";
import { PageOutput, type PageMessage, type PagesInput } from "../child/page-output";
import { ExtractionFailure } from "../contract";
import { openRecogniser } from "../ocr/tesseract";
import { decodeFrame, pixels_max, readFrame } from "./frame-text";
import { readHeader, type Frame, type ImageHeader, type ImageType } from "./header";
import { tiffFrameFile, tiffFrameHash } from "./tiff-frame";

/** The image to read. */
export interface ImageInput extends PagesInput {
  readonly path: string;
  readonly type: ImageType;
}
type Send = (message: PageMessage) => void;

/** The whole file is held in memory. */
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
  const header = readHeader(bytes, input.type);
  if (header === null)
    throw new ExtractionFailure("corrupt", "This image is damaged and can't be read.");
  const { frames } = header;
  if (frames.length > input.pages_max)
    throw new ExtractionFailure(
      "too_large",
      `This image has ${frames.length} pages, which is more than the limit of ` +
        `${input.pages_max}.`,
    );
  if (frames.length === 1) checkSize(frames[0]!);
  send({ step: "opened", page_count: frames.length });
  try {
    await readFrames(bytes, header, input, send);
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    throw ranOutOfMemory(error)
      ? new ExtractionFailure("out_of_memory", "Reading this image needed too much memory.")
      : new ExtractionFailure("corrupt", "This image is damaged and can't be read.");
  }
  return null;
}

/** No picture of text is so long and thin. */
const side_max = 200_000;

const tooLarge = ({ width, height }: Frame): boolean =>
  width * height > pixels_max || Math.max(width, height) > side_max;
function checkSize(frame: Frame): void {
  const { width, height } = frame;
  if (tooLarge(frame))
    throw new ExtractionFailure(
      "too_large",
      `This image has ${width} × ${height} pixels, which is more than the limit of ` +
        (width * height > pixels_max
          ? `${pixels_max / 1_000_000} million.`
          : `${side_max} a side.`),
    );
}

async function readFrames(
  bytes: Uint8Array,
  { frames, orientation }: ImageHeader,
  input: ImageInput,
  send: Send,
): Promise<void> {
  using pages = new PageOutput(input.output, input.characters_max, send);
  const recogniser = await openRecogniser(input.languages);
  send({ step: "languages", unusable: recogniser.unusable_languages });
  /** Of frames without text. */
  const blank_hashes = new Set<string>();
  let recognised = 0;
  for (const [index, frame] of frames.entries()) {
    const page = index + 1;
    if (page < input.first_page) continue;
    const hash = input.type === "image/tiff" ? tiffFrameHash(bytes, frame.at) : null;
    if (tooLarge(frame)) pages.add(page, "oversized");
    else if (hash !== null && blank_hashes.has(hash)) pages.add(page, "blank");
    else if (recognised >= input.ocr_pages_max) pages.add(page, "unrecognised");
    else {
      send({ step: "recognising", page });
      const file =
        input.type === "image/tiff"
          ? tiffFrameFile(bytes, frame.at)
          : { bytes, ...frame, orientation, type: input.type };
      const scan = file === null ? "damaged" : await decodeFrame(recogniser, file);
      if (typeof scan !== "string") recognised++;
      const read = typeof scan === "string" ? scan : readFrame(recogniser, scan);
      if (read === "blank" && hash !== null) blank_hashes.add(hash);
      pages.add(page, read);
    }
  }
}
