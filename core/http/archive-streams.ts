/** Archives written while they are sent: a few at a time, the others wait. */
import { unavailable } from "../base/errors";
import { Limiter, LimiterRefusal } from "../lib/limiter";
import { pacedPieces } from "../lib/paced-pieces";
import { pullStream } from "./pull-stream";

const limits = { concurrency: 4, per_key: 2, waiting_max: 32, wait_ms_max: 30_000 };
const retry_after_s = 30;

export class ArchiveStreams {
  readonly #limiter = new Limiter(limits);

  /** `refusal`: the sentence for a request when too many are in progress. */
  constructor(private readonly refusal: string) {}

  /**
   * The archive as a response body, once it is the turn of `key`. `bytes` is not read before that,
   * and no faster than it is sent; it is closed when the client disconnects. @throws HttpError 503
   */
  async open(
    key: string,
    bytes: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const leave = await this.#enter(key, signal);
    const pieces = pacedPieces(bytes);
    const next = async (): Promise<Uint8Array | null> => {
      const piece = await pieces.next();
      return piece.done ? null : piece.value;
    };
    const end = (): void => {
      leave();
      signal.removeEventListener("abort", end);
      void pieces.return().catch(() => undefined);
    };
    signal.addEventListener("abort", end, { once: true });
    return pullStream(next, end);
  }

  async #enter(key: string, signal: AbortSignal): Promise<() => void> {
    try {
      return await this.#limiter.enter({ key, signal });
    } catch (error) {
      if (!(error instanceof LimiterRefusal)) throw error;
      throw unavailable(this.refusal, retry_after_s);
    }
  }
}
