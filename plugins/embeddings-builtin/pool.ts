/**
 * The pool of encoder workers: they start with the first text and stop after an idle time. Queries
 * have priority over passages, and short ones over long ones, also within a worker; owners take
 * turns.
 */
import type { Log } from "../../core/sdk";
import type { EmbedOptions } from "../search-index/contract";
import {
  laneOf,
  lanes,
  priorities,
  priorityOf,
  type FromEncoderWorker,
  type Kind,
  type Lane,
  type PooledModel,
  type Priority,
  type ToEncoderWorker,
} from "./worker-protocol";

/** The model and the workers. */
export interface EncoderPoolOptions {
  readonly threads: number;
  readonly model: PooledModel;
  /**
   * Puts the model's file in place. `problem` follows its name. Returns the model itself if no file
   * can be written. @throws Error if the model is unavailable.
   */
  readonly repairModel: (problem: string) => Promise<SharedArrayBuffer | null>;
  readonly idle_ms: number;
  readonly log: Log;
  readonly startWorker: () => Worker;
}
interface Text {
  readonly id: number;
  readonly kind: Kind;
  readonly owner: string;
  readonly text: string;
  /** How many workers have died of it. */
  deaths: number;
  readonly resolve: (vectors: readonly Float32Array[], tokens: Float32Array | undefined) => void;
  readonly reject: (error: Error) => void;
}
interface PooledWorker {
  readonly worker: Worker;
  is_open: boolean;
  /** The model's file was restored for this worker. */
  is_repaired: boolean;
  /** The texts it is working on. */
  readonly in_work: Record<Priority, Text | null>;
}

const isFree = ({ in_work }: PooledWorker): boolean => !in_work.urgent && !in_work.background;
interface PoolOptions {
  readonly kind: Kind;
  readonly owner: string;
  readonly signal: AbortSignal;
  /** Called with the vectors of each text as soon as they are ready. */
  readonly onVectors?: EmbedOptions["onVectors"];
}

/** A text that kills this many workers counts as the cause. */
const deaths_max = 2;

/** Distributes texts to workers. */
export class EncoderPool {
  private readonly waiting: Record<Lane, OwnerQueues> = {
    query: new OwnerQueues(),
    sentence: new OwnerQueues(),
    long: new OwnerQueues(),
    document: new OwnerQueues(),
  };
  private workers: PooledWorker[] = [];
  private last_id = 0;
  /** The file was checked against its hash since this process started. */
  private is_verified = false;
  private shared: SharedArrayBuffer | null = null;
  private idle_timer: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;

  constructor(private readonly options: EncoderPoolOptions) {}

  /**
   * The vectors of each text. @throws Error when the model can't be used, or workers die of a text.
   */
  async embed(
    texts: readonly string[],
    { kind, owner, signal, onVectors }: PoolOptions,
  ): Promise<(readonly Float32Array[])[]> {
    if (this.stopped) throw new Error("the server is stopping");
    signal.throwIfAborted();
    const call_texts: Text[] = [];
    const vectors = texts.map((text) => {
      const {
        promise,
        resolve: resolveVectors,
        reject,
      } = Promise.withResolvers<readonly Float32Array[]>();
      const resolve: Text["resolve"] = (vectors, tokens) => {
        resolveVectors(vectors);
        onVectors?.(text, vectors, tokens);
      };
      call_texts.push({ id: ++this.last_id, kind, owner, text, deaths: 0, resolve, reject });
      return promise;
    });
    const abandon = () => {
      for (const text of call_texts) this.abandon(text, reasonOf(signal));
    };
    signal.addEventListener("abort", abandon, { once: true });
    for (const text of call_texts) this.waiting[laneOf(text)].add(text);
    this.assign();
    try {
      return await Promise.all(vectors);
    } catch (error) {
      // The other texts of the call are useless without it.
      for (const text of call_texts) this.abandon(text, error as Error);
      throw error;
    } finally {
      signal.removeEventListener("abort", abandon);
    }
  }

  /** The number of workers. */
  get size(): number {
    return this.workers.length;
  }

  /** Stops the workers; what waits is rejected. */
  stop(): void {
    this.stopped = true;
    this.fail(new Error("the server is stopping"));
    this.end();
  }

  /** Assigns queued texts as far as there are workers. */
  private assign(): void {
    clearTimeout(this.idle_timer);
    for (const lane of lanes) {
      const priority = priorityOf(lane);
      while (this.waiting[lane].size > 0) {
        const pooled = this.workerFor(priority);
        if (pooled === undefined) break;
        const text = this.waiting[lane].shift()!;
        pooled.in_work[priority] = text;
        post(pooled.worker, { id: text.id, kind: text.kind, text: text.text });
      }
    }
    const is_idle = this.workers.every((pooled) => pooled.is_open && isFree(pooled));
    if (this.workers.length === 0 || !is_idle) return;
    this.idle_timer = setTimeout(() => this.end(), this.options.idle_ms);
    this.idle_timer.unref();
  }

  /**
   * An idle worker; otherwise urgent work goes to one that encodes a passage, which pauses
   * meanwhile. Work without a worker starts another one; the first worker opens the model before a
   * second is started.
   */
  private workerFor(priority: Priority): PooledWorker | undefined {
    const open = this.workers.filter(({ is_open }) => is_open);
    const idle = open.find(isFree);
    if (idle !== undefined) return idle;
    const free = priority === "urgent" ? open.find(({ in_work }) => !in_work.urgent) : undefined;
    const is_opening = open.length < this.workers.length;
    if (free === undefined && !is_opening && this.workers.length < this.options.threads)
      this.start();
    return free;
  }

