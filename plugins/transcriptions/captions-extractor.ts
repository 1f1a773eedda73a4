/**
 * Extracts captions that are uploaded or imported like any other file: their text with times,
 * without markup.
 */
import { ExtractionFailure, type ExtractionCode, type Extractor } from "../extraction/contract";
import { TranscriptionFailure } from "./contract";
import type { TranscriptReader } from "./reader";
import { captions_bytes_max, kindOf, head_bytes } from "./media-types";

/** The extractor for files that are captions by their content. */
export const captionsExtractor = (reader: TranscriptReader): Extractor => ({
  rank: 60,
  recognises: (head) => kindOf(head)?.kind === "captions",
  async extract({ path, size_bytes }, { signal }) {
    if (size_bytes > captions_bytes_max)
      throw new ExtractionFailure(
        "too_large",
        `Captions must be at most ${captions_bytes_max / 2 ** 20} MiB.`,
      );
    const { media_type } = kindOf(await Bun.file(path).slice(0, head_bytes).bytes())!;
    try {
      const { text, times } = await reader.read(path, null, signal);
      return { text, times, media_type, pages: [], page_count: null, warnings: [] };
    } catch (error) {
      throw error instanceof TranscriptionFailure
        ? new ExtractionFailure(codes[error.code] ?? "extract_failed", error.message)
        : error;
    }
  },
});

const codes: Readonly<Partial<Record<TranscriptionFailure["code"], ExtractionCode>>> = {
  empty: "empty",
  too_large: "too_large",
};
