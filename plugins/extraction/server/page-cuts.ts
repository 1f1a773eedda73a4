/** Removes running headers and footers from a text, and shifts positions accordingly. */
import { countLeading } from "../../../core/lib/binary-search";
import type { Cut } from "./running-lines";

/** The cuts of a text, ascending. */
export class PageCuts {
  /** Units removed before each cut. */
  private readonly removed: readonly number[];

  private readonly cuts: readonly Cut[];

  /** Sorted by start. */
  constructor(ordered: readonly Cut[]) {
    const cuts: { start: number; end: number }[] = [];
    for (const { start, end } of ordered) {
      const last = cuts.at(-1);
      if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
      else cuts.push({ start, end });
    }
    this.cuts = cuts;
    let sum = 0;
    this.removed = cuts.map(({ start, end }) => {
      const before = sum;
      sum += end - start;
      return before;
    });
  }

  /** The text without the cuts. */
  async *shortened(parts: AsyncIterable<string>): AsyncGenerator<string, void> {
    let next = 0;
    let part_start = 0;
    for await (const part of parts) {
      const part_end = part_start + part.length;
      let from = part_start;
      for (; next < this.cuts.length && this.cuts[next]!.start < part_end; next++) {
        const { start, end } = this.cuts[next]!;
        if (start > from) yield part.slice(from - part_start, start - part_start);
        from = Math.min(end, part_end);
        // The rest of it is in the next part.
        if (end > part_end) break;
      }
      if (from < part_end) yield part.slice(from - part_start);
      part_start = part_end;
    }
  }

  /** Whether nothing of this range is left. */
  holds({ start, end }: Cut): boolean {
    return this.moved(start) === this.moved(end);
  }

  /** Maps a position of the whole text to the shortened one. */
  moved(at: number): number {
    const index = countLeading(this.cuts, ({ start }) => start < at) - 1;
    const last = this.cuts[index];
    if (last === undefined) return at;
    return last.start + Math.max(0, at - last.end) - this.removed[index]!;
  }
}
