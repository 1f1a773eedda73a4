/** A response body whose chunks are produced when the client is ready for them. */
import { originOf, withOrigin } from "../base/origin";
import { loop_turns } from "../lib/loop-turns";

/**
 * Calls `next` for the next chunk when the previous one was taken, so that a slow client costs only
 * time; the chunks of many streams take turns with requests. `null` ends the stream; `close` is
 * called when it is over, however it ends.
 */
export function pullStream(
  next: () => Promise<string | Uint8Array | null>,
  close: () => void,
  first?: string,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  // The runtime pulls a chunk outside any request.
  const origin = originOf();
  const { subject = "streams" } = origin;
  let cancelled = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (first !== undefined) controller.enqueue(encoder.encode(first));
      },
      async pull(controller) {
        const turn = loop_turns.enter(subject);
        if (turn) await turn;
        if (cancelled) return;
        const piece = await withOrigin(origin, next).catch((error: unknown) => {
          close();
          throw error;
        });
        if (cancelled) return;
        if (piece !== null)
          return controller.enqueue(typeof piece === "string" ? encoder.encode(piece) : piece);
        close();
        controller.close();
      },
      cancel() {
        cancelled = true;
        close();
      },
    },
    { highWaterMark: 0 },
  );
}
