/** Makes packs of the segments of a scope that are in none. */
import { PartSize } from "../../../core/lib/chunked-work";
import { buildPack, pack_chunks_max, type BuiltPack, type PackMember } from "./pack";
import type { Scope } from "../ranking/scope";
import { analyzerOf, chunkCount } from "./segment";
import type { SegmentReader } from "./segment-reader";
import type { Pauses } from "../workers/worker-protocol";

/** Fewer chunks than this are left for later. */
const pack_chunks_min = pack_chunks_max / 2;
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
  let members: PackMember[] = [],
    chunks = 0;
  const loose = ids.filter((id, place) => packed[place] === 0 && id >= from_id);
  const part = new PartSize(segments_read, read_ms);
  for (let at = 0; at < loose.length;) {
    const some = [...loose.subarray(at, at + part.size)],
      begun_ms = performance.now(),
      segments = await reader.segments(some);
    part.took(performance.now() - begun_ms);
    at += some.length;
    for (const [i, segment] of segments.entries()) {
      if (segment === null || analyzerOf(segment) !== analyzer_version) continue;
      if (chunks + chunkCount(segment) > pack_chunks_max) {
        yield await buildPack(members, pauses);
        members = [];
        chunks = 0;
      }
      members.push({ id: some[i]!, segment });
      chunks += chunkCount(segment);
    }
    if (pauses.due) await pauses.pause();
  }
  if (chunks >= pack_chunks_min) yield await buildPack(members, pauses);
}
