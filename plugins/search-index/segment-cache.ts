/**
 * Segments in memory by id, or the vectors of segments. Ids are never used twice, so nothing here
 * is ever out of date.
 */
import type { Segment } from "./segment";

/** Bytes that an entry costs beyond its data. */
const entry_bytes = 500;

/**
 * Two generations: what is used moves to the young one; once that holds half of what is allowed, or
 * nothing more fits,
 * it becomes the old one, and what was in the old one, unused since, goes. Nothing is dropped
 * during a scan; a full cache only stops taking in.
 */
export class SegmentCache<T extends { readonly byteLength: number } = Segment> {
  private young = new Map<number, T>();
  private old = new Map<number, T>();
  private young_bytes = 0;
  private old_bytes = 0;
  /** The scan met a segment that there was no room for. */
  private refused = false;

  constructor(private readonly bytes_max: number) {}

  /** What `read` can't give (null) is asked for again. */
  get(id: number, read: (id: number) => T): T;
  get(id: number, read: (id: number) => T | null): T | null;
  get(id: number, read: (id: number) => T | null): T | null {
    const known = this.young.get(id);
    if (known !== undefined) return known;
    const kept = this.old.get(id),
      segment = kept ?? read(id);
    if (segment === null) return segment;
    const bytes = segment.byteLength + entry_bytes;
    if (kept !== undefined) {
      this.old.delete(id);
      this.old_bytes -= bytes;
    } else if (this.young_bytes + this.old_bytes + bytes > this.bytes_max) {
      this.refused = true;
      return segment;
    }
    this.young.set(id, segment);
    this.young_bytes += bytes;
    return segment;
  }

  /** Between two searches: makes room. */
  endScan(): void {
    if (this.young_bytes <= this.bytes_max / 2 && !this.refused) return;
    this.refused = false;
    this.old = this.young;
    this.old_bytes = this.young_bytes;
    this.young = new Map();
    this.young_bytes = 0;
  }

  /** Bytes held. */
  get bytes(): number {
    return this.young_bytes + this.old_bytes;
  }
}
