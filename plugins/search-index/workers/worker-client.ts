/**
 * A worker thread as a function: started with the first request, stopped when idle, replaced when
 * it dies or hangs. `worker-server.ts` decides who takes turns in it.
 */
import { HttpError, startThread, type Log } from "../../../core/sdk";
import {
  control_bytes,
  in_work,
  sent,
  slices,
  type FromWorker,
  type NumberedPart,
  type ToWorker,
  type WorkerError,
  type WorkerProtocol,
} from "./worker-protocol";

/** Which worker, and its limits. */
export interface WorkerOptions<P extends WorkerProtocol> {
  /** The worker's file relative to the root of the project: its name inside the executable. */
  readonly path: string;
  /** The URL of that file when running from source. */
  readonly url: () => string;
  readonly setting: P["setting"];
  /** How long it may be idle before it is stopped, milliseconds. */
  readonly idle_ms: number;
  /** How long it may work without yielding before it is replaced. Default: 60 s. */
  readonly hang_ms?: number;
  /**
   * Requests that take much memory: few of them are sent at once, of different owners if possible.
   */
  readonly isLarge?: (request: P["request"]) => boolean;
  readonly log: Log;
}
/** Who asks, and what becomes of the parts of the response. */
export interface AskOptions<P extends WorkerProtocol> {
  /** The requesting user: owners take turns. */
  readonly owner: string;
  /** Runs only when nobody else has a request. Default: no. */
  readonly background?: boolean;
  /** Ends the work too. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called for each part of the response, in order and once, before it is complete. When it returns
   * a promise, the worker makes few parts more until that has settled.
   */
  readonly onPart?: (part: P["part"]) => unknown;
}
interface Pending<P extends WorkerProtocol> {
  readonly request: P["request"];
  readonly owner: string;
  readonly background: boolean;
  readonly large: boolean;
  readonly onPart: AskOptions<P>["onPart"];
  /** Whether the current worker has received it. */
  sent: boolean;
  /** Parts received. */
  parts: number;
  /** Workers that died while they handled it. */
  deaths: number;
  readonly resolve: (response: P["response"]) => void;
  readonly reject: (error: Error) => void;
}

const deaths_max = 2;
const large_max = 2;
const hang_ms_default = 60_000;
const close_ms_max = 1_000;

/** Sends requests to the worker, and starts it when needed. */
export class WorkerClient<P extends WorkerProtocol> {
  private readonly pending = new Map<number, Pending<P>>();
  private worker: Worker | null = null;
  private control = new Int32Array(new SharedArrayBuffer(control_bytes));
  private idle_timer: ReturnType<typeof setTimeout> | undefined;
  private hang_timer: ReturnType<typeof setInterval> | undefined;
  private last_id = 0;
  private stopped = false;
  /** Why it died; null once another one has responded. */
  private died_of: string | null = null;

  constructor(private readonly options: WorkerOptions<P>) {}

  /**
   * @throws Error when the worker fails, when it dies twice because of this request, or after
   * `stop`.
   */
  ask(
    request: P["request"],
    { owner, background = false, signal, onPart }: AskOptions<P>,
  ): Promise<P["response"]> {
    if (this.stopped) return Promise.reject(new Error("The server is stopping."));
    if (signal?.aborted) return Promise.reject(reasonOf(signal));
    try {
      this.makeReady();
    } catch (error) {
      return Promise.reject(error);
    }
    const id = ++this.last_id;
    const { promise, resolve, reject } = Promise.withResolvers<P["response"]>();
    this.pending.set(id, {
      request,
      owner,
      background,
      large: this.options.isLarge?.(request) ?? false,
      onPart,
      sent: false,
      parts: 0,
      deaths: 0,
      resolve,
      reject,
    });
    this.sendReady(id);
    if (signal === undefined) return promise;
    const abort = () => this.abandon(id, reasonOf(signal));
    signal.addEventListener("abort", abort, { once: true });
    return promise.finally(() => signal.removeEventListener("abort", abort));
  }

  /** Why there are no responses: the last worker died, and no other has responded since. */
  failure(): string | null {
    return this.died_of === null
      ? null
      : `The worker ${this.options.path} crashed: ${this.died_of}.`;
  }

  /**
   * Ends the worker and every request. Resolves once everything that the worker has open is closed.
   */
  async stop(): Promise<void> {
    this.stopped = true;
    const { worker } = this;
    const closed = Promise.withResolvers<void>();
    worker?.addEventListener("close", () => closed.resolve(), { once: true });
    this.end();
    for (const { reject } of this.pending.values()) reject(new Error("The server is stopping."));
    this.pending.clear();
    if (worker !== null) await Promise.race([closed.promise, Bun.sleep(close_ms_max)]);
  }

  /** Sends this request, or another large one whose turn it is. */
  private sendReady(id: number): void {
    const pending = this.pending.get(id);
    if (pending !== undefined && !pending.large) this.send(id, pending);
    else this.sendLarge();
  }

  private sendLarge(): void {
    const large = [...this.pending].filter(([, pending]) => pending.large);
    const sent = large.filter(([, pending]) => pending.sent);
    if (sent.length >= large_max) return;
    const owners = new Set(sent.map(([, { owner }]) => owner));
    const waiting = large.filter(([, pending]) => !pending.sent);
    const next = waiting.find(([, { owner }]) => !owners.has(owner)) ?? waiting[0];
    if (next === undefined) return;
    this.send(...next);
    this.sendLarge();
  }

