/** Whether the database can be reached and written to, as far as is known. */
import { messageOf } from "../../lib/error-message";
import { errorFields, type Log } from "../../base/log";
import { settlesWithin } from "../../lib/timeout";
import { isFull, isReadOnly, isUnreachable } from "../storage-errors";

/** How long to wait for a response. */
const patience_ms = 2_000;
/** A full disk is tried again after this time. */
const full_ms = 5_000;

/** Learns from the errors of statements, and probes the database when asked. */
export class DatabaseState {
  private failing: string | undefined;
  private full_until_ms = 0;
  private probing: Promise<unknown> | undefined;

  constructor(
    private readonly log: Log,
    private readonly probe: () => Promise<unknown>,
  ) {}

  /** The disk of the database was full a moment ago. */
  get is_full(): boolean {
    return performance.now() < this.full_until_ms;
  }

  /** A transaction was committed, which may have written nothing. */
  noteWritten(): void {
    this.full_until_ms = 0;
    if (this.failing !== undefined) void this.failure();
  }

  /** An unmodified error of a statement, whatever its cause. */
  noteError(error: unknown): void {
    if (isFull(error)) this.full_until_ms = performance.now() + full_ms;
    if (!isFull(error) && !isReadOnly(error) && !isUnreachable(error)) return;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    if (this.failing === undefined)
      this.log.error("the database can't be written to", errorFields(cause));
    this.failing = messageOf(cause);
  }

  /** Why the database can't be reached or written to; null when it can. */
  async failure(): Promise<string | null> {
    this.probing ??= this.probe()
      .then(
        () => {
          if (this.is_full || this.failing === undefined) return;
          this.failing = undefined;
          this.log.info("the database can be written to again");
        },
        (error: unknown) => this.noteError(error),
      )
      .finally(() => {
        this.probing = undefined;
      });
    if (!(await settlesWithin(this.probing, patience_ms)))
      return `The database has not responded for ${patience_ms / 1_000} s.`;
    return this.failing === undefined ? null : `The database is failing: ${this.failing}`;
  }
}
