/** Jobs that failed because the disk was full: they run again as soon as there is more space. */
import type { Store } from "../store/store";

/** The additional space that is worth a retry; a quarter more than what was tried in vain. */
const extra_bytes = 2 ** 20;
const growth_factor = 1.25;

/** In memory only: after a restart, the jobs wait until they are due. */
export class SpaceWaiters {
  /** By job: the space that must be free for its next run. */
  private readonly waiting = new Map<string, number>();
  /** By job: the space that was free when it was woken. */
  private readonly woken = new Map<string, number>();

  constructor(private readonly store: Pick<Store, "freeBytes" | "isDiskFull">) {}

  /** A run found no space; this much was free. */
  add(job_id: string, free_bytes: number): void {
    const tried_bytes = this.woken.get(job_id);
    this.waiting.set(
      job_id,
      tried_bytes === undefined
        ? free_bytes + extra_bytes
        : tried_bytes * growth_factor + extra_bytes,
    );
  }

  /** A run has ended in another way. */
  forget(job_id: string): void {
    this.waiting.delete(job_id);
    this.woken.delete(job_id);
  }

  /** Removes and returns the jobs for which there may be space now. */
  takeReady(): string[] {
    if (this.waiting.size === 0 || this.store.isDiskFull()) return [];
    const free_bytes = this.store.freeBytes();
    const ready: string[] = [];
    for (const [id, needed_bytes] of this.waiting) if (free_bytes >= needed_bytes) ready.push(id);
    for (const id of ready) {
      this.waiting.delete(id);
      this.woken.set(id, free_bytes);
    }
    return ready;
  }
}
