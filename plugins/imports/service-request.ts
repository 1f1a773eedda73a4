/**
 * Requests of a source to a service, such as a WebDAV server: any response is accepted, within the
 * limits of imports.
 */
import { limitInWords } from "../../core/lib/byte-sizes";
import { TimeLimit } from "../../core/lib/timeout";
import { SourceFailure, type SourceAnswer } from "./contract";
import { bodyOf } from "./response-body";

/** Limits of one request. */
export interface ServiceLimits {
  /** For the response, both compressed and decompressed. */
  readonly bytes_max: number;
  /** From the request to the last byte. */
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
}

/** `toFailure` describes errors in words. @throws SourceFailure, the reason of the signal */
export async function askService(
  request: (signal: AbortSignal) => Promise<Response>,
  toFailure: (error: unknown) => Error,
  { bytes_max, timeout_ms, signal }: ServiceLimits,
): Promise<SourceAnswer> {
  const late = new SourceFailure(
    `The request took longer than ${timeout_ms / 1_000} s and was stopped.`,
    "timeout",
  );
  const limit = new TimeLimit(timeout_ms, { signal, reason: () => late });
  const failureOf = (error: unknown): unknown => {
    limit.clear();
    signal.throwIfAborted();
    return limit.signal.aborted ? late : toFailure(error);
  };
  try {
    const response = await limit.race(request(limit.signal));
    return new ServiceAnswer(response, limit, bytes_max, failureOf);
  } catch (error) {
    throw failureOf(error);
  }
}

class ServiceAnswer implements SourceAnswer {
  constructor(
    private readonly response: Response,
    private readonly limit: TimeLimit,
    private readonly bytes_max: number,
    private readonly failureOf: (error: unknown) => unknown,
  ) {}

  get status(): number {
    return this.response.status;
  }
  get headers(): Headers {
    return this.response.headers;
  }

  async *bytes(bytes_max = this.bytes_max): AsyncGenerator<Uint8Array> {
    const { response, limit } = this;
    let length = 0;
    try {
      for await (const piece of bodyOf(response, { bytes_max, signal: limit.signal })) {
        // Decompressed data is longer than what was received.
        length += piece.byteLength;
        if (length > bytes_max)
          throw new SourceFailure(
            `The response is larger than the limit of ${limitInWords(bytes_max)}.`,
            "too_large",
          );
        yield piece;
      }
    } catch (error) {
      throw this.failureOf(error);
    } finally {
      limit.clear();
    }
  }

  async text(bytes_max = this.bytes_max): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.bytes(bytes_max)) pieces.push(piece);
    return new TextDecoder().decode(Buffer.concat(pieces));
  }

  async release(): Promise<void> {
    this.limit.clear();
    if (!this.response.bodyUsed) await this.response.body?.cancel().catch(() => undefined);
  }
}
