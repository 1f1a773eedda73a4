/** Recognises chunked bodies that consist mostly of the framing of their chunks. */

/** An ordinary chunk has thousands of bytes, and ten of framing. */
const framing_share_max = 0.25;
/** A shorter piece says too little. */
const bytes_min = 2 * 1024;
/** The end of a chunk, then the size of the next one and its extensions, which nobody uses. */
const chunk_head = /\r\n([0-9a-f]{1,8})[\t ]*(;[^\r\n]*)?(?:\r\n|$)/gi;
/** Content may happen to look like a few consecutive chunks, or like a short extension. */
const run_chunks_min = 16;
const extension_bytes_min = 256;

/** Whether a piece, taken from anywhere in a chunked body, is mostly framing. */
export function isMostlyFraming(piece: Uint8Array): boolean {
  const text = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString("latin1");
  if (text.length < bytes_min) return false;
  let framing_bytes = 0;
  let run = { heads: 0, bytes: 0 };
  let at = 0;
  while (framing_bytes <= framing_share_max * text.length) {
    chunk_head.lastIndex = at;
    const head = chunk_head.exec(text);
    if (!head) return false;
    const [line, size, extension = ""] = head;
    const end = chunk_head.lastIndex + Number.parseInt(size!, 16);
    if (head.index > at) run = { heads: 0, bytes: 0 };
    if (end < text.length && !text.startsWith("\r\n", end)) {
      at = head.index + 2;
      continue;
    }
    at = end;
    run = { heads: run.heads + 1, bytes: run.bytes + line.length };
    if (run.heads < run_chunks_min && extension.length < extension_bytes_min) continue;
    framing_bytes += run.bytes;
    run.bytes = 0;
  }
  return true;
}
