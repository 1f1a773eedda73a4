/** Where in a recording a passage is spoken. */
import type { TimeSpan } from "../extraction/contract";

/** Seconds; null for a text that nobody speaks. */
export interface Spoken {
  readonly time_start: number | null;
  readonly time_end: number | null;
}

const unspoken: Spoken = { time_start: null, time_end: null };

/** Asked for passages one after another, in their order. */
export class SpokenTimes {
  private at = 0;
  /** In the order of the text. */
  constructor(private readonly spans: readonly TimeSpan[]) {}

  /**
   * From the earliest beginning to the latest end of all that is spoken between two places of the
   * text, UTF-16 indices.
   */
  between(start: number, end: number): Spoken {
    while (this.at < this.spans.length && this.spans[this.at]!.end <= start) this.at++;
    let from = Infinity,
      to = -Infinity;
    for (let at = this.at; at < this.spans.length && this.spans[at]!.start < end; at++) {
      from = Math.min(from, this.spans[at]!.time_start);
      to = Math.max(to, this.spans[at]!.time_end);
    }
    return from > to ? unspoken : { time_start: from, time_end: to };
  }
}
