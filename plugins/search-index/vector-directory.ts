/**
 * Where the vectors of segments are in memory, by the id of the segment. A search looks for ids
 * that ascend: they are found as fast as two sorted lists are merged.
 */
import { firstFrom } from "./scope";

/** Nothing is known of a segment, or that it has no vectors. */
export const unknown = 0,
  absent = 1;

/** So many additions, or this share of all, are sorted in together. */
const recent_max = 4_096,
  recent_share = 1 / 8;

export class VectorDirectory {
  /** Ascending. */
  private ids = new Float64Array(0);
  private places = new Uint32Array(0);
  /** What came since these were sorted; it counts in place of what they say. */
  private readonly recent = new Map<number, number>();

  /** The places of the segments from `start` to `end`, written to `places` from its beginning. */
  fill(segment_ids: Float64Array, start: number, end: number, places: Uint32Array): void {
    const { ids, recent } = this;
    for (let i = start, at = 0; i < end; i++) {
      const id = segment_ids[i]!;
      at = firstFrom(ids, at, id);
      const place = ids[at] === id ? this.places[at]! : unknown;
      places[i - start] = recent.size === 0 ? place : (recent.get(id) ?? place);
    }
  }

  set(id: number, place: number): void {
    this.recent.set(id, place);
    if (this.recent.size > Math.max(recent_max, this.ids.length * recent_share))
      this.rebuild(() => true);
  }

  /** Forgets every place that `keep` does not want. */
  rebuild(keep: (place: number) => boolean): void {
    const added = [...this.recent].sort(([one], [other]) => one - other),
      ids = new Float64Array(this.ids.length + added.length),
      places = new Uint32Array(ids.length);
    let used = 0,
      next = 0;
    const add = (id: number, place: number): void => {
      if (place === unknown || !keep(place)) return;
      ids[used] = id;
      places[used++] = place;
    };
    for (let at = 0; at < this.ids.length; at++) {
      const id = this.ids[at]!;
      for (; next < added.length && added[next]![0] < id; next++) add(...added[next]!);
      if (added[next]?.[0] !== id) add(id, this.places[at]!);
    }
    for (; next < added.length; next++) add(...added[next]!);
    this.ids = ids.slice(0, used);
    this.places = places.slice(0, used);
    this.recent.clear();
  }

  /** How many segments something is known of. */
  get size(): number {
    return this.ids.length + this.recent.size;
  }
}
