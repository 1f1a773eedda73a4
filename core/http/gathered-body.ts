/** Reads a body in chunks of a reasonable size, whatever size its sender gives them. */

/** Smaller chunks are followed by a pause. */
const small_bytes = 16 * 1024;

/** After a chunk of so few bytes, resolves in the next iteration of the event loop. */
export const pauseAfter = (chunk_bytes: number): Promise<void> | undefined =>
  chunk_bytes < small_bytes ? new Promise((resolve) => setImmediate(resolve)) : undefined;

/**
 * Whether a body came over a connection, not from a caller in this process, so that nobody else
 * uses its chunks.
 */
export const isReceived = (headers: Request["headers"]): boolean =>
  headers.has("content-length") || headers.has("transfer-encoding");

/**
 * The same bytes. Reading a chunk costs as much as if it had thousands of bytes, and a sender may
 * give each only one: so after a small one, the runtime gathers what arrives until the next
 * iteration of the event loop.
 */
export function gatheredBody(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value);
        await pauseAfter(value.byteLength);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
