/** Worker: chunks and encodes documents, so that no request waits for it. */
import { analyzer } from "./analyzer";
import { encode, type Encoded, type EncodeInput } from "./encode";
import { serve } from "./worker-side";

serve<null, EncodeInput, Encoded>(() => (input) => {
  const answer = encode(input, analyzer);
  return { answer, transfer: answer.segments.map((segment) => segment.data.buffer as ArrayBuffer) };
});
