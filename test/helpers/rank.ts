/**
 * Ranking without a database: takes segments and returns hits, with separate or packed segments.
 */
import { Ranker, type Ranking } from "../../plugins/search-index/ranking/bm25";
import { buildPack, PackHead, PackPart } from "../../plugins/search-index/segments/pack";
import type { Query } from "../../plugins/search-index/analysis/query";
import type { Segment } from "../../plugins/search-index/segments/segment";
import { no_pauses } from "../../plugins/search-index/workers/worker-protocol";

/** The best hits of these segments. */
export function rank(segments: readonly Segment[], query: Query, limit: number): Promise<Ranking> {
  const ranker = new Ranker(query, segments.length);
  segments.forEach((segment, place) => ranker.addSegment(place, segment));
  return ranker.ranking(limit, no_pauses);
}

/**
 * The same with this many segments per pack. Those that `isSearched` excludes are in the packs all
 * the same.
 */
export async function rankPacked(
  segments: readonly Segment[],
  query: Query,
  limit: number,
  pack_size: number,
  isSearched: (segment: number) => boolean = () => true,
): Promise<Ranking> {
  const searched = segments.map((_segment, at) => at).filter(isSearched);
  const ranker = new Ranker(query, searched.length);
  for (let first = 0; first < segments.length; first += pack_size) {
    const members = segments
      .slice(first, first + pack_size)
      .map((segment, at) => ({ id: first + at, segment }));
    const { head, parts } = await buildPack(members, no_pauses);
    const pack = { id: first, number: first, head: new PackHead(head) };
    const places = Int32Array.from(members, ({ id }) => searched.indexOf(id));
    const scoped = { pack, places, is_whole: !places.includes(-1) };
    ranker.addPack(
      scoped,
      new Map(ranker.partsFor(scoped).map((part) => [part, new PackPart(parts[part]!)])),
    );
  }
  return ranker.ranking(limit, no_pauses);
}
