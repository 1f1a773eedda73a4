/** When a passage is spoken in a recording. */
import type { TimeSpan } from "../../extraction/contract";

/** Seconds into the recording; null for a text that is not one. */
export interface Spoken {
  readonly time_start: number | null;
  readonly time_end: number | null;
}

const unspoken: Spoken = { time_start: null, time_end: null };

/** Looks up the times of passages, which must be requested in order. */
export class SpokenTimes {
  private at = 0;
  /** In text order. */
  constructor(private readonly spans: readonly TimeSpan[]) {}

  /** From the earliest start to the latest end of all spans between two UTF-16 indices. */
  between(start: number, end: number): Spoken {
    while (this.at < this.spans.length && this.spans[this.at]!.end <= start) this.at++;
    let from = Infinity;
    let to = -Infinity;
    for (let at = this.at; at < this.spans.length && this.spans[at]!.start < end; at++) {
      from = Math.min(from, this.spans[at]!.time_start);
      to = Math.max(to, this.spans[at]!.time_end);
    }
    return from > to ? unspoken : { time_start: from, time_end: to };
  }
}
