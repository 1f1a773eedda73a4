/** Whether the storage can be written to, as far as the last writes have shown. */
import { errorFields, type Log } from "../base/log";
import { settlesWithin } from "../lib/timeout";
import { isFull, isReadOnly, lostSync, storageUnwritable } from "./storage-errors";

/** What is known of a working storage is asked again after this time; of a failing one sooner. */
const known_ms_max = 30_000;
const retry_ms = 1_000;
/** How long a question waits for a write that hangs. */
const patience_ms = 2_000;

export interface StorageStateOptions {
  readonly log: Log;
  readonly isDiskFull: () => boolean;
  /** Writes something small, durably. */
  readonly probe: () => Promise<void>;
  /** Called once: a write that was confirmed may be lost, so nothing may be built on it. */
  readonly onLostSync: (error: Error) => void;
}

export class StorageState {
  #failing: string | undefined;
  #known_at_ms = performance.now();
  #probing: Promise<void> | undefined;
  #lost = false;
  /** A write has found no room since this was last cleared. */
  met_full_disk = false;

  constructor(private readonly options: StorageStateOptions) {}

  /** @throws HttpError 503 after a lost sync: until the process ends, nothing goes on. */
  requireWhole(): void {
    if (this.#lost) throw storageUnwritable();
  }

  noteWritten(): void {
    this.#known_at_ms = performance.now();
    if (this.#failing === undefined) return;
    this.#failing = undefined;
    this.options.log.info("the storage can be written to again");
  }

  /** An error of the database, as it came. */
  noteError(error: unknown): void {
    if (isFull(error)) {
      this.met_full_disk = true;
      // It may have been too large for what is left, or nothing may fit: asked anew.
      this.#known_at_ms = -Infinity;
    } else if (lostSync(error)) this.#stop(error as Error);
    else if (isReadOnly(error)) this.#fail(error);
  }

  #fail(error: unknown): void {
    this.#known_at_ms = performance.now();
    if (this.#failing === undefined)
      this.options.log.error("the storage can't be written to", errorFields(error));
    this.#failing = error instanceof Error ? error.message : String(error);
  }

  /** What was committed may not be on the disk. */
  noteLostSync(error: unknown): void {
    this.#stop(error instanceof Error ? error : new Error(String(error)));
  }

  /** Why the storage can't be written to, or null. Tries it out when that is not known. */
  async failure(): Promise<string | null> {
    if (this.options.isDiskFull())
      return "The disk is full: what needs space is refused, deleting works.";
    const known_for_ms = performance.now() - this.#known_at_ms;
    if (known_for_ms > (this.#failing === undefined ? known_ms_max : retry_ms)) {
      this.#probing ??= this.#probe().finally(() => {
        this.#probing = undefined;
      });
      if (!(await settlesWithin(this.#probing, patience_ms)))
        return `A write to the storage has taken longer than ${patience_ms / 1_000} s.`;
    }
    return this.#failing === undefined
      ? null
      : `The storage can't be written to: ${this.#failing}.`;
  }

  async #probe(): Promise<void> {
    try {
      await this.options.probe();
      this.noteWritten();
    } catch (error) {
      const cause = error instanceof Error && error.cause ? error.cause : error;
      this.noteError(cause);
      // The least that can be written does not fit, though the disk says that it has room.
      if (isFull(cause)) this.#fail(cause);
    }
  }

  #stop(error: Error): void {
    if (this.#lost) return;
    this.#lost = true;
    this.options.onLostSync(error);
  }
}
