/** When a passage is spoken in a recording. */
import type { TimeSpan } from "../../extraction/contract";

/** Seconds into the recording; null for a text that is not one. */
export interface Spoken {
  readonly time_start: number | null;
  readonly time_end: number | null;
}

const unspoken: Spoken = { time_start: null, time_end: null };

/**
 * Reads spans out of their JSON one by one: captions may have a hundred thousand. `json`: an array
 * of flat objects without braces in their strings.
 */
export function* spansIn(json: string): Generator<TimeSpan, void> {
  for (let at = json.indexOf("{"); at >= 0;) {
    const end = json.indexOf("}", at) + 1;
    yield JSON.parse(json.slice(at, end)) as TimeSpan;
    at = json.indexOf("{", end);
  }
}

/** Looks up the times of passages, which must be requested in order. */
export class SpokenTimes {
  private readonly unread: Iterator<TimeSpan>;
  /** Those that have been read, without those that end before the passage. */
  private readonly spans: TimeSpan[] = [];
  /** Whether there are any. */
  readonly exist: boolean;

  /** `spans`: in text order. */
  constructor(spans: Iterable<TimeSpan>) {
    this.unread = spans[Symbol.iterator]();
    this.exist = this.readNext();
  }

  /** From the earliest start to the latest end of all spans between two UTF-16 indices. */
  between(start: number, end: number): Spoken {
    while (this.spans.length > 0 ? this.spans.at(-1)!.start < end : true)
      if (!this.readNext()) break;
    const first = this.spans.findIndex((span) => span.end > start);
    this.spans.splice(0, first < 0 ? this.spans.length : first);
    let from = Infinity;
    let to = -Infinity;
    for (const { start: begins, time_start, time_end } of this.spans) {
      if (begins >= end) break;
      from = Math.min(from, time_start);
      to = Math.max(to, time_end);
    }
    return from > to ? unspoken : { time_start: from, time_end: to };
  }

  /** False when there are no more. */
  private readNext(): boolean {
    const { value, done } = this.unread.next();
    if (done) return false;
    this.spans.push(value);
    return true;
  }
}
