/** Makes packs of the segments of a scope that are in none. */
import { buildPack, pack_chunks_max, type BuiltPack, type PackMember } from "./pack";
import type { Scope } from "../ranking/scope";
import { analyzerOf, chunkCount } from "./segment";
import type { SegmentReader } from "./segment-reader";
import type { Pauses } from "../workers/worker-protocol";

/** Fewer chunks than this are left for later. */
const pack_chunks_min = pack_chunks_max / 2;
/** Segments read together. */
const segments_read = 32;

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
  let members: PackMember[] = [],
    chunks = 0;
  const loose = ids.filter((id, place) => packed[place] === 0 && id >= from_id);
  for (let at = 0; at < loose.length; at += segments_read) {
    const some = [...loose.subarray(at, at + segments_read)];
    for (const [i, segment] of (await reader.segments(some)).entries()) {
      if (segment === null || analyzerOf(segment) !== analyzer_version) continue;
      if (chunks + chunkCount(segment) > pack_chunks_max) {
        yield buildPack(members);
        members = [];
        chunks = 0;
      }
      members.push({ id: some[i]!, segment });
      chunks += chunkCount(segment);
    }
    if (pauses.due) await pauses.pause();
  }
  if (chunks >= pack_chunks_min) yield buildPack(members);
}
