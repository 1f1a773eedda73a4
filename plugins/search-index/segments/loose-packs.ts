/** Makes packs of the segments of a scope that are in none. */
import { PartSize } from "../../../core/lib/chunked-work";
import {
  buildPack,
  pack_chunks_max,
  pack_postings_max,
  type BuiltPack,
  type PackMember,
} from "./pack";
import type { Scope } from "../ranking/scope";
import { analyzerOf, chunkCount, postingCount } from "./segment";
import type { SegmentReader } from "./segment-reader";
import type { Pauses } from "../workers/worker-protocol";

/** Less than this share of a full pack is left for later. */
const share_min = 0.5;
/** Segments read together: fewer when they are long, because searches wait meanwhile. */
const segments_read = { first: 4, max: 32 } as const;
const read_ms = 10;

/**
 * Only segments of this analyzer, because others are about to be indexed again; and only from
 * `from_id` on.
 */
export async function* packLoose(
  reader: Pick<SegmentReader, "segments">,
  { ids, packed }: Pick<Scope, "ids" | "packed">,
  analyzer_version: number,
  pauses: Pauses,
  from_id = 0,
): AsyncGenerator<BuiltPack, void> {
  let members: PackMember[] = [];
  let chunks = 0;
  let postings = 0;
  const build = async (): Promise<BuiltPack> => {
    const pack = await buildPack(members, pauses);
    members = [];
    chunks = 0;
    postings = 0;
    return pack;
  };
  const loose = ids.filter((id, index) => packed[index] === 0 && id >= from_id);
  const part = new PartSize(segments_read, read_ms);
  for (let at = 0; at < loose.length;) {
    const batch = [...loose.subarray(at, at + part.size)];
    const begun_ms = performance.now();
    const segments = await reader.segments(batch);
    part.took(performance.now() - begun_ms);
    at += batch.length;
    for (const [i, segment] of segments.entries()) {
      if (segment === null || analyzerOf(segment) !== analyzer_version) continue;
      const is_full =
        chunks + chunkCount(segment) > pack_chunks_max ||
        postings + postingCount(segment) > pack_postings_max;
      if (is_full && members.length > 0) yield await build();
      members.push({ id: batch[i]!, segment });
      chunks += chunkCount(segment);
      postings += postingCount(segment);
    }
    if (pauses.due) await pauses.pause();
  }
  const share = Math.max(chunks / pack_chunks_max, postings / pack_postings_max);
  if (share >= share_min) yield await build();
}
