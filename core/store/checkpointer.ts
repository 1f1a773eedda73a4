/**
 * Moves the contents of the write-ahead log into the database. A thread does most of it while
 * others write; the little that is added meanwhile is moved between two transactions, after which
 * the log starts over.
 */
import type { Database } from "bun:sqlite";
import { startThread } from "../base/descriptors";
import type { Mutex } from "./mutex";

/** The log is measured at most this often. */
const measure_every_ms = 50;
/** Below this number of pages, moving them is faster than asking the thread. */
const inline_pages_max = 128;
/** The thread ends after this time without work, which gives its memory back. */
const idle_ms = 2_000;

interface LogSize {
  /** Pages in the log, and how many of them are already in the database. */
  readonly log: number;
  readonly checkpointed: number;
}

/** What `Checkpointer` needs besides its connection. */
export interface CheckpointerOptions {
  readonly path: string;
  /** The length of the log that triggers a checkpoint. */
  readonly log_pages_max: number;
  /** Called with every unmodified error of the database. */
  readonly onError: (error: unknown) => void;
}

/** Keeps the write-ahead log short. At most one checkpoint runs at a time. */
export class Checkpointer {
  private measured_at_ms = -Infinity;
  private running: Promise<void> | undefined;
  private worker: Worker | undefined;
  private idle_timer: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;

  /** `mutex` is held by the current user of the connection. */
  constructor(
    private readonly database: Database,
    private readonly mutex: Mutex,
    private readonly options: CheckpointerOptions,
  ) {}

  /** Call after a commit: starts a checkpoint when the log is long. */
  noteCommit(): void {
    const now_ms = performance.now();
    if (this.running || now_ms < this.measured_at_ms + measure_every_ms) return;
    this.measured_at_ms = now_ms;
    if (this.pages().log >= this.options.log_pages_max) void this.run();
  }

  /** Never rejects; what could not be moved stays in the log. */
  run(): Promise<void> {
    return (this.running ??= this.moveAll().finally(() => {
      this.running = undefined;
    }));
  }

  /** Waits for the current checkpoint. Later ones run without the thread. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
    this.endThread();
  }

  private async moveAll(): Promise<void> {
    const { log, checkpointed } = this.pages();
    try {
      if (log - checkpointed > inline_pages_max && !this.stopped) await this.moveInThread();
    } catch {
      // There can't be a thread at the moment: the step below does all of it.
    }
    try {
      await this.mutex.run(() => this.database.run("pragma wal_checkpoint(PASSIVE)"));
    } catch (error) {
      this.options.onError(error);
    }
  }

  private pages(): LogSize {
    try {
      return this.database.query<LogSize, []>("pragma wal_checkpoint(NOOP)").get()!;
    } catch (error) {
      this.options.onError(error);
      return { log: 0, checkpointed: 0 };
    }
  }

  private async moveInThread(): Promise<void> {
    clearTimeout(this.idle_timer);
    this.worker ??= startCheckpoints();
    const worker = this.worker;
    const { promise, resolve } = Promise.withResolvers<void>();
    const listeners = new AbortController();
    const { signal } = listeners;
    worker.addEventListener("message", () => resolve(), { signal });
    worker.addEventListener(
      "error",
      (event) => {
        event.preventDefault();
        this.worker = undefined;
        resolve();
      },
      { signal },
    );
    worker.postMessage(this.options.path);
    // The same step on this connection reports the error.
    await promise;
    listeners.abort();
    this.idle_timer = setTimeout(() => this.endThread(), idle_ms);
    this.idle_timer.unref();
  }

  private endThread(): void {
    clearTimeout(this.idle_timer);
    this.worker?.terminate();
    this.worker = undefined;
  }
}

function startCheckpoints(): Worker {
  // Inside the executable, workers are found relative to the root of the build.
  const url = Bun.isStandaloneExecutable
    ? "./core/store/checkpoint-worker.ts"
    : new URL("./checkpoint-worker.ts", import.meta.url).href;
  const worker = startThread(() => new Worker(url));
  worker.unref();
  return worker;
}
