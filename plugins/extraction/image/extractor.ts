/** Images: text recognition, frame by frame. */
import type { ExtractionContext } from "../context";
import type { Extractor } from "../contract";
import { readPagedFile } from "../server/paged-file";
import { imageType, type ImageType } from "./header";

/** Enough for the header of every supported type. */
const head_bytes = 64;

export const imageExtractor = (ctx: ExtractionContext): Extractor => ({
  rank: 90,
  recognises: (head) => imageType(head) !== null,
  extract: async ({ path }, options) => {
    // Not null, because the file was selected by it.
    const type = imageType(await Bun.file(path).slice(0, head_bytes).bytes()) as ImageType;
    return readPagedFile(ctx, { noun: "image", media_type: type }, options, (input, run_options) =>
      ctx.isolate("image", { path, type, ...input }, run_options),
    );
  },
});
