/**
 * A worker thread as a function: started at the first request, stopped when idle, replaced when it
 * dies.
 */
import type { Log } from "../../core/sdk";

/** The types of what the two sides post to each other. */
export interface WorkerProtocol {
  /** Sent once, before the first request. */
  readonly setting: unknown;
  readonly request: unknown;
  /** Of a response that comes in parts; `never` for any other. */
  readonly part: unknown;
  readonly response: unknown;
}
export type ToWorker<P extends WorkerProtocol> =
  { readonly setting: P["setting"] } | { readonly id: number; readonly request: P["request"] };
export type FromWorker<P extends WorkerProtocol> = { readonly id: number } & (
  | { readonly part: P["part"]; readonly part_no: number }
  | { readonly response: P["response"] }
  | { readonly error: string }
);

export interface WorkerOptions<P extends WorkerProtocol> {
  /** The worker's file, from the root of the project: its name inside the executable. */
  readonly path: string;
  /** The address of that file when it runs from source. */
  readonly url: () => string;
  readonly setting: P["setting"];
  /** How long it may do nothing before it is stopped, milliseconds. */
  readonly idle_ms: number;
  readonly log: Log;
}
export interface AskOptions<P extends WorkerProtocol> {
  readonly signal?: AbortSignal | undefined;
  /** Called for each part of the response, in order and once, before it is complete. */
  readonly onPart?: (part: P["part"]) => void;
}
interface Pending<P extends WorkerProtocol> {
  readonly request: P["request"];
  readonly onPart: AskOptions<P>["onPart"];
  /** Parts received. */
  parts: number;
  /** Workers that died while they answered it. */
  deaths: number;
  readonly resolve: (response: P["response"]) => void;
  readonly reject: (error: Error) => void;
}

const deaths_max = 2;

export class WorkerClient<P extends WorkerProtocol> {
  private readonly pending = new Map<number, Pending<P>>();
  /**
   * What this worker has not answered yet, in the order in which it answers; also what nobody waits
   * for any more.
   */
  private sent = new Set<number>();
  private worker: Worker | null = null;
  private idle_timer: ReturnType<typeof setTimeout> | undefined;
  private last_id = 0;
  private stopped = false;

  constructor(private readonly options: WorkerOptions<P>) {}

  /** @throws Error when the worker fails, when it dies twice of this request, or after `stop`. */
  ask(request: P["request"], { signal, onPart }: AskOptions<P> = {}): Promise<P["response"]> {
    if (this.stopped) return Promise.reject(new Error("The server is stopping."));
    if (signal?.aborted) return Promise.reject(reasonOf(signal));
    const id = ++this.last_id,
      { promise, resolve, reject } = Promise.withResolvers<P["response"]>();
    const pending = { request, onPart, parts: 0, deaths: 0, resolve, reject };
    this.pending.set(id, pending);
    this.send(id, pending);
    if (signal === undefined) return promise;
    const abort = () => this.abandon(id, reasonOf(signal));
    signal.addEventListener("abort", abort, { once: true });
    return promise.finally(() => signal.removeEventListener("abort", abort));
  }

  /** Ends the worker and every request. */
  stop(): void {
    this.stopped = true;
    this.end();
    for (const { reject } of this.pending.values()) reject(new Error("The server is stopping."));
    this.pending.clear();
  }

  private send(id: number, { request }: Pending<P>): void {
    clearTimeout(this.idle_timer);
    this.worker ??= this.start();
    this.sent.add(id);
    this.post(this.worker, { id, request });
  }

  private start(): Worker {
    const { path, url, setting } = this.options;
    // Inside the executable, workers are found from the root that it was built from.
    const worker = new Worker(Bun.isStandaloneExecutable ? `./${path}` : url());
    worker.unref();
    this.sent = new Set();
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker<P>>) => {
      if (worker === this.worker) this.receive(data);
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.replace(worker, event.message);
    });
    worker.addEventListener("close", () => this.replace(worker, "it ended"));
    this.post(worker, { setting });
    return worker;
  }

  private post(worker: Worker, message: ToWorker<P>): void {
    worker.postMessage(message, {});
  }

  private receive(message: FromWorker<P>): void {
    const pending = this.pending.get(message.id);
    if ("part" in message) {
      // A request that is sent again gives the same parts again.
      if (pending?.parts !== message.part_no) return;
      pending.parts++;
      pending.onPart?.(message.part);
      return;
    }
    this.sent.delete(message.id);
    this.pending.delete(message.id);
    if (this.pending.size === 0) this.startIdleTimer();
    if ("error" in message) pending?.reject(new Error(message.error));
    else pending?.resolve(message.response);
  }

  /**
   * After a worker died. Requests are answered in turn, so the oldest was in work: it is sent once
   * more, if anybody still waits for it. The others are just sent again.
   */
  private replace(dead: Worker, reason: string): void {
    if (dead !== this.worker) return;
    this.worker = null;
    clearTimeout(this.idle_timer);
    dead.terminate();
    const { log, path } = this.options;
    log.warn("a worker died", { worker: path, reason, waiting: this.pending.size });
    const [oldest = 0] = this.sent,
      in_work = this.pending.get(oldest);
    if (in_work !== undefined && ++in_work.deaths === deaths_max) {
      this.pending.delete(oldest);
      in_work.reject(new Error(`The worker ${path} died: ${reason}`));
    }
    for (const [id, pending] of this.pending) this.send(id, pending);
  }

  /** Nobody waits for this request any more; the worker still answers it. */
  private abandon(id: number, reason: Error): void {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    if (this.pending.size === 0 && this.worker) this.startIdleTimer();
    pending?.reject(reason);
  }

  private startIdleTimer(): void {
    clearTimeout(this.idle_timer);
    this.idle_timer = setTimeout(() => this.end(), this.options.idle_ms);
    this.idle_timer.unref();
  }

  private end(): void {
    clearTimeout(this.idle_timer);
    const { worker } = this;
    this.worker = null;
    worker?.terminate();
  }
}

const reasonOf = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new Error("The work was aborted.");
