/**
 * A worker thread as a function: started when it is first asked, stopped when it is idle, replaced
 * when it dies.
 */
import type { Log } from "../../core/sdk";

/** What the two sides say to each other. `setting` is sent once, before the first question. */
export type ToWorker<S, Q> =
  { readonly setting: S } | { readonly id: number; readonly question: Q };
export type FromWorker<P, A> = { readonly id: number } & (
  { readonly part: P; readonly at: number } | { readonly answer: A } | { readonly error: string }
);

export interface WorkerOptions<S> {
  /**
   * Path of the worker's file from the root of the project, and its address when it runs from
   * source.
   */
  readonly path: string;
  readonly url: () => string;
  readonly setting: S;
  /** How long it may do nothing before it is stopped, milliseconds. */
  readonly idle_ms: number;
  readonly log: Log;
}
export interface AskOptions<P> {
  readonly signal?: AbortSignal | undefined;
  /** Called for each part of the answer, in order and once, before it is complete. */
  readonly onPart?: (part: P) => void;
}
export interface WorkerClient<Q, P, A> {
  /** @throws Error when the worker fails twice, or when it was stopped. */
  ask(question: Q, options?: AskOptions<P>): Promise<A>;
  stop(): void;
}
interface Waiting<Q, P, A> {
  readonly question: Q;
  readonly onPart: ((part: P) => void) | undefined;
  parts: number;
  deaths: number;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: Error) => void;
}

const deaths_max = 2;

export function createWorkerClient<S, Q, P, A>(options: WorkerOptions<S>): WorkerClient<Q, P, A> {
  const waiting = new Map<number, Waiting<Q, P, A>>();
  /**
   * What this worker has not answered yet, in the order in which it works; also what nobody waits
   * for any more.
   */
  let sent = new Set<number>();
  let worker: Worker | null = null,
    idle: ReturnType<typeof setTimeout> | undefined,
    last_id = 0,
    stopped = false;

  function start(): Worker {
    // Inside the executable, workers are found from the root that it was built from.
    const made = new Worker(Bun.isStandaloneExecutable ? `./${options.path}` : options.url());
    made.unref();
    sent = new Set();
    made.addEventListener("message", ({ data }: MessageEvent<FromWorker<P, A>>) => {
      if (made === worker) settle(data);
    });
    made.addEventListener("error", (event) => {
      event.preventDefault();
      died(made, event.message);
    });
    made.addEventListener("close", () => died(made, "it ended"));
    say(made, { setting: options.setting });
    return made;
  }
  const say = (to: Worker, message: ToWorker<S, Q>): void => to.postMessage(message, {});

  function settle(message: FromWorker<P, A>): void {
    const one = waiting.get(message.id);
    if ("part" in message) {
      // A question that is asked again gives the same parts again.
      if (one?.parts === message.at) {
        one.parts++;
        one.onPart?.(message.part);
      }
      return;
    }
    sent.delete(message.id);
    waiting.delete(message.id);
    if (waiting.size === 0) rest();
    if ("error" in message) one?.reject(new Error(message.error));
    else one?.resolve(message.answer);
  }

  /**
   * Questions are answered in turn, so the first was in work: it is asked once more, of a fresh
   * worker, if anybody still waits for it. The others are just asked again.
   */
  function died(dead: Worker, reason: string): void {
    if (dead !== worker) return;
    worker = null;
    clearTimeout(idle);
    dead.terminate();
    options.log.warn("a worker died", { worker: options.path, reason, waiting: waiting.size });
    const [first = 0] = sent,
      in_work = waiting.get(first);
    if (in_work !== undefined && ++in_work.deaths === deaths_max) {
      waiting.delete(first);
      in_work.reject(new Error(`The worker ${options.path} died: ${reason}`));
    }
    for (const [id, one] of waiting) send(id, one);
  }

  function send(id: number, one: Waiting<Q, P, A>): void {
    clearTimeout(idle);
    worker ??= start();
    sent.add(id);
    say(worker, { id, question: one.question });
  }

  function rest(): void {
    clearTimeout(idle);
    idle = setTimeout(end, options.idle_ms);
    idle.unref();
  }
  function end(): void {
    clearTimeout(idle);
    const ended = worker;
    worker = null;
    ended?.terminate();
  }

  return {
    ask(question, { signal, onPart } = {}) {
      if (stopped) return Promise.reject(new Error("The server is stopping."));
      if (signal?.aborted) return Promise.reject(aborted(signal));
      const id = ++last_id;
      return new Promise<A>((resolve, reject) => {
        const stop = () => {
          waiting.delete(id);
          if (waiting.size === 0 && worker) rest();
          reject(aborted(signal!));
        };
        const free = () => signal?.removeEventListener("abort", stop);
        signal?.addEventListener("abort", stop, { once: true });
        const one = {
          question,
          onPart,
          parts: 0,
          deaths: 0,
          resolve: (answer: A) => {
            free();
            resolve(answer);
          },
          reject: (error: Error) => {
            free();
            reject(error);
          },
        };
        waiting.set(id, one);
        send(id, one);
      });
    },
    stop() {
      stopped = true;
      end();
      for (const one of waiting.values()) one.reject(new Error("The server is stopping."));
      waiting.clear();
    },
  };
}

const aborted = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new Error("The work was aborted.");
