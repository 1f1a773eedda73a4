/**
 * The inside of a worker: owners take turns, a long request yields every few milliseconds, waits
 * while its parts are not taken, and ends when nobody waits for it any more.
 */
import { messageOf } from "../../../core/lib/error-message";
import { HttpError, translateError } from "../../../core/worker-sdk";
import { Turns, type TakesTurns } from "./turns";
import {
  in_work,
  sent,
  slices,
  type FromWorker,
  type NumberedPart,
  type Pauses,
  type ToWorker,
  type WorkerError,
  type WorkerProtocol,
} from "./worker-protocol";

declare const self: Worker;

/** How long a request may work: less when another one has been sent meanwhile. */
const slice_ms = { max: 4, min: 1 };
/** The maximum number of parts sent and not taken yet: they are in memory. */
const untaken_max = 4;

/** A request while it is handled. */
export interface Run<P extends WorkerProtocol> extends Pauses {
  /**
   * Sends a part of the response ahead of its end, or the last one with it, and transfers the
   * buffers in `transfer`.
   */
  sendPart(part: P["part"], transfer?: ArrayBuffer[]): void;
}
/** Answers one request, with parts if its response is long. */
export type RequestHandler<P extends WorkerProtocol> = (
  request: P["request"],
  run: Run<P>,
) => P["response"] | Promise<P["response"]>;

/**
 * `open` gets the setting and returns the handler. An error becomes a message: it never ends the
 * worker.
 */
export function serveWorker<P extends WorkerProtocol>(
  open: (setting: P["setting"]) => RequestHandler<P>,
): void {
  let scheduler: Scheduler<P>;
  self.addEventListener("message", ({ data }: MessageEvent<ToWorker<P>>) => {
    if ("setting" in data) {
      // Opened with the first request, so that a failure is its response.
      let handler: RequestHandler<P> = (request, run) =>
        (handler = open(data.setting))(request, run);
      scheduler = new Scheduler((request, run) => handler(request, run), data.control);
    } else if ("cancel" in data) scheduler.cancel(data.cancel);
    else if ("taken" in data) scheduler.noteTaken(data.taken, data.parts);
    else scheduler.add(data);
  });
}

type RequestMessage<P extends WorkerProtocol> = Extract<ToWorker<P>, { readonly id: number }>;

class Scheduler<P extends WorkerProtocol> {
  private readonly turns = new Turns<RequestRun<P>>();
  private readonly runs = new Map<number, RequestRun<P>>();
  /** Requests that wait until their parts are taken. */
  private readonly ahead = new Set<RequestRun<P>>();
  private readonly control: Int32Array;
  private received = 0;
  private working = false;

  constructor(
    private readonly handler: RequestHandler<P>,
    control: SharedArrayBuffer,
  ) {
    this.control = new Int32Array(control);
  }

  add(message: RequestMessage<P>): void {
    this.received++;
    const run = new RequestRun(message, this.handler, this.areMoreSent);
    this.runs.set(message.id, run);
    this.turns.add(run);
    if (!this.working) void this.work();
  }

  /** The message of a request is still on its way: this thread reads it between two slices. */
  private readonly areMoreSent = (): boolean => Atomics.load(this.control, sent) !== this.received;

  cancel(id: number): void {
    const run = this.runs.get(id);
    if (run === undefined) return;
    run.cancelled = true;
    if (run.begun) return this.resume(run);
    this.turns.remove(run);
    this.runs.delete(id);
  }

  noteTaken(id: number, parts: number): void {
    const run = this.runs.get(id);
    if (run === undefined) return;
    run.taken = Math.max(run.taken, parts);
    if (!run.is_ahead) this.resume(run);
  }

  private resume(run: RequestRun<P>): void {
    if (!this.ahead.delete(run)) return;
    this.turns.giveWay(run);
    if (!this.working) void this.work();
  }

