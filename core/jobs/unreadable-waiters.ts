/**
 * Jobs that failed because something on the disk can't be read. They wait without using an attempt,
 * because a disk may recover; but not for ever, because a damaged sector never does.
 */
import type { Clock } from "../base/clock";

/** After this time, such a run counts as a failure. */
const waits_ms_max = 15 * 60_000;

/** In memory only: after a restart, each job may wait as long again. */
export class UnreadableWaiters {
  /** By job: when it happened first. */
  private readonly since = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, "now_ms">) {}

  /** A run could not read the disk. Returns whether that is new, and whether the job may wait. */
  add(job_id: string): { readonly is_first: boolean; readonly may_wait: boolean } {
    const now_ms = this.clock.now_ms();
    const since = this.since.get(job_id);
    if (since === undefined) this.since.set(job_id, now_ms);
    const waited_ms = now_ms - (since ?? now_ms);
    return { is_first: since === undefined, may_wait: waited_ms < waits_ms_max };
  }

  /** A run has ended in another way. */
  forget(job_id: string): void {
    this.since.delete(job_id);
  }
}
