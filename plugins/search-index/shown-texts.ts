/**
 * Texts that searches have read a moment ago, by their segment, for as long as nothing is written:
 * what was deleted or replaced is not shown.
 */

/** A segment's places, and the first piece of its text where all of them lie in that. */
export interface SegmentText {
  readonly text_id: number;
  readonly places: Uint8Array;
  readonly first: string | null;
}

/** What an entry costs beyond its text and its places, bytes. */
const entry_bytes = 200;

/** The longest unused ones go first. */
export class ShownTexts {
  private readonly kept = new Map<number, SegmentText>();
  private bytes = 0;
  private version: number | undefined;

  constructor(private readonly bytes_max: number) {}

  /** When reads of another moment begin: a `version` that differs drops everything. */
  beginAt(version: number): void {
    if (version === this.version) return;
    this.version = version;
    this.kept.clear();
    this.bytes = 0;
  }

  /** `read` answers undefined for a segment that keeps its text itself, or is gone. */
  get(
    segment_id: number,
    read: (segment_id: number) => SegmentText | undefined,
  ): SegmentText | undefined {
    const known = this.kept.get(segment_id);
    const text = known ?? read(segment_id);
    if (text === undefined) return undefined;
    this.kept.delete(segment_id);
    this.kept.set(segment_id, text);
    if (known !== undefined) return known;
    this.bytes += bytesOf(text);
    for (const [id, oldest] of this.kept) {
      if (this.bytes <= this.bytes_max) break;
      this.kept.delete(id);
      this.bytes -= bytesOf(oldest);
    }
    return text;
  }
}

const bytesOf = ({ places, first }: SegmentText): number =>
  places.byteLength + 2 * (first?.length ?? 0) + entry_bytes;