  private async work(): Promise<void> {
    this.working = true;
    for (let run = this.turns.next(); run !== undefined; run = this.turns.next()) {
      // Tells the client which request ends the worker, and whether the worker hangs.
      Atomics.store(this.control, in_work, run.message.id);
      Atomics.add(this.control, slices, 1);
      const ended = await run.slice();
      Atomics.store(this.control, in_work, 0);
      if (ended) {
        this.runs.delete(run.message.id);
        this.turns.end(run);
      } else if (run.is_ahead && !run.cancelled) this.ahead.add(run);
      else this.turns.giveWay(run);
      // Lets messages in: further requests, and cancellations.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    this.working = false;
  }
}

class RequestRun<P extends WorkerProtocol> implements Run<P>, TakesTurns {
  readonly owner: string;
  readonly background: boolean;
  begun = false;
  cancelled = false;
  taken = 0;
  private parts = 0;
  /** The last part: it is sent with the next message. */
  private unsent: { readonly part: NumberedPart<P>; readonly transfer: ArrayBuffer[] } | null =
    null;
  private slice_began_ms = 0;
  /** For this slice: resolves with whether the request has ended. */
  private sliced = Promise.withResolvers<boolean>();
  private resumed = Promise.withResolvers<void>();

  constructor(
    readonly message: RequestMessage<P>,
    private readonly handler: RequestHandler<P>,
    private readonly areMoreSent: () => boolean,
  ) {
    this.owner = message.owner;
    this.background = message.background;
  }

  /** Works until it yields or ends, and returns whether it has ended. */
  slice(): Promise<boolean> {
    this.sliced = Promise.withResolvers();
    this.slice_began_ms = performance.now();
    if (this.begun) this.resumed.resolve();
    else void this.answer();
    return this.sliced.promise;
  }

  sendPart(part: P["part"], transfer: ArrayBuffer[] = []): void {
    this.sendUnsent();
    this.unsent = { part: { part, part_no: this.parts++ }, transfer };
  }
  private sendUnsent(): void {
    const { unsent } = this;
    this.unsent = null;
    if (unsent !== null) this.send({ id: this.message.id, ...unsent.part }, unsent.transfer);
  }
  get is_ahead(): boolean {
    return this.parts - this.taken > untaken_max;
  }
  get due(): boolean {
    if (this.is_ahead) return true;
    const worked_ms = performance.now() - this.slice_began_ms;
    return worked_ms >= (this.areMoreSent() ? slice_ms.min : slice_ms.max);
  }
  async pause(): Promise<void> {
    this.sendUnsent();
    this.resumed = Promise.withResolvers();
    this.sliced.resolve(false);
    await this.resumed.promise;
    if (this.cancelled) throw new Error("Nobody waits for this any more.");
  }

  private async answer(): Promise<void> {
    const { id, request } = this.message;
    this.begun = true;
    try {
      const response = await this.handler(request, this);
      const last = this.unsent?.part ?? null;
      if (!this.cancelled) this.send({ id, response, last }, this.unsent?.transfer);
    } catch (error) {
      this.sendUnsent();
      if (!this.cancelled) this.send({ id, error: errorToSend(error) });
    }
    this.sliced.resolve(true);
  }

  private send(message: FromWorker<P>, transfer: ArrayBuffer[] = []): void {
    self.postMessage(message, { transfer });
  }
}

const toCause = (cause: unknown): WorkerError["cause"] => {
  if (!(cause instanceof Error)) return undefined;
  const { message, code, errno } = cause as NodeJS.ErrnoException;
  return { message, code, errno };
};

/** The database may be unreachable, or fail: then the request gets the usual response for that. */
function errorToSend(thrown: unknown): WorkerError {
  const error = translateError(thrown);
  if (error instanceof HttpError) {
    const { detail: message, status, code, headers, cause } = error;
    return { message, answer: { status, code, headers }, cause: toCause(cause) };
  }
  return { message: messageOf(error) };
}
