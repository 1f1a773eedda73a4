/** A worker thread as a function: started when it is first asked, stopped when it is idle, replaced when it dies. */
import type { Log } from "../../core/sdk";

/** What the two sides say to each other. `setting` is sent once, before the first question. */
export type ToWorker<S, Q> = { readonly setting: S } | { readonly id: number; readonly question: Q };
export type FromWorker<A> = { readonly id: number; readonly answer: A } | { readonly id: number; readonly error: string };

export interface WorkerOptions<S> {
  /** Path of the worker's file from the root of the project, and its address when it runs from source. */
  readonly path: string;
  readonly url: () => string;
  readonly setting: S;
  /** How long it may do nothing before it is stopped, milliseconds. */
  readonly idle_ms: number;
  readonly log: Log;
}
export interface WorkerClient<Q, A> {
  /** @throws Error when the worker fails twice, or when it was stopped. */
  ask(question: Q, signal?: AbortSignal): Promise<A>;
  stop(): void;
}
interface Waiting<Q, A> { readonly question: Q; starts: number; readonly resolve: (answer: A) => void; readonly reject: (error: Error) => void }

const starts_max = 2;

export function createWorkerClient<S, Q, A>(options: WorkerOptions<S>): WorkerClient<Q, A> {
  const waiting = new Map<number, Waiting<Q, A>>();
  let worker: Worker | null = null, idle: ReturnType<typeof setTimeout> | undefined, last_id = 0, stopped = false;

  function start(): Worker {
    // Inside the executable, workers are found from the root that it was built from.
    const made = new Worker(Bun.isStandaloneExecutable ? `./${options.path}` : options.url());
    made.unref();
    made.addEventListener("message", ({ data }: MessageEvent<FromWorker<A>>) => { if (made === worker) settle(data); });
    made.addEventListener("error", (event) => { event.preventDefault(); died(made, event.message); });
    made.addEventListener("close", () => died(made, "it ended"));
    say(made, { setting: options.setting });
    return made;
  }
  const say = (to: Worker, message: ToWorker<S, Q>): void => to.postMessage(message, {});

  function settle(message: FromWorker<A>): void {
    const one = waiting.get(message.id);
    waiting.delete(message.id);
    if (waiting.size === 0) rest();
    if ("error" in message) one?.reject(new Error(message.error));
    else one?.resolve(message.answer);
  }

  /** A question that was in work when its worker died is asked once more, of a fresh one. */
  function died(dead: Worker, reason: string): void {
    if (dead !== worker) return;
    worker = null;
    clearTimeout(idle);
    dead.terminate();
    options.log.warn("a worker died", { worker: options.path, reason, waiting: waiting.size });
    for (const [id, one] of [...waiting]) {
      if (one.starts < starts_max && !stopped) continue;
      waiting.delete(id);
      one.reject(new Error(`The worker ${options.path} died: ${reason}`));
    }
    for (const [id, one] of waiting) send(id, one);
  }

  function send(id: number, one: Waiting<Q, A>): void {
    clearTimeout(idle);
    one.starts++;
    worker ??= start();
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
    ask(question, signal) {
      if (stopped) return Promise.reject(new Error("The server is stopping."));
      if (signal?.aborted) return Promise.reject(aborted(signal));
      const id = ++last_id;
      return new Promise<A>((resolve, reject) => {
        const stop = () => { waiting.delete(id); if (waiting.size === 0 && worker) rest(); reject(aborted(signal!)); };
        const free = () => signal?.removeEventListener("abort", stop);
        signal?.addEventListener("abort", stop, { once: true });
        const one = { question, starts: 0, resolve: (answer: A) => { free(); resolve(answer); }, reject: (error: Error) => { free(); reject(error); } };
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

const aborted = (signal: AbortSignal): Error => signal.reason instanceof Error ? signal.reason : new Error("The work was aborted.");
