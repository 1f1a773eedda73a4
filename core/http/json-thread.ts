/**
 * A thread that parses large JSON bodies, so that other requests don't wait meanwhile. It starts
 * with the first such body and ends after a while without any, which gives its memory back.
 */
import { HttpError, unavailable } from "../base/errors";
import { startThread } from "../base/descriptors";
import { Limiter } from "../lib/limiter";
import { withTimeout } from "../lib/timeout";
import type { LargeBody, LargeValue, Parsed } from "./json-worker";

const idle_ms = 2_000;
/** Even the largest body takes only a fraction of a second. */
const parse_ms_max = 30_000;

/** Parses one body at a time; others wait. */
export class JsonThread {
  private readonly turns = new Limiter({ concurrency: 1 });
  private worker: Worker | null = null;
  private idle_timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Like `parseJson`, for bytes that nobody else uses: they are transferred. @throws HttpError, and
   * the reason of `signal`.
   */
  parse(body: LargeBody, signal: AbortSignal): Promise<LargeValue> {
    return this.turns.run(
      async () => {
        clearTimeout(this.idle_timer);
        try {
          const parsed = await withTimeout(this.post(body), parse_ms_max, busyError);
          if ("value" in parsed) return parsed;
          const { status, code, detail, errors } = parsed.problem;
          throw new HttpError(status, code, detail, errors ? { errors } : {});
        } catch (error) {
          if (!(error instanceof HttpError) || error.status === 503) this.end();
          throw error;
        } finally {
          this.idle_timer = setTimeout(() => this.end(), idle_ms);
          this.idle_timer.unref();
        }
      },
      { signal },
    );
  }

  private post(body: LargeBody): Promise<Parsed> {
    this.worker ??= this.start();
    const worker = this.worker;
    const { promise, resolve, reject } = Promise.withResolvers<Parsed>();
    const listeners = new AbortController();
    const { signal } = listeners;
    worker.addEventListener("message", ({ data }: MessageEvent<Parsed>) => resolve(data), {
      signal,
    });
    worker.addEventListener(
      "error",
      (event) => {
        event.preventDefault();
        reject(new Error(`A large body could not be read: ${event.message}`));
      },
      { signal },
    );
    worker.postMessage(body, [body.bytes.buffer as ArrayBuffer]);
    return promise.finally(() => listeners.abort());
  }

  private start(): Worker {
    // Inside the executable, workers are found relative to the root of the build.
    const url = Bun.isStandaloneExecutable
      ? "./core/http/json-worker.ts"
      : new URL("./json-worker.ts", import.meta.url).href;
    const worker = startThread(() => new Worker(url));
    worker.unref();
    return worker;
  }

  private end(): void {
    clearTimeout(this.idle_timer);
    this.worker?.terminate();
    this.worker = null;
  }
}

const busyError = () => unavailable("The server is too busy to read a body of this size.", 5);
