/** Exports the published state of a document to another server. */
import { toNumber, type Db } from "../../core/sdk";
import { ChunkPlaces } from "./chunks/chunk-places";
import {
  PublishedGone,
  segment_format,
  vector_layout,
  type PublishedCopy,
  type SegmentCopy,
  type VectorCopyKind,
} from "./contract";
import * as store from "./store";
import type { VectorSetRow } from "./store";
import { fromStored } from "./segments/stored-segment";
import { findVectors, vectorSets } from "./vectors/vector-store";

/**
 * See `SearchIndex.findCopy`. The content of an index version never changes: it exists or is gone.
 */
export async function findCopy(db: Db, document_id: string): Promise<PublishedCopy | undefined> {
  const document = await store.findDocument(db, document_id);
  if (document === undefined) return undefined;
  const segment_ids = await store.segmentsOf(db, toNumber(document.edition));
  const [first_id] = segment_ids;
  // In 0.1.0 the index stores the text itself, without positions in another one.
  if (first_id === undefined || !(await store.placesOf(db, first_id))) return undefined;
  const set = (await vectorSets(db)).find(({ serving }) => serving === 1);
  const compared = set && set.dimensions > 0 ? set : null;
  const { version, title, analyzer, chunker, chunks } = document;
  return {
    version,
    title,
    encoding: { analyzer, chunker, segment_format },
    chunks,
    segments: segment_ids.length,
    vectors: compared && kindOf(compared),
    readSegments: () => readSegments(db, segment_ids, compared),
  };
}

const kindOf = ({ model, asked_dimensions, dimensions }: VectorSetRow): VectorCopyKind => ({
  model,
  asked_dimensions,
  dimensions,
  layout: vector_layout.layout,
});

/** As in `segment.ts`, whatever form is stored. */
function plainBytes(stored: Uint8Array): Uint8Array {
  const aligned = stored.byteOffset % 4 === 0 ? stored : stored.slice();
  const { buffer, byteOffset, byteLength } = fromStored(aligned);
  return new Uint8Array(buffer, byteOffset, byteLength);
}

async function* readSegments(
  db: Db,
  segment_ids: readonly number[],
  set: VectorSetRow | null,
): AsyncGenerator<SegmentCopy, void> {
  for (const id of segment_ids) {
    const stored = await store.placesOf(db, id);
    const segment = await store.findSegment(db, id);
    if (!stored || !segment) throw new PublishedGone();
    yield {
      chunks: new ChunkPlaces(stored.places).all(),
      data: plainBytes(segment.data),
      vectors: set && (await findVectors(db, set, id)),
    };
  }
}
