/**
 * Where the vectors of segments are in memory, by segment id. A search looks up ascending ids,
 * which is as fast as merging two sorted lists.
 */
import { firstFrom } from "../ranking/scope";

/** Instead of a location: nothing is known of the segment, or it is known to have no vectors. */
export const unknown = 0;
/** The place of a segment that is known to have no vectors. */
export const absent = 1;

/** After this many additions, or this share of all, they are sorted in together. */
const recent_max = 4_096;
const recent_share = 1 / 8;

/** Places by segment id, for sorted look-ups. */
export class VectorDirectory {
  /** Ascending. */
  private ids = new Float64Array(0);
  private places = new Uint32Array(0);
  /** Entries added since these were sorted, which override them. */
  private readonly recent = new Map<number, number>();

  /** Writes the locations of the segments from `start` to `end` to the beginning of `places`. */
  fill(segment_ids: Float64Array, start: number, end: number, places: Uint32Array): void {
    const { ids, recent } = this;
    for (let i = start, at = 0; i < end; i++) {
      const id = segment_ids[i]!;
      at = firstFrom(ids, at, id);
      const place = ids[at] === id ? this.places[at]! : unknown;
      places[i - start] = recent.size === 0 ? place : (recent.get(id) ?? place);
    }
  }

  /** Records where the vectors of a segment are. */
  set(id: number, place: number): void {
    this.recent.set(id, place);
    if (this.recent.size > Math.max(recent_max, this.ids.length * recent_share))
      this.rebuild(() => true);
  }

  /** Drops every location for which `keep` returns false. */
  rebuild(keep: (place: number) => boolean): void {
    const added = [...this.recent].sort(([one], [other]) => one - other);
    const ids = new Float64Array(this.ids.length + added.length);
    const places = new Uint32Array(ids.length);
    let used = 0;
    let next = 0;
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

  /** The number of known segments. */
  get size(): number {
    return this.ids.length + this.recent.size;
  }
}
