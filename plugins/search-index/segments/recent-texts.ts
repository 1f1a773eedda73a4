/**
 * Caches texts that searches have read a moment ago, by segment, as long as nothing is written, so
 * that nothing deleted or replaced is shown.
 */

/** A segment's positions, and the first piece of its text if all of them are in it. */
export interface SegmentText {
  readonly text_id: number;
  readonly places: Uint8Array;
  readonly first: string | null;
}

/** The overhead of an entry, bytes. */
const entry_bytes = 200;

/** Least recently used ones are dropped first. */
export class RecentTexts {
  private readonly texts = new Map<number, SegmentText>();
  private bytes = 0;
  private version: number | undefined;

  constructor(private readonly bytes_max: number) {}

  /** Call it at the start of a snapshot: a different `version` drops everything. */
  beginAt(version: number): void {
    if (version === this.version) return;
    this.version = version;
    this.texts.clear();
    this.bytes = 0;
  }

  /** `read` returns undefined for a segment that stores its text itself, or is deleted. */
  get(
    segment_id: number,
    read: (segment_id: number) => SegmentText | undefined,
  ): SegmentText | undefined {
    const cached = this.texts.get(segment_id);
    const text = cached ?? read(segment_id);
    if (text === undefined) return undefined;
    this.texts.delete(segment_id);
    this.texts.set(segment_id, text);
    if (cached !== undefined) return cached;
    this.bytes += bytesOf(text);
    for (const [id, oldest] of this.texts) {
      if (this.bytes <= this.bytes_max) break;
      this.texts.delete(id);
      this.bytes -= bytesOf(oldest);
    }
    return text;
  }
}

const bytesOf = ({ places, first }: SegmentText): number =>
  places.byteLength + 2 * (first?.length ?? 0) + entry_bytes;
