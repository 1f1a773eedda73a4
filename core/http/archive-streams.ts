/** Archives written while they are sent: a few at a time, the others wait. */
import { unavailable } from "../base/errors";
import { Limiter, LimiterRefusal } from "../lib/limiter";
import { pacedPieces } from "../lib/paced-pieces";
import { pullStream } from "./pull-stream";

const limits = { concurrency: 4, per_key: 2, waiting_max: 32, wait_ms_max: 30_000 };
const retry_after_s = 30;

/** The streams of one kind of archive, such as downloads of folders. */
export class ArchiveStreams {
  private readonly limiter = new Limiter(limits);

  /** `refusal`: the sentence for a request when too many are in progress. */
  constructor(private readonly refusal: string) {}

  /**
   * The archive as a response body. `make` is called when it is the turn of `key`; its signal fires
   * when the client disconnects, and the next archive begins only when this one has stopped. The
   * bytes are read no faster than they are sent. @throws HttpError 503, and what `make` throws
   */
  async open(
    key: string,
    make: (signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const release = await this.acquire(key, signal);
    const ending = new AbortController();
    try {
      const pieces = pacedPieces(await make(AbortSignal.any([signal, ending.signal])));
      // Called by the client's hang-up, by the end of the body, or by both.
      const end = (): void => {
        if (ending.signal.aborted) return;
        ending.abort();
        signal.removeEventListener("abort", end);
        void pieces
          .return()
          .catch(() => undefined)
          .finally(release);
      };
      signal.addEventListener("abort", end, { once: true });
      if (signal.aborted) end();
      return pullStream(async () => {
        const piece = await pieces.next();
        return piece.done ? null : piece.value;
      }, end);
    } catch (error) {
      release();
      throw error;
    }
  }

  private async acquire(key: string, signal: AbortSignal): Promise<() => void> {
    try {
      return await this.limiter.enter({ key, signal });
    } catch (error) {
      if (!(error instanceof LimiterRefusal)) throw error;
      throw unavailable(this.refusal, retry_after_s);
    }
  }
}
