/**
 * What parent and child say to each other: one JSON value a line, requests on the child's standard
 * input, answers on its standard output.
 */

export interface Request {
  readonly plugin: string;
  readonly task: string;
  readonly input: unknown;
}
/** Any number of messages, then one result or one error. */
export type Reply =
  | { readonly message: unknown }
  | { readonly result: unknown }
  | { readonly error: { readonly message: string; readonly code?: string } };

/** A line longer than this is a fault: whatever is this large belongs into a file. */
const line_bytes_max = 64 * 1024 * 1024;

export const encodeLine = (value: Request | Reply): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify(value)}\n`);

/**
 * The values of a stream of lines, as they arrive. An unfinished last line is dropped: its writer
 * died. @throws SyntaxError, RangeError
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
