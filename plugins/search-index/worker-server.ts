/** The inside of a worker: answers requests one after another. */
import type { FromWorker, ToWorker, WorkerProtocol } from "./worker-client";

declare const self: Worker;

/**
 * Answers one request. `sendPart` sends a part of the response ahead of its end, and hands over the
 * buffers in `transfer`.
 */
export type RequestHandler<P extends WorkerProtocol> = (
  request: P["request"],
  sendPart: (part: P["part"], transfer?: ArrayBuffer[]) => void,
) => P["response"] | Promise<P["response"]>;

/**
 * `open` gets the setting and gives the handler. An error becomes a message: it never ends the
 * worker.
 */
export function serveWorker<P extends WorkerProtocol>(
  open: (setting: P["setting"]) => RequestHandler<P>,
): void {
  let handler: RequestHandler<P> | null = null,
    last: Promise<void> = Promise.resolve();
  self.addEventListener("message", ({ data }: MessageEvent<ToWorker<P>>) => {
    if ("setting" in data) {
      // Opened at the first request, so that a failure is the answer to it.
      handler = (request, sendPart) => (handler = open(data.setting))(request, sendPart);
      return;
    }
    // The client takes the oldest request for the one in work.
    last = last.then(() => answer(data.id, data.request, handler!));
  });
}

async function answer<P extends WorkerProtocol>(
  id: number,
  request: P["request"],
  handler: RequestHandler<P>,
): Promise<void> {
  const send = (message: FromWorker<P>, transfer: ArrayBuffer[] = []): void =>
    self.postMessage(message, { transfer });
  let part_no = 0;
  try {
    const response = await handler(request, (part, transfer) =>
      send({ id, part, part_no: part_no++ }, transfer),
    );
    send({ id, response });
  } catch (error) {
    send({ id, error: error instanceof Error ? error.message : String(error) });
  }
}
