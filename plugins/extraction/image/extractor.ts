/** Images: their text is recognised, frame by frame. */
import type { ExtractionContext } from "../context";
import type { Extractor } from "../contract";
import { readPagedFile } from "../server/paged-file";
import { imageType, type ImageType } from "./header";

/** Longer than any header that tells the type. */
const head_bytes = 64;

export const imageExtractor = (ctx: ExtractionContext): Extractor => ({
  name: "PNG, JPEG, TIFF, WebP, GIF and BMP images",
  rank: 90,
  recognises: (head) => imageType(head) !== null,
  extract: async ({ path }, options) => {
    // Not null: the file was chosen by it.
    const type = imageType(await Bun.file(path).slice(0, head_bytes).bytes()) as ImageType;
    return readPagedFile(ctx, { what: "image", media_type: type }, options, (input, run_options) =>
      ctx.isolate("image", { path, type, ...input }, run_options),
    );
  },
});
