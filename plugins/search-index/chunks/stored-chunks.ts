/**
 * The published chunks for maintenance: from the text store, or from rows that contain the text.
 */
import { readUnits } from "../../../core/lib/text-reader";
import type { Db } from "../../../core/sdk";
import { piecesOfDb } from "../../texts/contract";
import { ChunkPlaces, type ChunkPlace } from "./chunk-places";
import type { IndexInput } from "../contract";
import { encoderInputOf, storedInputOf } from "../index-versions";
import { lengthOf, listing_length } from "../segments/segment";
import { fromStored } from "../segments/stored-segment";
import * as store from "../store";
import type { ChunkRow, DocumentRow } from "../store";

/** A chunk to be embedded. */
export interface EmbeddedChunk extends Pick<ChunkRow, "heading" | "text"> {
  /** It belongs to a table of contents or an index: it has no meaning of its own. */
  readonly is_listing: boolean;
}

/** In order; none when they were deleted meanwhile. */
export async function chunksOfSegment(db: Db, segment_id: number): Promise<EmbeddedChunk[]> {
  const chunks = await textsOfSegment(db, segment_id);
  const row = await store.findSegment(db, segment_id);
  if (row === undefined) return [];
  const segment = fromStored(row.data.slice());
  return chunks.map(({ heading, text }, chunk) => ({
    heading,
    text,
    is_listing: lengthOf(segment, chunk) === listing_length,
  }));
}

async function textsOfSegment(
  db: Db,
  segment_id: number,
): Promise<Pick<ChunkRow, "heading" | "text">[]> {
  const row = await store.placesOf(db, segment_id);
  if (row === undefined) return store.chunksOf(db, segment_id);
  const places = new ChunkPlaces(row.places).all();
  const from = places[0]!.start;
  const text = await readUnits(piecesOfDb(db), row.text_id, from, places.at(-1)!.end);
  return text === undefined
    ? []
    : places.map(({ heading, start, end }) => ({
        heading,
        text: text.slice(start - from, end - from),
      }));
}

/** The encoder input of a published document, as far as its chunks tell. */
export async function inputOf(
  db: Db,
  document: DocumentRow,
): Promise<Pick<IndexInput, "title" | "text" | "stored" | "pages" | "headings" | "times">> {
  const chunks: ChunkRow[] = [];
  const places: ChunkPlace[] = [];
  let text_id = 0;
  for (const segment_id of await store.segmentsOf(db, document.edition)) {
    const row = await store.placesOf(db, segment_id);
    if (row === undefined) chunks.push(...(await store.chunksOf(db, segment_id)));
    else {
      ({ text_id } = row);
      places.push(...new ChunkPlaces(row.places).all());
    }
  }
  return places.length === 0
    ? encoderInputOf(document, chunks)
    : storedInputOf(document, text_id, places);
}
