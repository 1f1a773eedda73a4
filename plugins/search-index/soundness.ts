/** Compares what is stored of a document's index with what its text yields. */
import { nextTurn } from "../../core/lib/chunked-work";
import { readUnits } from "../../core/lib/text-reader";
import { toNumber, type Db } from "../../core/sdk";
import { piecesOfDb } from "../texts/contract";
import { analyzer } from "./analysis/analyzer";
import { chunker_version } from "./chunks/chunker";
import { inputOf } from "./chunks/stored-chunks";
import { placed } from "./index-versions";
import { encodeDocument, inputWithText, type EncodedSegment } from "./indexing/encoder";
import { fromStoredOrNull } from "./segments/stored-segment";
import * as store from "./store";
import type { DocumentRow } from "./store";

/**
 * See `SearchIndex.isSound`. Of a document that earlier versions have indexed, this tells only
 * whether its segments can be decoded.
 */
export async function isSound(db: Db, document_id: string): Promise<boolean> {
  const document = await store.findDocument(db, document_id);
  if (document === undefined) return true;
  const is_same = await isAsEncoded(db, document).catch((error: unknown) => {
    // Damaged positions or spans; anything else is an error of the database.
    if (error instanceof RangeError || error instanceof SyntaxError) return false;
    throw error;
  });
  return is_same || (await store.findDocument(db, document_id))?.edition !== document.edition;
}

async function isAsEncoded(db: Db, document: DocumentRow): Promise<boolean> {
  const ids = await store.segmentsOf(db, toNumber(document.edition));
  const segments = segmentsOf(db, document);
  let at = 0;
  for await (const expected of segments) {
    const id = ids[at++];
    if (id === undefined || !(await isStored(db, id, expected))) return false;
    await nextTurn();
  }
  for (; at < ids.length; at++) {
    const row = await store.findSegment(db, ids[at]!);
    if (row === undefined || fromStoredOrNull(row.data.slice()) === null) return false;
  }
  return true;
}

/** As they are encoded from the stored text; none for those of earlier versions. */
async function* segmentsOf(db: Db, document: DocumentRow): AsyncGenerator<EncodedSegment, void> {
  if (document.analyzer !== analyzer.version || document.chunker !== chunker_version) return;
  const input = await inputOf(db, document);
  if (!("stored" in input)) return;
  const { id, units, points } = input.stored!;
  const text = await readUnits(piecesOfDb(db), id, 0, units);
  if (text === undefined) throw new RangeError("the positions are beyond the text");
  yield* encodeDocument({ ...inputWithText(input, text), points }, analyzer);
}

async function isStored(db: Db, id: number, expected: EncodedSegment): Promise<boolean> {
  const row = await store.findSegment(db, id);
  const stored = await store.placesOf(db, id);
  const segment = row && fromStoredOrNull(row.data.slice());
  return (
    segment !== undefined &&
    segment !== null &&
    Buffer.from(segment.buffer).equals(Buffer.from(expected.data.buffer)) &&
    stored !== undefined &&
    placed(expected).places.every((byte, at) => stored.places[at] === byte)
  );
}
