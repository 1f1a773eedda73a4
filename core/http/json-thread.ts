/**
 * A thread that makes JSON of large bodies, so that nobody waits meanwhile. It is started by the
 * first of them, and ends when there was none for a while, which gives its memory back.
 */
import { HttpError, unavailable } from "../base/errors";
import { Limiter } from "../lib/limiter";
import { withTimeout } from "../lib/timeout";
import type { LargeBody, LargeValue, Parsed } from "./json-worker";

const idle_ms = 2_000;
/** What the largest body takes is a fraction of a second. */
const parse_ms_max = 30_000;

export class JsonThread {
  readonly #turns = new Limiter({ concurrency: 1 });
  #worker: Worker | null = null;
  #idle_timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * As `parseJson`, of bytes that nobody else uses: they are gone afterwards. @throws HttpError,
   * and the reason of `signal`.
   */
  parse(body: LargeBody, signal: AbortSignal): Promise<LargeValue> {
    return this.#turns.run(
      async () => {
        clearTimeout(this.#idle_timer);
        try {
          const parsed = await withTimeout(this.#ask(body), parse_ms_max, tooBusy);
          if ("value" in parsed) return parsed;
          const { status, code, detail, errors } = parsed.problem;
          throw new HttpError(status, code, detail, errors ? { errors } : {});
        } catch (error) {
          if (!(error instanceof HttpError) || error.status === 503) this.#end();
          throw error;
        } finally {
          this.#idle_timer = setTimeout(() => this.#end(), idle_ms);
          this.#idle_timer.unref();
        }
      },
      { signal },
    );
  }

  #ask(body: LargeBody): Promise<Parsed> {
    const worker = (this.#worker ??= this.#start());
    const { promise, resolve, reject } = Promise.withResolvers<Parsed>();
    const heard = new AbortController();
    const { signal } = heard;
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
    return promise.finally(() => heard.abort());
  }

  #start(): Worker {
    // Inside the executable, workers are found from the root that it was built from.
    const url = Bun.isStandaloneExecutable
      ? "./core/http/json-worker.ts"
      : new URL("./json-worker.ts", import.meta.url).href;
    const worker = new Worker(url);
    worker.unref();
    return worker;
  }

  #end(): void {
    clearTimeout(this.#idle_timer);
    this.#worker?.terminate();
    this.#worker = null;
  }
}

const tooBusy = () => unavailable("The server is too busy to read a body of this size.", 5);
