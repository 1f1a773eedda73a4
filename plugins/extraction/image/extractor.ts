/** Pictures of text: recognised in a child, within limits, frame by frame. */
import type { Isolate } from "../../../core/sdk";
import type { Extractor } from "../contract";
import { readPages, type PageReadingParts } from "../server/paged-reading";
import type { tasks } from "../tasks";
import { pictureType, type PictureType } from "./header";

export interface ImageParts extends PageReadingParts {
  readonly isolate: Isolate<typeof tasks>;
}

/** Longer than any header that tells the type. */
const head_bytes = 64;

export const imageExtractor = (parts: ImageParts): Extractor => ({
  name: "PNG, JPEG, TIFF, WebP, GIF and BMP images",
  rank: 90,
  recognises: (head) => pictureType(head) !== null,
  extract: async ({ path }, watch) => {
    // It was recognised by this.
    const type = pictureType(await Bun.file(path).slice(0, head_bytes).bytes()) as PictureType;
    return readPages(parts, { what: "image", media_type: type }, watch, (input, options) =>
      parts.isolate("image", { path, type, ...input }, options),
    );
  },
});
