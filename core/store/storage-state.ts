/** Whether the storage can be written to, according to the most recent writes. */
import { messageOf } from "../lib/error-message";
import { errorFields, type Log } from "../base/log";
import { settlesWithin } from "../lib/timeout";
import { isDamage, isFull, isReadOnly, lostSync, storageUnwritable } from "./storage-errors";

/** How long the state of a working storage is trusted; a failing one is checked sooner. */
const trusted_ms_max = 30_000;
const retry_ms = 1_000;
/** How long damage is reported after it was last met: a disk that can't be read looks the same. */
const damage_ms = 600_000;
/** How long a check waits for a write that hangs. */
const patience_ms = 2_000;

/** How the storage is probed. */
export interface StorageStateOptions {
  readonly log: Log;
  readonly isDiskFull: () => boolean;
  /** Writes something small, durably. */
  readonly probe: () => Promise<void>;
  /** Called once: a confirmed write may be lost, so nothing may build on it. */
  readonly onLostSync: (error: Error) => void;
}

/**
 * Learns from the errors of writes, and probes the storage when it was not written to for a while.
 */
export class StorageState {
  private failing: string | undefined;
  private checked_at_ms = performance.now();
  private probing: Promise<void> | undefined;
  private has_lost_sync = false;
  private damage: string | undefined;
  private damage_at_ms = -Infinity;
  /** A write has found no space since this was last cleared. */
  found_full_disk = false;

  constructor(private readonly options: StorageStateOptions) {}

  /** @throws HttpError 503 after a lost sync: until the process ends, nothing continues. */
  requireIntact(): void {
    if (this.has_lost_sync) throw storageUnwritable();
  }

  /** Something was written and synced. */
  noteWritten(): void {
    this.checked_at_ms = performance.now();
    if (this.failing === undefined) return;
    this.failing = undefined;
    this.options.log.info("the storage can be written to again");
  }

  /** An unmodified error of the database. */
  noteError(error: unknown): void {
    if (isFull(error)) {
      this.found_full_disk = true;
      // Either this write was too large, or nothing fits any more: check again.
      this.checked_at_ms = -Infinity;
    } else if (lostSync(error)) this.reportLostSync(error as Error);
    else if (isReadOnly(error)) this.fail(error);
    else if (isDamage(error)) this.noteDamage(error as Error);
  }

  private noteDamage(error: Error): void {
    const is_reported = this.recentDamage() !== undefined;
    this.damage_at_ms = performance.now();
    if (is_reported) return;
    this.damage =
      `The database is damaged (${error.message}). Run \`dossier doctor\` for details, and ` +
      "restore the newest backup into a new directory.";
    this.options.log.error("the database is damaged", errorFields(error));
  }

  private recentDamage(): string | undefined {
    return performance.now() - this.damage_at_ms < damage_ms ? this.damage : undefined;
  }

  private fail(error: unknown): void {
    this.checked_at_ms = performance.now();
    if (this.failing === undefined)
      this.options.log.error("the storage can't be written to", errorFields(error));
    this.failing = messageOf(error);
  }

  /** Commits may not be on the disk. */
  noteLostSync(error: unknown): void {
    this.reportLostSync(error instanceof Error ? error : new Error(String(error)));
  }

  /** Why the storage can't be written to; null when it can. Probes it when unknown. */
  async failure(): Promise<string | null> {
    const damage = this.recentDamage();
    if (damage !== undefined) return damage;
    if (this.options.isDiskFull())
      return "The disk is full. Requests that need space are refused; deleting works.";
    const since_check_ms = performance.now() - this.checked_at_ms;
    if (since_check_ms > (this.failing === undefined ? trusted_ms_max : retry_ms)) {
      this.probing ??= this.probe().finally(() => {
        this.probing = undefined;
      });
      if (!(await settlesWithin(this.probing, patience_ms)))
        return `A write to the storage is taking longer than ${patience_ms / 1_000} s.`;
    }
    return this.failing === undefined ? null : `The storage can't be written to: ${this.failing}.`;
  }

  private async probe(): Promise<void> {
    try {
      await this.options.probe();
      this.noteWritten();
    } catch (error) {
      const cause = error instanceof Error && error.cause ? error.cause : error;
      this.noteError(cause);
      // The smallest write does not fit, although the disk reports free space.
      if (isFull(cause)) this.fail(cause);
    }
  }

  private reportLostSync(error: Error): void {
    if (this.has_lost_sync) return;
    this.has_lost_sync = true;
    this.options.onLostSync(error);
  }
}
