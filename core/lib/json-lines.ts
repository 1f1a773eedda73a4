/** Decodes a stream of JSON values, one per line. */

/** A longer line is an error: data of this size belongs in a file of its own. */
const line_bytes_max = 64 * 1024 * 1024;

/**
 * The values in a stream of lines. An unfinished last line is dropped: its writer died. @throws
 * SyntaxError, RangeError
 */
export async function* decodeLines<T>(stream: AsyncIterable<Uint8Array>): AsyncGenerator<T> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let unfinished_bytes = 0;
  for await (const chunk of stream) {
    const pieces = decoder.decode(chunk, { stream: true }).split("\n");
    for (const piece of pieces.slice(0, -1)) {
      yield JSON.parse(parts.join("") + piece) as T;
      parts = [];
      unfinished_bytes = 0;
    }
    parts.push(pieces.at(-1)!);
    unfinished_bytes += chunk.length;
    if (unfinished_bytes > line_bytes_max)
      throw new RangeError(`A line is longer than ${line_bytes_max} bytes.`);
  }
}
