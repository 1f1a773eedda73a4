/**
 * Worker: chunks and encodes documents, so that no request waits for it. Segments are parts of the
 * answer; its end is the language.
 */
import { analyzer } from "./analyzer";
import { segmentsOf, type EncodedSegment, type EncodeInput } from "./encoder";
import { languageOf } from "./languages";
import { serve } from "./worker-server";

serve<null, EncodeInput, EncodedSegment, string | null>(() => (input, tell) => {
  for (const segment of segmentsOf(input, analyzer))
    tell(segment, [segment.data.buffer as ArrayBuffer]);
  return languageOf(input.text);
});
