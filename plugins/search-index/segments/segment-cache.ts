/**
 * Caches what searches have read, by id. An id never refers to other bytes later, so no entry is
 * ever out of date.
 */

/** The overhead of an entry, bytes. */
const entry_bytes = 500;
/** The limit while the process uses much memory. */
const low_memory_bytes_max = 32 * 2 ** 20;
/** After this many bytes of new entries, it checks again whether the process does. */
const check_interval_bytes = 8 * 2 ** 20;

/**
 * Two generations. A hit moves an entry to the young one. When the young one reaches half of the
 * limit, or an entry did not fit, it becomes the old one, and the rest of the old one is dropped.
 * Nothing is dropped before a search ends; a full cache only stops accepting. While the process
 * uses much memory, little is kept.
 */
export class SegmentCache<T extends { readonly byteLength: number }> {
  private young = new Map<number, T>();
  private old = new Map<number, T>();
  private young_bytes = 0;
  private old_bytes = 0;
  /** An entry of this search did not fit. */
  private overflowed = false;
  private bytes_max: number;
  private unchecked_bytes = 0;

  /** `usesMuch`: whether the process uses much memory. */
  constructor(
    private readonly full_bytes_max: number,
    private readonly usesMuch: () => boolean = () => false,
  ) {
    this.bytes_max = full_bytes_max;
  }

  /**
   * The entries with these ids, in order. `read` returns missing ones, in one call; what it can't
   * return (null) is requested again next time.
   */
  async getAll(
    ids: ArrayLike<number>,
    read: (missing: readonly number[]) => Promise<readonly (T | null)[]>,
  ): Promise<(T | null)[]> {
    const results: (T | null)[] = [];
    const missing: number[] = [];
    const missing_at: number[] = [];
    for (let at = 0; at < ids.length; at++) {
      const cached = this.get(ids[at]!);
      results.push(cached ?? null);
      if (cached !== undefined) continue;
      missing.push(ids[at]!);
      missing_at.push(at);
    }
    if (missing.length === 0) return results;
    const entries = await read(missing);
    entries.forEach((entry, i) => {
      if (entry === null) return;
      results[missing_at[i]!] = entry;
      this.add(missing[i]!, entry);
    });
    return results;
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.young_bytes + this.old_bytes;
  }

  /** Drops an entry, because its segment was deleted. */
  delete(id: number): void {
    const young = this.young.get(id);
    const old = this.old.get(id);
    if (young !== undefined) this.young_bytes -= young.byteLength + entry_bytes;
    if (old !== undefined) this.old_bytes -= old.byteLength + entry_bytes;
    this.young.delete(id);
    this.old.delete(id);
  }

  /** Makes space for what the next search needs. */
  endSearch(): void {
    this.checkMemory();
    if (this.young_bytes > this.bytes_max / 2 || this.overflowed) this.endGeneration();
    while (this.bytes > this.bytes_max) this.endGeneration();
  }

  private checkMemory(): void {
    this.unchecked_bytes = 0;
    this.bytes_max = this.usesMuch()
      ? Math.min(low_memory_bytes_max, this.full_bytes_max)
      : this.full_bytes_max;
  }

  private endGeneration(): void {
    this.overflowed = false;
    this.old = this.young;
    this.old_bytes = this.young_bytes;
    this.young = new Map();
    this.young_bytes = 0;
  }

  private get(id: number): T | undefined {
    const young = this.young.get(id);
    if (young !== undefined) return young;
    const old = this.old.get(id);
    if (old === undefined) return undefined;
    const bytes = old.byteLength + entry_bytes;
    this.old.delete(id);
    this.old_bytes -= bytes;
    this.young.set(id, old);
    this.young_bytes += bytes;
    return old;
  }

  private add(id: number, entry: T): void {
    // Another search may have read it meanwhile.
    if (this.young.has(id) || this.old.has(id)) return;
    const bytes = entry.byteLength + entry_bytes;
    this.unchecked_bytes += bytes;
    if (this.unchecked_bytes > check_interval_bytes) this.checkMemory();
    if (this.bytes + bytes > this.bytes_max) {
      this.overflowed = true;
      return;
    }
    this.young.set(id, entry);
    this.young_bytes += bytes;
  }
}