  private send(id: number, pending: Pending<P>): void {
    const { owner, background, request } = pending;
    pending.sent = true;
    Atomics.add(this.control, sent, 1);
    this.post(this.worker!, { id, owner, background, request });
  }

  /** Starts the worker unless it runs. @throws Error when the process has too many files open */
  private makeReady(): void {
    clearTimeout(this.idle_timer);
    if (this.worker !== null) return;
    this.worker = this.start();
  }

  private start(): Worker {
    const { path, url, setting } = this.options;
    // Inside the executable, workers are found relative to the root of the build.
    const worker = startThread(() => new Worker(Bun.isStandaloneExecutable ? `./${path}` : url()));
    worker.unref();
    const control = new SharedArrayBuffer(control_bytes);
    this.control = new Int32Array(control);
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker<P>>) => {
      if (worker === this.worker) this.receive(data);
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.replace(worker, event.message);
    });
    worker.addEventListener("close", () => this.replace(worker, "it ended"));
    this.post(worker, { setting, control });
    this.watch(worker);
    return worker;
  }

  private post(worker: Worker, message: ToWorker<P>): void {
    worker.postMessage(message, {});
  }

  private receive(message: FromWorker<P>): void {
    const pending = this.pending.get(message.id);
    if (pending === undefined) return;
    if ("part" in message) {
      void this.take(pending, message);
      return;
    }
    if ("response" in message && message.last !== null) void takePart(pending, message.last);
    this.died_of = null;
    this.forget(message.id);
    if ("error" in message) pending.reject(receivedError(message.error));
    else pending.resolve(message.response);
  }

  /** The worker learns when the part was taken. */
  private async take(
    pending: Pending<P>,
    message: NumberedPart<P> & { readonly id: number },
  ): Promise<void> {
    const { worker } = this;
    const { id, part_no } = message;
    await takePart(pending, message);
    if (worker !== null && worker === this.worker && this.pending.has(id))
      this.post(worker, { taken: id, parts: part_no + 1 });
  }

  /**
   * After a worker died. The request that was running is sent once more, if anybody still waits for
   * it. The others are just sent again.
   */
  private replace(dead: Worker, reason: string): void {
    if (dead !== this.worker) return;
    this.end();
    this.died_of = reason;
    const { log, path } = this.options;
    log.warn("a worker crashed", { worker: path, reason, waiting: this.pending.size });
    const culprit = Atomics.load(this.control, in_work) || this.oldestSent();
    const blamed = this.pending.get(culprit);
    if (blamed !== undefined && ++blamed.deaths === deaths_max) {
      this.pending.delete(culprit);
      blamed.reject(new Error(`The worker ${path} crashed: ${reason}`));
    }
    if (this.pending.size === 0) return;
    try {
      this.makeReady();
    } catch (error) {
      for (const { reject } of this.pending.values()) reject(error as Error);
      this.pending.clear();
      return;
    }
    for (const pending of this.pending.values()) pending.sent = false;
    for (const id of this.pending.keys()) this.sendReady(id);
  }

  /** It is blamed when a worker dies before it has started any request. */
  private oldestSent(): number {
    return [...this.pending].find(([, { sent }]) => sent)?.[0] ?? 0;
  }

  /** Nobody waits for this request any more. */
  private abandon(id: number, reason: Error): void {
    const pending = this.pending.get(id);
    if (pending === undefined) return;
    if (pending.sent && this.worker !== null) this.post(this.worker, { cancel: id });
    this.forget(id);
    pending.reject(reason);
  }

  private forget(id: number): void {
    const { large } = this.pending.get(id)!;
    this.pending.delete(id);
    if (large) this.sendLarge();
    if (this.pending.size === 0 && this.worker !== null) this.startIdleTimer();
  }

  /** Replaces a worker that works on one request without ever yielding. */
  private watch(worker: Worker): void {
    const { hang_ms = hang_ms_default } = this.options;
    let last = 0;
    clearInterval(this.hang_timer);
    this.hang_timer = setInterval(() => {
      const now = Atomics.load(this.control, slices);
      if (Atomics.load(this.control, in_work) !== 0 && now === last)
        this.replace(worker, `it did not give way for ${hang_ms / 1_000} s`);
      last = now;
    }, hang_ms);
    this.hang_timer.unref();
  }

  private startIdleTimer(): void {
    clearTimeout(this.idle_timer);
    this.idle_timer = setTimeout(() => this.end(), this.options.idle_ms);
    this.idle_timer.unref();
  }

  private end(): void {
    clearTimeout(this.idle_timer);
    clearInterval(this.hang_timer);
    const { worker } = this;
    this.worker = null;
    worker?.terminate();
  }
}

/**
 * A request that is sent again produces the same parts again. Resolves when `onPart` has taken the
 * part; its errors are handled by the caller of `ask`.
 */
async function takePart<P extends WorkerProtocol>(
  pending: Pending<P>,
  { part, part_no }: NumberedPart<P>,
): Promise<void> {
  if (pending.parts !== part_no) return;
  pending.parts++;
  try {
    await pending.onPart?.(part);
  } catch {}
}

const reasonOf = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new Error("The work was aborted.");

function receivedError({ message, answer, cause }: WorkerError): Error {
  if (answer === undefined) return new Error(message);
  const error = new HttpError(answer.status, answer.code, message, { headers: answer.headers });
  if (cause !== undefined) error.cause = Object.assign(new Error(cause.message), cause);
  return error;
}