  private start(): void {
    const worker = this.startWorker();
    if (worker === null) return;
    const pooled: PooledWorker = {
      worker,
      is_open: false,
      is_repaired: false,
      in_work: { urgent: null, background: null },
    };
    worker.unref();
    this.workers.push(pooled);
    worker.addEventListener("message", ({ data }: MessageEvent<FromEncoderWorker>) => {
      if (this.workers.includes(pooled)) this.receive(pooled, data);
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.takeOver(pooled, event.message);
    });
    worker.addEventListener("close", () => this.takeOver(pooled, "it ended"));
    this.open(pooled);
  }

  /** When none can be started, the texts wait for those that run, or fail. */
  private startWorker(): Worker | null {
    try {
      return this.options.startWorker();
    } catch (error) {
      if (this.workers.length === 0) this.fail(error as Error);
      return null;
    }
  }

  private open({ worker }: PooledWorker): void {
    const { is_verified, shared } = this;
    post(worker, { open: { ...this.options.model, with_hash: !is_verified, shared } });
  }

  /** Once per worker: if the restored file is damaged as well, there is no remedy. */
  private async repair(pooled: PooledWorker, problem: string): Promise<void> {
    const { repairModel, model } = this.options;
    try {
      if (pooled.is_repaired) throw new Error(`The model ${model.path} ${problem}.`);
      pooled.is_repaired = true;
      this.is_verified = false;
      this.shared = await repairModel(problem);
      if (this.workers.includes(pooled)) this.open(pooled);
    } catch (error) {
      this.remove(pooled);
      this.fail(error as Error);
    }
  }

  private receive(pooled: PooledWorker, message: FromEncoderWorker): void {
    if ("opened" in message) {
      pooled.is_open = true;
      this.is_verified = true;
    } else if ("problem" in message) {
      void this.repair(pooled, message.problem);
    } else if ("failed" in message) {
      this.remove(pooled);
      this.fail(new Error(message.failed));
    } else {
      for (const priority of priorities) {
        const text = pooled.in_work[priority];
        if (text?.id !== message.id) continue;
        pooled.in_work[priority] = null;
        if ("vectors" in message) text.resolve(message.vectors, message.tokens);
        else text.reject(new Error(message.error));
      }
    }
    this.assign();
  }

  /** After a worker has died, its texts are reassigned, unless one has killed workers before. */
  private takeOver(pooled: PooledWorker, reason: string): void {
    if (!this.workers.includes(pooled)) return;
    this.remove(pooled);
    this.options.log.warn("an encoder worker crashed", { reason });
    // It died before it had opened the model; the next one would, too.
    if (!pooled.is_open && this.workers.length === 0)
      this.fail(new Error(`the encoder does not start: ${reason}`));
    for (const text of Object.values(pooled.in_work)) {
      if (text === null) continue;
      if (++text.deaths === deaths_max)
        text.reject(new Error(`the encoder crashed on a text: ${reason}`));
      else this.waiting[laneOf(text)].addFirst(text);
    }
    this.assign();
  }

  private abandon(text: Text, reason: Error): void {
    const lane = laneOf(text);
    this.waiting[lane].remove(text);
    const pooled = this.workers.find(({ in_work }) => in_work[priorityOf(lane)] === text);
    // The worker has replied and is free again.
    if (pooled !== undefined) post(pooled.worker, { cancel: text.id });
    text.reject(reason);
  }

  private fail(error: Error): void {
    for (const queues of Object.values(this.waiting))
      for (let text = queues.shift(); text !== undefined; text = queues.shift()) text.reject(error);
    for (const { in_work } of this.workers)
      for (const text of Object.values(in_work)) text?.reject(error);
  }

  private remove(pooled: PooledWorker): void {
    this.workers = this.workers.filter((other) => other !== pooled);
    pooled.worker.terminate();
  }

  private end(): void {
    clearTimeout(this.idle_timer);
    for (const pooled of this.workers) this.remove(pooled);
    this.shared = null;
  }
}

/** Queued texts, by owner: owners take turns. */
class OwnerQueues {
  private readonly queues = new Map<string, Text[]>();
  size = 0;

  add(text: Text): void {
    const queue = this.queues.get(text.owner);
    if (queue === undefined) this.queues.set(text.owner, [text]);
    else queue.push(text);
    this.size++;
  }
  addFirst(text: Text): void {
    const queue = this.queues.get(text.owner) ?? [];
    queue.unshift(text);
    this.queues.set(text.owner, queue);
    this.size++;
  }
  shift(): Text | undefined {
    const [next] = this.queues;
    if (next === undefined) return undefined;
    const [owner, queue] = next;
    const text = queue.shift()!;
    // Moves the owner to the end.
    this.queues.delete(owner);
    if (queue.length > 0) this.queues.set(owner, queue);
    this.size--;
    return text;
  }
  remove(text: Text): void {
    const queue = this.queues.get(text.owner);
    const at = queue?.indexOf(text) ?? -1;
    if (queue === undefined || at < 0) return;
    queue.splice(at, 1);
    if (queue.length === 0) this.queues.delete(text.owner);
    this.size--;
  }
}

const post = (worker: Worker, message: ToEncoderWorker): void => worker.postMessage(message, {});
const reasonOf = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new Error("the operation was aborted");
