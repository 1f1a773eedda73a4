/** Segments in memory by id. Ids are never used twice, so nothing here is ever out of date. */
import type { Segment } from "./segment";

/** Bytes that an entry costs beyond its data. */
const entry_bytes = 500;

/**
 * Two generations: what is used moves to the young one; once that holds half of what is allowed, or nothing more fits,
 * it becomes the old one, and what was in the old one, unused since, goes. Nothing is dropped during a scan; a full cache only stops taking in.
 */
export class SegmentCache {
  private young = new Map<number, Segment>();
  private old = new Map<number, Segment>();
  private young_bytes = 0;
  private old_bytes = 0;
  /** The scan met a segment that there was no room for. */
  private refused = false;

  constructor(private readonly bytes_max: number) {}

  get(id: number, read: (id: number) => Segment): Segment {
    const known = this.young.get(id);
    if (known !== undefined) return known;
    const kept = this.old.get(id), segment = kept ?? read(id), bytes = segment.byteLength + entry_bytes;
    if (kept !== undefined) { this.old.delete(id); this.old_bytes -= bytes; }
    else if (this.young_bytes + this.old_bytes + bytes > this.bytes_max) { this.refused = true; return segment; }
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
  get bytes(): number { return this.young_bytes + this.old_bytes; }
}
