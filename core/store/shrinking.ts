/**
 * Returns the space of deleted rows to the disk, in short steps. This requires a database whose
 * pages know their parents (`auto_vacuum`), which is decided when it is created; an older one is
 * rewritten by `dossier compact`.
 */
import type { Database } from "bun:sqlite";
import { errorFields, type Log } from "../base/log";
import { inParts, PartSize } from "../lib/chunked-work";
import type { Mutex } from "./mutex";
import type { Space } from "./store";

/** The delay after the last deletion: deletions have priority. */
const quiet_ms = 2_000;
/** Free pages that are kept for reuse: a share of all, and at least this many. */
const spare_share = 0.05;
const spare_pages_min = 1_024;
/** One step moves as many pages as fit into this time. */
const step_ms = 8;
const step_pages = { first: 16, max: 256 };
/** The file is truncated after this many: a file system takes long to cut off much at once. */
const truncated_pages = 4_096;

/** What `Shrinking` needs besides its connection. */
export interface ShrinkingOptions {
  readonly log: Log;
  /** Called with every unmodified error of the database. */
  readonly onError: (error: unknown) => void;
  /** On a short disk, free pages in the file are of no use: all of them are returned. */
  readonly isDiskShort: () => boolean;
  /** One attempt: the writes of the steps must not fill the disk either. */
  readonly emptyLog: () => Promise<unknown>;
  /** Empties the log in a thread, which truncates the file. */
  readonly checkpoint: () => Promise<void>;
  /** After the last step: empties the log, which truncates the file. */
  readonly onEnd: () => void;
}

/** Shrinks one database some time after each deletion, if it is one that can shrink. */
export class Shrinking {
  private readonly stopping = new AbortController();
  private readonly shrinks: boolean;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running: Promise<void> | undefined;

  /** `mutex` is held by the current user of the connection. */
  constructor(
    private readonly database: Database,
    private readonly mutex: Mutex,
    private readonly options: ShrinkingOptions,
  ) {
    this.shrinks = this.readPragma("auto_vacuum") === incremental;
    // An earlier run may have been interrupted.
    this.request();
  }

  /** Call after a deletion: starts soon, when there is much to return. Returns at once. */
  request(): void {
    if (!this.shrinks || this.stopping.signal.aborted) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.start(), quiet_ms);
    this.timer.unref();
  }

  /** See `Store.space`. */
  space(): Promise<Space> {
    return this.mutex.run(() => {
      const page_bytes = this.readPragma("page_size");
      return {
        bytes: this.readPragma("page_count") * page_bytes,
        free_bytes: this.readPragma("freelist_count") * page_bytes,
        shrinks: this.shrinks,
      };
    });
  }

  /** Waits for the current step. The next start continues. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    this.stopping.abort();
    await this.running;
  }

  private start(): void {
    if (this.running) return this.request();
    this.running = this.shrink()
      .catch((error: unknown) => {
        if (this.stopping.signal.aborted) return;
        this.options.onError(error);
        this.options.log.warn("the database could not be made smaller", errorFields(error));
      })
      .finally(() => {
        this.running = undefined;
      });
  }

  private async shrink(): Promise<void> {
    const size = new PartSize(step_pages, step_ms);
    let pages = 0;
    let freed = 0;
    let truncated = 0;
    await inParts(async () => {
      if (this.options.isDiskShort()) await this.options.emptyLog();
      else if (freed - truncated >= truncated_pages) {
        await this.options.checkpoint();
        truncated = freed;
      }
      return this.mutex.run(() => {
        const begun_ms = performance.now();
        const before = this.freePages();
        if (before.excess <= 0) return false;
        // It yields a row for each page: all of them must be fetched.
        this.database
          .query(`pragma incremental_vacuum(${Math.min(size.size, before.excess)})`)
          .values();
        freed += before.free - this.freePages().free;
        pages = before.all;
        size.took(performance.now() - begun_ms);
        return true;
      });
    }, this.stopping.signal);
    if (freed === 0) return;
    this.options.onEnd();
    this.options.log.info("the database was made smaller", { pages, freed });
  }

  private freePages() {
    const free = this.readPragma("freelist_count");
    const total = this.readPragma("page_count");
    const spare_pages = this.options.isDiskShort()
      ? 0
      : Math.max(spare_pages_min, Math.floor(total * spare_share));
    return { free, all: total, excess: free - spare_pages };
  }

  private readPragma(pragma: string): number {
    return this.database.query<Record<string, number>, []>(`pragma ${pragma}`).get()![pragma]!;
  }
}

/** The value of `pragma auto_vacuum`. */
const incremental = 2;
