/** Recognises chunked bodies that consist mostly of the framing of their chunks. */

/** An ordinary chunk has thousands of bytes, and framing of ten. */
const share_max = 0.25;
/** Fewer say nothing. */
const bytes_min = 2 * 1024;
/** The end of a chunk, then the size of the next one, and what nobody uses: its extensions. */
const chunk_head = /\r\n([0-9a-f]{1,8})[\t ]*(;[^\r\n]*)?(?:\r\n|$)/gi;
/** Lines of content may look like a few chunks in a row, or like a short extension. */
const row_min = 16;
const extension_bytes_min = 256;

/** Whether that is true of a piece from anywhere in a body. */
export function isMostlyFraming(piece: Uint8Array): boolean {
  const text = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString("latin1");
  if (text.length < bytes_min) return false;
  let framing_bytes = 0;
  let row = { heads: 0, bytes: 0 };
  let at = 0;
  while (framing_bytes <= share_max * text.length) {
    chunk_head.lastIndex = at;
    const head = chunk_head.exec(text);
    if (!head) return false;
    const [line, size, extension = ""] = head;
    const end = chunk_head.lastIndex + Number.parseInt(size!, 16);
    if (head.index > at) row = { heads: 0, bytes: 0 };
    if (end < text.length && !text.startsWith("\r\n", end)) {
      at = head.index + 2;
      continue;
    }
    at = end;
    row = { heads: row.heads + 1, bytes: row.bytes + line.length };
    if (row.heads < row_min && extension.length < extension_bytes_min) continue;
    framing_bytes += row.bytes;
    row.bytes = 0;
  }
  return true;
}
