/**
 * Closes connections whose body nobody reads to its end. The runtime would go on to parse it for as
 * long as it is sent: a chunked body does not announce its end, and each of its chunks may have one
 * byte, which costs a thousand times as much as the bytes of a larger one.
 */
import { settlesWithin } from "../lib/timeout";
import { pauseAfter } from "./gathered-body";

/** A body that ends within this costs its sender no connection. */
const drained_bytes_max = 8 * 1024;
const drained_ms_max = 100;

/**
 * Called with a response before it is sent. It ends the connection (RFC 9112, section 9.6) when the
 * request has a chunked body that may still be arriving: one that was refused, or is not read and
 * does not end soon.
 */
export async function closeAfterUnread(request: Request, response: Response): Promise<void> {
  if (!request.headers.has("transfer-encoding")) return;
  const { body, bodyUsed } = request;
  if (bodyUsed && response.ok) return;
  if (body && !bodyUsed && (await endsSoon(body))) return;
  response.headers.set("connection", "close");
}

async function endsSoon(body: ReadableStream<Uint8Array>): Promise<boolean> {
  const drained = drain(body);
  return (await settlesWithin(drained, drained_ms_max)) && drained;
}

/** Reads and forgets the body, up to the limit; resolves with whether it ended. */
async function drain(body: ReadableStream<Uint8Array>): Promise<boolean> {
  const reader = body.getReader();
  try {
    for (let bytes = 0; bytes <= drained_bytes_max;) {
      const { done, value } = await reader.read();
      if (done) return true;
      bytes += value.byteLength;
      await pauseAfter(value);
    }
  } catch {
    // The client has disconnected.
  }
  return false;
}
